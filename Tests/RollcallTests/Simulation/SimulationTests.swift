import Foundation
import Testing

/// Recorders, importers, readers and crashes in an order given by a seed.
@Suite("Simulated use of a log") struct SimulationTests {
  /// Set `ROLLCALL_SEEDS=1000-4999` to try others.
  private static let seeds: [UInt64] = {
    let given = ProcessInfo.processInfo.environment["ROLLCALL_SEEDS"]
    let bounds = given?.split(separator: "-").compactMap { UInt64($0) } ?? []
    guard let first = bounds.first, let last = bounds.last, first <= last else {
      return Array(0..<200) + [1829]
    }
    return Array(first...last)
  }()

  @Test(
    "Acknowledged records are in the log, in order and once, whatever happens",
    arguments: 0..<UInt64(4))
  func interleavings(share: UInt64) {
    for seed in Self.seeds where seed % 4 == share { simulate(seed) }
  }

  /// Reports the seed of a failure.
  private func simulate(_ seed: UInt64, steps: Int = 40) {
    var steps = steps
    do {
      var simulation = try Simulation(seed: seed)
      do {
        try simulation.run(steps: steps)
      } catch {
        steps = simulation.trace.count
        let trace = simulation.trace.joined(separator: ", ")
        Issue.record("ROLLCALL_SEEDS=\(seed): \(error); after \(steps) steps: \(trace)")
      }
    } catch {
      Issue.record("ROLLCALL_SEEDS=\(seed): \(error)")
    }
  }
}
