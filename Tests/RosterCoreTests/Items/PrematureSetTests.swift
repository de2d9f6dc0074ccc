import RosterCore
import TestSupport
import Testing
import XMPPStanza

@Suite("Sets that are sent before the session's roster is known") struct PrematureSetTests {
  private static let bob = "bob@example.test"

  /// A dialogue in which the server processes the sets.
  private struct Dialogue {
    var scenario = Scenario()

    /// Begins a session.
    mutating func opens(_ resource: String = "phone") {
      scenario.opened("alice@example.test/\(resource)")
    }

    /// The server processes a set of bob, and sends the result and the push in either order.
    mutating func takes(_ xml: String, id: String = "set", pushesFirst: Bool = true) {
      if pushesFirst { scenario.pushed(xml) }
      scenario.receivesEmptyResult(id: id)
      if !pushesFirst { scenario.pushed(xml) }
    }
  }

  /// The losses that the findings of a dialogue report.
  private func lost(_ body: (inout Dialogue) -> Void) -> [String] {
    var dialogue = Dialogue()
    body(&dialogue)
    return dialogue.scenario.outcomes.flatMap(\.findings).filter { $0.code == .prematureSet }
      .map { finding in
        #expect(finding.contact?.text == Self.bob)
        let words = finding.sentence.split(separator: ", and ", maxSplits: 1).last ?? ""
        return String(words.prefix { $0 != ":" })
      }
  }

  @Test("A new device that adds a contact removes it from its groups", arguments: [false, true])
  func newDevice(pushesFirst: Bool) {
    let found = lost {
      $0.opens()
      $0.scenario.gets()
      $0.scenario.sets(item(Self.bob, "name='Bob'"))
      $0.scenario.receivesResult(item(Self.bob, "name='Robert'", groups: ["Friends", "Work"]))
      $0.takes(item(Self.bob, "name='Bob'"), pushesFirst: pushesFirst)
    }
    // The name was changed intentionally, but the groups were not.
    #expect(found == ["overwrote the groups “Friends”, “Work” of bob@example.test"])
  }

  @Test("A new device that sets groups removes the name") func nameLost() {
    let found = lost {
      $0.opens()
      $0.scenario.gets()
      $0.scenario.sets(item(Self.bob, groups: ["Friends"]))
      $0.scenario.receivesResult(item(Self.bob, "name='Robert'", groups: ["Friends"]))
      $0.takes(item(Self.bob, groups: ["Friends"]))
    }
    #expect(found == ["overwrote the name “Robert” of bob@example.test"])
  }

  /// What an old log, and its client, knows about bob; what the set contains; what the server has
  /// by then; what is lost.
  private static let edits: [(known: String, set: String, server: String, lost: String?)] = [
    // A rename keeps the known groups, which another device had changed.
    (
      bobItem("Bob", ["A"]), bobItem("Rob", ["A"]), bobItem("Bob", ["A", "X"]),
      "overwrote the group “X” of bob@example.test"
    ),
    (
      bobItem("Bob", ["A"]), bobItem("Rob", ["A"]), bobItem("Bob", []),
      "put bob@example.test back into “A”"
    ),
    // A change of groups keeps the known name.
    (
      bobItem("Bob", ["A"]), bobItem("Bob", ["B"]), bobItem("Robert", ["A"]),
      "overwrote the name “Robert” of bob@example.test"
    ),
    (
      bobItem("Bob", ["A"]), bobItem("Bob", ["A", "B"]), bobItem("Robert", ["C"]),
      "overwrote the name “Robert” and the group “C” of bob@example.test and put "
        + "bob@example.test back into “A”"
    ),
    (
      bobItem("Bob", ["A"]), bobItem("Bob", ["B"]), item(bob, groups: ["A"]),
      "gave bob@example.test a name again that it no longer had"
    ),
    // A field that no device had changed is changed intentionally.
    (bobItem("Bob", ["A"]), bobItem("Rob", ["A"]), bobItem("Bob", ["A"]), nil),
    (bobItem("Bob", ["A"]), bobItem("Bob", []), bobItem("Bob", ["A"]), nil),
    (bobItem("Bob", ["A"]), item(bob, groups: ["A"]), bobItem("Bob", ["A"]), nil),
    (bobItem("Bob", ["A"]), bobItem("Rob", ["C"]), bobItem("Bob", ["A"]), nil),
    // Both devices renamed the contact: the later name is what its user wants.
    (bobItem("Bob", ["A"]), bobItem("Rob", ["A"]), bobItem("Robert", ["A"]), nil),
    // Both devices made the same change.
    (bobItem("Bob", ["A"]), bobItem("Rob", ["A"]), bobItem("Rob", ["A"]), nil),
  ]

  @Test("A client with an outdated roster overwrites what another device has set")
  func olderRoster() {
    for (known, set, server, expected) in Self.edits {
      for pushesFirst in [false, true] {
        let found = lost {
          $0.opens()
          $0.scenario.fetches(known)
          $0.scenario.closed()
          $0.opens()
          $0.scenario.gets(id: "again")
          $0.scenario.sets(set)
          $0.scenario.receivesResult(server, id: "again")
          $0.takes(set, pushesFirst: pushesFirst)
        }
        #expect(found == (expected.map { [$0] } ?? []), "\(set) over \(server)")
      }
    }
  }

  @Test("A push before the set is processed shows what it replaces, without a result")
  func push() {
    let found = lost {
      $0.opens()
      $0.scenario.fetches(bobItem("Bob", ["A"]), version: "v1")
      $0.scenario.closed()
      $0.opens()
      $0.scenario.gets(id: "again", version: "v1")
      $0.scenario.sets(bobItem("Rob", ["A"]))
      // Only the pushes that follow (RFC 6121 §2.6.3).
      $0.scenario.receivesEmptyResult(id: "again")
      $0.scenario.pushed(bobItem("Bob", ["A", "X"]))
      $0.takes(bobItem("Rob", ["A"]))
    }
    #expect(found == ["overwrote the group “X” of bob@example.test"])
  }

  @Test("What the log shows of another device counts for a device that has seen nothing")
  func otherDevice() {
    let found = lost {
      $0.opens()
      $0.scenario.fetches(bobItem("Bob", ["A"]))
      $0.scenario.on(2) { scenario in
        scenario.opened("alice@example.test/tablet")
        scenario.sets(bobItem("Bob", []), id: "blind")
        scenario.pushed(bobItem("Bob", []))
        scenario.receivesEmptyResult(id: "blind")
      }
    }
    #expect(found == ["overwrote the group “A” of bob@example.test"])
  }

  /// The cases in which the roster is known or nothing is lost.
  private static let silent: [(String, @Sendable (inout Dialogue) -> Void)] = [
    (
      "the roster was answered",
      {
        $0.opens()
        $0.scenario.fetches(bobItem("Bob", ["A"]))
        $0.scenario.sets(bobItem("Bob", []))
        $0.takes(bobItem("Bob", []))
      }
    ),
    (
      "it was answered in the session that is resumed",
      {
        $0.opens()
        $0.scenario.fetches(bobItem("Bob", ["A"]))
        $0.scenario.lost()
        $0.scenario.resumed()
        $0.scenario.sets(bobItem("Bob", []))
        $0.takes(bobItem("Bob", []))
      }
    ),
    (
      "nothing had changed since what the client has",
      {
        $0.opens()
        $0.scenario.fetches(bobItem("Bob", ["A"]), version: "v1")
        $0.scenario.closed()
        $0.opens()
        $0.scenario.gets(id: "again", version: "v1")
        $0.scenario.receivesEmptyResult(id: "again")
        $0.scenario.sets(bobItem("Bob", []))
        $0.takes(bobItem("Bob", []))
      }
    ),
    (
      "the contact is new",
      {
        $0.opens()
        $0.scenario.gets()
        $0.scenario.sets(bobItem("Bob", ["A"]))
        $0.scenario.receivesResult(item("carol@example.test", groups: ["B"]))
        $0.takes(bobItem("Bob", ["A"]))
      }
    ),
    (
      "the server refused the set",
      {
        $0.opens()
        $0.scenario.gets()
        $0.scenario.sets(bobItem("Bob", []))
        $0.scenario.receivesResult(bobItem("Bob", ["A"]))
        $0.scenario.received("<iq id='set' type='error'/>")
      }
    ),
    (
      "the client names a version that the log does not have, and knows more than it",
      {
        $0.opens()
        $0.scenario.gets(version: "v7")
        $0.scenario.sets(bobItem("Bob", []))
        $0.scenario.receivesResult(bobItem("Bob", ["A"]))
        $0.takes(bobItem("Bob", []))
      }
    ),
    (
      "it names that after the set",
      {
        $0.opens()
        $0.scenario.sets(bobItem("Bob", []))
        $0.scenario.gets(version: "v7")
        $0.scenario.pushed(bobItem("Bob", ["A"]))
        $0.takes(bobItem("Bob", []))
      }
    ),
    (
      "the session was pushed the contact",
      {
        $0.opens()
        $0.scenario.gets()
        $0.scenario.pushed(bobItem("Bob", ["A"]))
        $0.scenario.sets(bobItem("Bob", []))
        $0.takes(bobItem("Bob", []))
      }
    ),
    (
      "it is the client's second set, made from its first",
      {
        $0.opens()
        $0.scenario.sets(bobItem("Bob", ["A"]), id: "first")
        $0.takes(bobItem("Bob", ["A"]), id: "first")
        $0.scenario.sets(bobItem("Bob", []))
        $0.takes(bobItem("Bob", []))
      }
    ),
    (
      "the log begins in mid-session",
      {
        $0.scenario.captureBegan("alice@example.test/phone")
        $0.scenario.pushed(bobItem("Bob", ["A"]))
        $0.scenario.sets(bobItem("Bob", []))
        $0.takes(bobItem("Bob", []))
      }
    ),
    (
      "it is a removal",
      {
        $0.opens()
        $0.scenario.gets()
        $0.scenario.sets(item(bob, "subscription='remove'"))
        $0.scenario.receivesResult(bobItem("Bob", ["A"]))
        $0.takes(item(bob, "subscription='remove'"))
      }
    ),
  ]

  @Test("A set whose client can know what it replaces causes no finding") func nothingFound() {
    for (reason, body) in Self.silent { #expect(lost(body).isEmpty, "\(reason)") }
  }

  @Test("One loss is one finding: no other finding reports it") func oneFinding() {
    for set in [item(Self.bob, "name='Rob'"), bobItem("Robert", [])] {
      var dialogue = Dialogue()
      dialogue.opens()
      dialogue.scenario.gets()
      dialogue.scenario.sets(set)
      dialogue.scenario.receivesResult(bobItem("Bob", ["A", "B"]))
      dialogue.takes(set)
      let about: Set<Finding.Code> = [.prematureSet, .groupsLost, .outdatedSet, .undoneEdit]
      #expect(dialogue.scenario.allCodes.filter { about.contains($0) } == [.prematureSet])
      let finding = dialogue.scenario.outcomes.flatMap(\.findings).last { $0.code == .prematureSet }
      #expect(finding?.cause == 3)
      #expect(finding?.record == dialogue.scenario.record)
    }
  }
}
