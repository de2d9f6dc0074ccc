import Captures
import ContactSections
import EventStore
import Rollcall
import RosterCore
import XMPPStanza

extension OpenLog {
  /// The most entries of a history in one answer.
  private static let historyLimit = 200

  /// `/api/contacts/JID` and `/api/contacts/JID/history`.
  mutating func contactAnswer(_ rest: [String], _ request: InspectorRequest) throws -> JSONValue {
    let contact = try Self.contact(rest.first ?? "")
    var people = People()
    if rest.count == 2, rest[1] == "history" {
      let history = try history(of: contact, request, &people)
      return history.adding(["people": people.document(index.names)])
    }
    guard rest.count == 1 else { throw Refusal.noSuchPath }
    let at = try record("at", of: request)
    guard head > 0, try !timeline.records(concerning: contact, in: 1...head).isEmpty else {
      throw Refusal(404, "no-such-contact", "no record names \(contact)")
    }
    let roster = try stretches.state(after: at).roster
    return facts(contact, roster).adding([
      "at": JSONValue(at), "t": Self.number(time(of: at)),
      "why": try why(contact, at, request, &people),
      "questions": .object(
        Dictionary(
          uniqueKeysWithValues: Explanation.Subject.allCases.map {
            ($0.rawValue, .string($0.question))
          })),
      "history": try history(of: contact, request, &people),
      "people": people.document(index.names),
    ])
  }

  /// The contact of a path.
  static func contact(_ text: String) throws(Refusal) -> BareJID {
    guard let contact = try? BareJID(parsing: text) else {
      throw .malformed("“\(text)” is no address of a contact")
    }
    return contact
  }

  /// What the roster has of a contact.
  private func facts(_ contact: BareJID, _ roster: Roster) -> JSONValue {
    let annotations = roster.annotations[contact]
    let own = roster.ownNames[contact]
    let name = annotations?.reading ?? roster.displayName(of: contact)
    return Self.named(contact, roster).adding([
      "item": roster.entries[contact].map { JSONValue($0) } ?? .null,
      "request": Self.openRequest(of: contact, roster),
      "outgoing": roster.outgoing[contact].map { Self.outgoing($0, of: contact, roster) } ?? .null,
      "presence": JSONValue(roster.presence(of: contact)),
      "blocked": .bool(roster.blocked.contains { $0.bare == contact }),
      "starred": .object([
        "value": .bool(annotations?.isStarred ?? false),
        "record": JSONValue(annotations?.starredRecord),
      ]),
      "reading": .object([
        "value": JSONValue(annotations?.reading), "record": JSONValue(annotations?.readingRecord),
      ]),
      "note": .object([
        "value": JSONValue(annotations?.note), "record": JSONValue(annotations?.noteRecord),
      ]),
      "nickname": .object([
        "value": JSONValue(own?.nickname), "record": JSONValue(own?.nicknameRecord),
      ]),
      "pinyin": .string(PinyinReader.reading(of: name).pinyin),
    ])
  }

  /// The answers of `rollcall why`, or null if no record up to the moment names the contact.
  private func why(
    _ contact: BareJID, _ at: UInt64, _ request: InspectorRequest, _ people: inout People
  ) throws -> JSONValue {
    let friends: SectionPolicy.Friends = try request.choice("friends") ?? .mutual
    let found = try timeline.explanation(of: contact, at: .record(at), friends: friends)
    guard let (explanation, state) = found else { return .null }
    return JSONValue(explanation, state).adding([
      "findings": .array(
        explanation.findings.map { finding in
          document(finding, isOfEnd: index.ending.contains(finding), &people)
        })
    ])
  }

  // MARK: History

  /// The newest entries of a contact's history before a record.
  private mutating func history(
    of contact: BareJID, _ request: InspectorRequest, _ people: inout People
  ) throws -> JSONValue {
    let (lines, findings) = try histories.history(of: contact, in: timeline, upTo: head)
    let before = try request.query["before"].map { _ in try record("before", of: request) }
    let count = try request.number("count", in: 1...Self.historyLimit) ?? Self.historyLimit
    let earlier = lines.prefix { before == nil || $0.entry.moment.stamp.record < before ?? 0 }
    let shown = earlier.suffix(count)
    return .object([
      "total": .integer(Int64(lines.count)),
      "entries": .array(shown.map { document($0, &people) }),
      "more": .bool(shown.count < earlier.count),
      "ending": .array((isComplete ? findings : []).map { document($0, isOfEnd: true, &people) }),
    ])
  }

  private func document(_ line: HistoryCache.Line, _ people: inout People) -> JSONValue {
    let entry = line.entry
    let moment = entry.moment
    let connection = moment.connection.number
    return .object([
      "n": JSONValue(moment.stamp.record), "t": Self.number(moment.stamp.time),
      "way": .string(moment.direction.name), "c": .integer(Int64(connection)),
      "device": label(connection), "clause": document(moment.subjectClause, &people),
      "kind": .string(index.flags[moment.stamp.record].content.name),
      "lines": .array(entry.changes.digest.map { document($0, &people) }),
      "findings": .array(entry.findings.map { document($0, &people) }),
      "origins": .array(
        line.origins.map { JSONValue($0.origin).adding(["text": .string($0.text)]) }),
      "handshake": entry.handshake.map {
        .object(["side": .string($0.side.rawValue), "since": JSONValue($0.since)])
      } ?? .null,
      "sessionAlone": .bool(entry.isOfSessionAlone),
    ])
  }
}
