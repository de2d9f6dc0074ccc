import TestSupport
import Testing

/// Random lives of messages between two servers, several devices and those who lie, against what
/// really happened. `ROLLCALL_SEEDS=0-9999` tries other seeds.
@Suite("Conversations of a simulated account")
struct ConversationSimulationTests {
  @Test("Each message is shown once, as what the log shows of it says")
  func simulation() {
    for seed in Seeds.chosen(or: 0...299) {
      var world = SimulatedWorld(seed: seed)
      world.play(20 + Int(seed % 60))
      let differences = Comparison(world).differences
      #expect(differences.isEmpty, "ROLLCALL_SEEDS=\(seed)-\(seed): \(differences)")
    }
  }
}
