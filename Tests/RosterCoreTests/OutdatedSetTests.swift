import RosterCore
import TestSupport
import Testing

@Suite("Sets that are made from an older copy of a contact")
struct OutdatedSetTests {
  /// What the phone sends after the desktop has changed bob's name or groups, and what that takes
  /// back.
  static let sets: [(desktop: String, phone: String, lost: String?)] = [
    (bobItem("Robert", ["A"]), bobItem("Bob", ["A", "B"]), "the name “Robert”"),
    (bobItem("Robert", ["A"]), bobItem("Bob", []), "the name “Robert”"),
    (bobItem("Bob", ["A", "B"]), bobItem("Rob", ["A"]), "the groups “A”, “B”"),
    // Made from what the push showed.
    (bobItem("Robert", ["A"]), bobItem("Robert", ["A", "B"]), nil),
    (bobItem("Bob", ["A", "B"]), bobItem("Rob", ["A", "B"]), nil),
    // Taken back, and nothing else: its user may want that.
    (bobItem("Robert", ["A"]), bobItem("Bob", ["A"]), nil),
    (bobItem("Robert", ["B"]), bobItem("Bob", ["A"]), nil),
    // Another edit of the same.
    (bobItem("Robert", ["A"]), bobItem("Bobby", ["A"]), nil),
    // A removal has no older copy.
    (bobItem("Robert", ["A"]), item("bob@example.test", "subscription='remove'"), nil),
  ]

  @Test(
    "Rule 10: a set made from an older copy takes another device's edit back", arguments: sets)
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
