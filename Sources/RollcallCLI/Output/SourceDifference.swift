import Captures
import EventStore
import Rollcall
import RosterCore
import XMPPStanza

/// One thing in which the contacts and requests of two sources are different.
struct SourceDifference {
  private let difference: FieldDifference
  /// The record of the second source that gave the value there, nil where it does not say.
  private let cause: RecordStamp?
  /// The same of the first source.
  private let recordBefore: UInt64?

  /// What two sources hold differently of contacts and requests. What only says how each is
  /// connected, such as presence, is left out.
  ///
  /// - Parameter log: of the second source.
  static func all(
    _ before: Roster, _ after: Roster, of log: EventLog
  ) throws -> [SourceDifference] {
    struct Key: Hashable {
      var contact: BareJID?
      var field: FieldDifference.Field
    }
    var records: [Key: UInt64] = [:]
    for difference in after.differences(to: before) {
      records[Key(contact: difference.contact, field: difference.field)] = difference.record
    }
    return try before.differences(to: after).filter(\.field.isOfRoster).map { difference in
      let key = Key(contact: difference.contact, field: difference.field)
      let cause = try difference.record.map { record in
        RecordStamp(record: record, time: try log.read { try $0.header(at: record)?.time })
      }
      return SourceDifference(
        difference: difference, cause: cause, recordBefore: records[key])
    }
  }

  static func lines(_ differences: [SourceDifference]) -> [String] {
    var lines: [String] = []
    var contact: BareJID?
    for item in differences {
      if contact != item.difference.contact {
        contact = item.difference.contact
        lines += ["", Style.bold((contact?.text ?? "account").visible)]
      }
      let records = [item.recordBefore, item.cause?.record].map { record in
        record.map { "#\($0)" } ?? "–"
      }
      lines.append("  " + item.difference.line + Style.dim(" (\(records[0]) | \(records[1]))"))
    }
    return lines
  }

  var document: JSONValue {
    JSONValue(StateDiff.Item(difference: difference, cause: cause))
      .adding(["recordBefore": JSONValue(recordBefore)])
  }
}

extension FieldDifference.Field {
  fileprivate var isOfRoster: Bool {
    switch self {
    case .item, .name, .subscription, .ask, .approved, .groups, .request, .outgoing: true
    case .account, .connected, .complete, .version, .ownResources, .presence, .blocked, .nickname,
      .vCard:
      false
    }
  }
}

extension Drift {
  /// Up to where two sources agree, and what parts them.
  func lines(_ first: String, _ second: String, _ isDifferent: Bool) -> [String] {
    guard let agreed else {
      return ["", "the two never show the same contacts"]
    }
    var lines = [
      "",
      "they agree "
        + (isDifferent ? "for the last time " : "")
        + "after #\(agreed.first) of \(first) and #\(agreed.second) of \(second)",
    ]
    for (path, moment) in [(first, parted.first), (second, parted.second)] {
      guard isDifferent else { break }
      if let moment {
        lines += ["", "then in \(path):"] + moment.lines
      } else {
        lines += ["", "then nothing more about contacts in \(path)"]
      }
    }
    return lines
  }
}

extension JSONValue {
  /// Where two sources agree for the last time, and what parts them.
  init(_ drift: Drift) {
    let agreed: JSONValue =
      drift.agreed.map {
        .object(["first": JSONValue($0.first), "second": JSONValue($0.second)])
      } ?? .null
    self = .object([
      "agreed": agreed,
      "parted": .object([
        "first": drift.parted.first.map { JSONValue($0) } ?? .null,
        "second": drift.parted.second.map { JSONValue($0) } ?? .null,
      ]),
    ])
  }
}
