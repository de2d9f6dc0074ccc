import Captures
import EventStore
import Rollcall
import RosterCore
import XMPPStanza

extension OpenLog {
  /// `/api/diff`: what is different between two moments, contact by contact.
  func differenceAnswer(_ request: InspectorRequest) throws -> JSONValue {
    let from = try record("from", of: request)
    let to = try record("to", of: request)
    let offset = try request.number("offset", in: 0...Int(UInt32.max)) ?? 0
    let count = try request.number("count", in: 1...Self.rowLimit) ?? 100
    return try difference(from: from, to: to, offset..<offset + count)
  }

  /// The differences of two moments, from the earlier one to the later one.
  func difference(
    from first: UInt64, to second: UInt64, _ range: Range<Int>
  ) throws -> JSONValue {
    let (from, to) = (min(first, second), max(first, second))
    let diff = try timeline.diff(from: .record(from), to: .record(to))
    var rows = ContactDifferences(diff.differences)
    rows.sort()
    var people = People()
    let shown = rows.all.dropFirst(range.lowerBound).prefix(range.count)
    let later = diff.after.roster
    return .object([
      "from": JSONValue(from), "to": JSONValue(to),
      "contacts": .integer(Int64(rows.all.count { !$0.isFleeting && $0.contact != nil })),
      "fleeting": .integer(Int64(rows.all.count { $0.isFleeting && $0.contact != nil })),
      "total": .integer(Int64(rows.all.count)),
      "rows": .array(
        shown.map { row in
          people.add(row.contact)
          return .object([
            "jid": JSONValue(row.contact?.text),
            "name": JSONValue(row.contact.map { later.displayName(of: $0) }),
            "fields": .array(row.items.map(Self.document)),
          ])
        }),
      "people": people.document(index.names),
    ])
  }

  private static func document(_ item: StateDiff.Item) -> JSONValue {
    let difference = item.difference
    return JSONValue(item).adding([
      "mark": .string(difference.mark), "text": .string(difference.clause),
      "t": number(item.cause?.time), "fleeting": .bool(difference.field.isFleeting),
    ])
  }
}

/// The differences of two states, by contact.
private struct ContactDifferences {
  struct Row {
    /// Nil for the account.
    let contact: BareJID?
    var items: [StateDiff.Item]

    /// Whether nothing but presence is different.
    var isFleeting: Bool { items.allSatisfy { $0.difference.field.isFleeting } }
  }

  private(set) var all: [Row] = []

  init(_ items: [StateDiff.Item]) {
    for item in items {
      // They come contact by contact.
      if let last = all.indices.last, all[last].contact == item.difference.contact {
        all[last].items.append(item)
      } else {
        all.append(Row(contact: item.difference.contact, items: [item]))
      }
    }
  }

  /// Puts those first of which something lasting is different.
  mutating func sort() {
    all = all.filter { !$0.isFleeting } + all.filter(\.isFleeting)
  }
}
