import TestSupport
import Testing

@testable import EventStore

@Suite("The entries of the contact index") struct ContactIndexTests {
  /// Lists of entries of which each is a hash above the number of a record.
  private static let lists: [[UInt64]] = {
    var random = SeededGenerator(seed: 5)
    let many = (0..<5000).map { _ in UInt64.random(in: .min ... .max, using: &random) }
    return [
      [], [7], many, many.sorted(), many.sorted().reversed(), many.map { $0 >> 8 },
      many.map { $0 | 0xFF << 56 }, many.map { $0 & 0xFFFF }, many.map { $0 & 0xFF << 56 },
      [.max, .min, .max, .min], (0..<3000).map { $0 % 3 << 16 | $0 },
    ]
  }()

  @Test("They are put in order whatever their hashes are", arguments: lists.indices)
  func sorted(_ index: Int) {
    var entries = Self.lists[index]
    ContactIndex.sort(&entries)
    #expect(entries == Self.lists[index].sorted())
  }
}
