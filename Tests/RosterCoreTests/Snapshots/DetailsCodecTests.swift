import TestSupport
import Testing
import XMPPStanza

@testable import RosterCore

/// The details of a contact take no more bytes than necessary and have only one encoding.
@Suite("Stored details")
struct DetailsCodecTests {
  private func decode(_ bytes: [UInt8]) throws(CodecError) -> Roster {
    try Roster(snapshot: bytes.span.bytes)
  }

  /// Each part by itself, and with each of the others.
  @Test("Request rounds and a confirmed edit can be read back", arguments: 0..<8)
  func memories(which: Int) throws {
    let contact = bare("bob@example.test")
    var roster = Scenario.alice(item("bob@example.test", "subscription='to'")).roster
    let number = try #require(roster.contacts.number(of: contact))
    let stamp = RecordStamp(record: 7, time: 70)
    let rounds = Rounds(count: 3, first: stamp, ended: stamp)
    let fields = EditableFields(name: "Bob", groups: ["A"])
    roster.contacts.updateDetails(of: number) { details in
      if which & 1 != 0 { details.rounds = rounds }
      if which & 2 != 0 { details.ownRounds = Rounds(count: 1, first: stamp, ended: nil) }
      if which & 4 != 0 {
        details.confirmedEdit = ConfirmedEdit(
          sent: 6, device: "desk", before: nil, after: fields)
      }
    }
    let read = try decode(roster.snapshot)
    #expect(read == roster && read.snapshot == roster.snapshot)
    let known = try #require(read.contacts.contact(number))
    #expect((known.confirmedEdit != nil) == (which & 4 != 0))
    #expect(read.contacts.hasConfirmedEdit(of: number) == (which & 4 != 0))
    #expect(known.rounds.contains(rounds) == (which & 1 != 0))
  }

  @Test(
    "A confirmed edit can be read back, whatever it changed",
    arguments: [nil, ("Bob", ["A"]), ("Bob", []), (nil, ["A", "B"]), (nil, [])]
      as [(name: String?, groups: [String])?],
    [nil, ("Bob", ["A"]), ("Bobby", ["A"]), ("Bob", ["B"]), (nil, [])]
      as [(name: String?, groups: [String])?])
  func edits(
    _ before: (name: String?, groups: [String])?, _ after: (name: String?, groups: [String])?
  ) throws {
    let edit = ConfirmedEdit(
      sent: 6, device: "desk",
      before: before.map { EditableFields(name: $0.name, groups: $0.groups) },
      after: after.map { EditableFields(name: $0.name, groups: $0.groups) })
    let details = try readBack { $0.confirmedEdit = edit }
    #expect(details.confirmedEdit == edit)
  }

  @Test("The number of request rounds can be read back, even if the last end implies it")
  func rounds() throws {
    let (first, last) = (RecordStamp(record: 7, time: 70), RecordStamp(record: 9, time: 90))
    let end = EndedRequest(way: .denied, at: last, since: first)
    for lastEnded in [nil, end] {
      for rounds in [
        Rounds(first: first, ended: last), Rounds(count: 1, first: first, ended: last),
        Rounds(first: first), Rounds(first: first, ended: first), Rounds(first: last, ended: last),
      ] {
        let details = try readBack {
          $0.lastEnded = lastEnded
          $0.rounds = rounds
          $0.ownRounds = Rounds(first: first, ended: last)
        }
        #expect(details.rounds == rounds && details.lastEnded == lastEnded)
        #expect(details.ownRounds == Rounds(first: first, ended: last))
      }
    }
  }

  @Test("Expected counterparts can be read back, each by itself and all together")
  func expectations() throws {
    let stamp = RecordStamp(record: 7, time: 70)
    let all = SubscriptionEffect.allCases.map { effect in
      Expectation(
        effect: effect, isOurs: effect.kind(isOurs: true) == effect.kind(isOurs: false),
        stamp: stamp, connection: ConnectionID(number: 3), device: "desk", before: .from)
    }
    var lists = all.map { [$0] } + [all, []]
    lists[0][0].device = nil
    for stanzas in lists {
      for pushes in lists where !stanzas.isEmpty || !pushes.isEmpty {
        let expected = ExpectedCounterparts(
          stanzas: stanzas, pushes: pushes, lastEnding: pushes.isEmpty ? stamp : nil)
        #expect(try readBack { $0.expected = expected }.expected == expected)
      }
    }
    let ending = ExpectedCounterparts(lastEnding: stamp)
    #expect(try readBack { $0.expected = ending }.expected == ending)
  }

  @Test("An error can be read back, whatever it answers", arguments: [nil, UInt64(5)])
  func returnedError(cause: UInt64?) throws {
    let error = ReturnedError(
      record: 9, cause: cause, report: ErrorReport(condition: "gone", text: "搬走了"))
    let details = try readBack { $0.returnedError = error }
    #expect(details.returnedError == error)
  }

  /// Details after being read back and checked.
  private func readBack(_ change: (inout ContactDetails) -> Void) throws -> ContactDetails {
    var roster = Scenario.alice(item("bob@example.test", "subscription='to'")).roster
    let number = try #require(roster.contacts.number(of: bare("bob@example.test")))
    roster.contacts.updateDetails(of: number) { change(&$0) }
    let read = try decode(roster.snapshot)
    #expect(read == roster && read.snapshot == roster.snapshot)
    return try #require(read.contacts.details(of: number))
  }

  @Test(
    "Fields that an edit left unchanged are not written twice, nor rounds that the last end implies"
  )
  func onlyEncoding() throws {
    var parts = DetailsOutput()
    var details = ContactDetails()
    details.lastEnded = EndedRequest(
      way: .denied, at: RecordStamp(record: 9), since: RecordStamp(record: 7))
    details.rounds = Rounds(first: RecordStamp(record: 7), ended: RecordStamp(record: 9))
    details.confirmedEdit = ConfirmedEdit(
      sent: 6, device: nil, before: EditableFields(name: "B", groups: ["A"]),
      after: EditableFields(name: "B", groups: ["A"]))
    parts.write(details)
    let bytes = Array(parts.all.bytes.dropFirst())
    func isRead(_ bytes: [UInt8]) -> Bool {
      var input = DetailsInput(CanonicalInput(bytes.span.bytes))
      return (try? input.read()) != nil
    }
    #expect(isRead(bytes))
    // The name, the groups, and both, encoded as if they had changed.
    let name: [UInt8] = [1, 1, UInt8(ascii: "B")]
    let groups: [UInt8] = [1, 1, UInt8(ascii: "A")]
    #expect(bytes.suffix(7) == name + groups + [3])
    for (left, after) in [(2, name), (1, groups), (0, name + groups)] as [(UInt8, [UInt8])] {
      #expect(!isRead(bytes.dropLast() + [left] + after))
    }
    // A different value of the same length is read.
    #expect(isRead(bytes.dropLast() + [2, 1, 1, UInt8(ascii: "C")]))
    #expect(!isRead(bytes.dropLast() + [4 | 1]) && isRead(bytes.dropLast() + [4]))
    // Before the edit, 2 means that there was one round, and 0 that there was none of ours.
    let own = try #require(bytes.firstRange(of: [2, 0, 1, 0, 1] + name)?.lowerBound)
    let edit = bytes[(own + 3)...]
    // From record 7 to 9, which the end implies; and to 10. The edit's record is relative to that.
    #expect(!isRead(bytes[..<own] + [1, 0, 0, 0, 1, 4, 0, 0, 5] + edit))
    #expect(isRead(bytes[..<own] + [1, 0, 0, 0, 1, 6, 0, 0, 7] + edit))
    // No end implies our own rounds, and there is no third form.
    #expect(!isRead(bytes[..<own] + [0, 2] + bytes[(own + 2)...]))
    #expect(!isRead(bytes[..<own] + [3, 0] + bytes[(own + 2)...]))
    #expect(!isRead(bytes.dropLast() + [8]))
  }

  @Test("If there was nothing before an edit, it leaves nothing unchanged", arguments: 0..<4)
  func nothingBefore(unchanged: UInt8) throws {
    // From record 6, of no device, with nothing before it.
    let bytes: [UInt8] = [0x80, 0x04, 12, 0, 0, unchanged]
    let fields: [UInt8] = [0, 0]
    let after = (unchanged & 1 == 0 ? 1 : 0) + (unchanged & 2 == 0 ? 1 : 0)
    let all = bytes + fields.prefix(after)
    var input = DetailsInput(CanonicalInput(all.span.bytes))
    let isRead = (try? input.read()) != nil
    #expect(isRead == (unchanged == 0))
  }

  @Test("If no request ended, no end implies rounds")
  func noEnd() {
    let bytes: [UInt8] = [0x80, 0x01, 2, 0]
    #expect(throws: CodecError.self) {
      var input = DetailsInput(CanonicalInput(bytes.span.bytes))
      _ = try input.read()
    }
  }

  @Test("If rounds are declared, they are present")
  func noRounds() {
    let bytes: [UInt8] = [0x80, 0x01, 0, 0]
    #expect(throws: CodecError.self) {
      var input = DetailsInput(CanonicalInput(bytes.span.bytes))
      _ = try input.read()
    }
  }
}
