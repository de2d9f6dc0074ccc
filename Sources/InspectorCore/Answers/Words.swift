import Captures
import EventStore
import Rollcall
import RosterCore
import XMPPStanza

/// The addresses in an answer, so that it can say what they are called.
struct People {
  private var addresses: Set<BareJID> = []

  mutating func add(_ address: BareJID?) {
    if let address { addresses.insert(address) }
  }

  mutating func add(_ addresses: some Sequence<BareJID>) { self.addresses.formUnion(addresses) }

  /// The names of those whose name is known, by address.
  func document(_ names: [BareJID: String]) -> JSONValue {
    var members: [String: JSONValue] = [:]
    for address in addresses {
      if let name = names[address] { members[address.text] = .string(name) }
    }
    return .object(members)
  }
}

// What several answers have in common.
extension OpenLog {
  func document(_ clause: SubjectClause, _ people: inout People) -> JSONValue {
    people.add(clause.who)
    return .object([
      "who": JSONValue(clause.who?.text), "text": .string(clause.text),
      "full": .string(clause.full),
    ])
  }

  func document(_ line: StoryLine, _ people: inout People) -> JSONValue {
    let who = line.parts?.who
    people.add(who.flatMap { try? JID(parsing: $0).bare })
    return .object([
      "mark": .string(line.mark), "text": .string(line.clause), "who": JSONValue(who),
      "lead": .string(line.parts?.lead ?? line.clause), "what": .string(line.parts?.what ?? ""),
    ])
  }

  func document(
    _ finding: Finding, isOfEnd: Bool = false, _ people: inout People
  ) -> JSONValue {
    people.add(finding.contact)
    return JSONValue(finding).adding([
      "title": .string(finding.code.title),
      "t": Self.number(time(of: finding.record)), "ending": .bool(isOfEnd),
      "actions": .array(Self.actions(for: finding)),
    ])
  }

  /// What a person can do about a finding on the page.
  private static func actions(for finding: Finding) -> [JSONValue] {
    var actions: [JSONValue] = []
    func goTo(_ record: UInt64) {
      actions.append(.object(["do": .string("record"), "record": JSONValue(record)]))
    }
    goTo(finding.record)
    if let cause = finding.cause, cause != finding.record {
      goTo(cause)
      if cause > 0, cause < finding.record {
        actions.append(
          .object([
            "do": .string("diff"), "from": JSONValue(cause - 1), "to": JSONValue(finding.record),
          ]))
      }
    }
    if let contact = finding.contact {
      for action in ["contact", "history"] {
        actions.append(.object(["do": .string(action), "who": .string(contact.text)]))
      }
    }
    return actions
  }

  /// The guides of some kinds of finding, by code.
  static func guides(_ codes: some Sequence<Finding.Code>) -> JSONValue {
    var members: [String: JSONValue] = [:]
    for code in Set(codes) {
      let guide = code.guide
      members[code.rawValue] = .object([
        "rule": .string(guide.rule), "causes": .string(guide.causes),
        "remedy": .string(guide.remedy),
      ])
    }
    return .object(members)
  }

  /// The origins of a record's changes, each with its line.
  func documents(
    of origins: [ChangeOrigin], _ roster: Roster, _ people: inout People
  ) -> JSONValue {
    let names = ConnectionNames(index.state.names)
    people.add(origins.map(\.contact))
    return .array(
      origins.map { origin in
        JSONValue(origin).adding([
          "text": .string(origin.line { names.agent(of: $0, roster) })
        ])
      })
  }

  /// The time of a record, or the newest one before it; nil if it is unknown.
  func time(of record: UInt64) -> Int64? {
    (1...max(1, head)).contains(record) && head > 0 ? index.flags.clock(of: record) : nil
  }

  func label(_ connection: UInt32) -> JSONValue { .string(labels[connection]) }
}
