import RosterCore
import TestSupport
import Testing

@Suite("Sets based on an older copy of a contact")
struct OutdatedSetTests {
  /// The set that the phone sends after the desktop has changed bob's name or groups, and what that
  /// set undoes.
  static let sets: [(desktop: String, phone: String, lost: String?)] = [
    (bobItem("Robert", ["A"]), bobItem("Bob", ["A", "B"]), "the name “Robert”"),
    (bobItem("Robert", ["A"]), bobItem("Bob", []), "the name “Robert”"),
    (bobItem("Bob", ["A", "B"]), bobItem("Rob", ["A"]), "the group “B”"),
    // Based on what the push showed.
    (bobItem("Robert", ["A"]), bobItem("Robert", ["A", "B"]), nil),
    (bobItem("Bob", ["A", "B"]), bobItem("Rob", ["A", "B"]), nil),
    // Only undoes the change, which its user may want.
    (bobItem("Robert", ["A"]), bobItem("Bob", ["A"]), nil),
    (bobItem("Robert", ["B"]), bobItem("Bob", ["A"]), nil),
    // Another edit of the same field.
    (bobItem("Robert", ["A"]), bobItem("Bobby", ["A"]), nil),
    // A removal is not based on a copy.
    (bobItem("Robert", ["A"]), item("bob@example.test", "subscription='remove'"), nil),
  ]

  @Test("Rule 10: a group that the other device had left is named as one that is put back")
  func returnedGroup() throws {
    var scenario = Scenario.alice(bobItem("Bob", ["A", "B"]))
    scenario.on(2) {
      $0.opened("alice@example.test/desktop")
      $0.sets(bobItem("Bob", ["A"]), id: "first")
      $0.pushed(bobItem("Bob", ["A"]))
      $0.receivesEmptyResult(id: "first")
    }
    scenario.sets(bobItem("Rob", ["A", "B"]), id: "second")
    let finding = try #require(scenario.last.findings.first { $0.code == .outdatedSet })
    #expect(
      finding.sentence.hasPrefix(
        "The set puts bob@example.test back into “B”, out of which desktop had taken it by the "
          + "set of record 5"))
  }

  @Test(
    "Rule 10: a set based on an older copy undoes another device's edit", arguments: sets)
  func outdated(_ desktop: String, _ phone: String, _ lost: String?) throws {
    for device in ["desktop", "phone"] {
      var scenario = Scenario.alice(bobItem("Bob", ["A"]))
      scenario.on(2) {
        $0.opened("alice@example.test/\(device)")
        $0.sets(desktop, id: "first")
        $0.pushed(desktop)
        $0.receivesEmptyResult(id: "first")
      }
      let findings = scenario.sets(phone, id: "second").findings.filter { $0.code == .outdatedSet }
      // A device that has connected again knows its own edits.
      let expected = device == "phone" ? nil : lost
      #expect(findings.count == (expected == nil ? 0 : 1))
      guard let expected, let finding = findings.first else { continue }
      #expect(finding.cause == 5)
      #expect(finding.sentence.contains("takes back \(expected) that desktop had given"))
    }
  }
}
