import Foundation
import Testing

/// Two devices of an account that send commands at any moment, over networks that are slow, break,
/// and lose sessions.
///
/// A roster set replaces the whole item, and no server compares it with what its sender knew. So
/// two sets for one contact that cross can undo each other: if one device changes the name while
/// the other changes the groups, either change may be lost. What neither of them changed must
/// survive.
@Suite("Two devices of one account") struct TwoDeviceTests {
  /// Set `ROLLCALL_SEEDS=0-999` to try others.
  private static let seeds: ClosedRange<UInt64> = {
    let given = ProcessInfo.processInfo.environment["ROLLCALL_SEEDS"]
    let bounds = given?.split(separator: "-").compactMap { UInt64($0) } ?? []
    guard let first = bounds.first, let last = bounds.last, first <= last else { return 0...299 }
    return first...last
  }()

  @Test(
    "A name or group that neither device changed is still there", arguments: ServerRules.allCases)
  func unchanged(_ rules: ServerRules) throws {
    var sets = 0
    for seed in Self.seeds {
      var account = try SharedAccount(rules, seed: seed)
      for _ in 0..<120 { try account.step() }
      try account.settle()
      let lost = account.lost
      #expect(lost.isEmpty, "ROLLCALL_SEEDS=\(seed)-\(seed), \(rules): \(lost)")
      let differences = account.differences
      #expect(differences.isEmpty, "ROLLCALL_SEEDS=\(seed)-\(seed), \(rules): \(differences)")
      sets += account.sets
    }
    // The devices really sent sets.
    #expect(sets > 5 * Self.seeds.count, "\(sets) sets")
  }

  @Test(
    "What one device does alone has the requested result, without waiting for pushes",
    arguments: ServerRules.allCases)
  func alone(_ rules: ServerRules) throws {
    for seed in Self.seeds {
      var account = try SharedAccount(rules, seed: seed, isAlone: true)
      for _ in 0..<80 { try account.step() }
      try account.settle()
      let found = account.items
      #expect(
        found == account.wanted, "ROLLCALL_SEEDS=\(seed)-\(seed), \(rules): \(account.commands)")
    }
  }
}
