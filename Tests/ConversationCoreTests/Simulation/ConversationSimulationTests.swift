import TestSupport
import Testing

/// Random lives of messages between two servers, several devices and those who lie, against what
/// really happened. `ROLLCALL_SEEDS=0-9999` tries other seeds.
@Suite("Conversations of a simulated account")
struct ConversationSimulationTests {
  /// Seeds in which a resumption delivers a message without ids again after the archive has shown
  /// it: it is shown twice.
  private static let open: Set<UInt64> = [214, 236]

  @Test("Each message is shown once, as what the log shows of it says")
  func simulation() {
    for seed in Seeds.chosen(or: 0...299) {
      var world = SimulatedWorld(seed: seed)
      world.play(20 + Int(seed % 60))
      let differences = Comparison(world).differences
      withKnownIssue("A redelivery of what the archive has shown is not recognized without ids") {
        #expect(differences.isEmpty, "ROLLCALL_SEEDS=\(seed)-\(seed): \(differences)")
      } when: {
        Self.open.contains(seed)
      }
    }
  }
}
