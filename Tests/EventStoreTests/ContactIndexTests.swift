import TestSupport
import Testing

@testable import EventStore

@Suite("The entries of the contact index") struct ContactIndexTests {
  /// Lists of entries; an entry has a hash in its upper bits and a record's number in the lower.
  private static let lists: [[UInt64]] = {
    var random = SeededGenerator(seed: 5)
    let large = (0..<5000).map { _ in UInt64.random(in: .min ... .max, using: &random) }
    return [
      [], [7], large, large.sorted(), large.sorted().reversed(), large.map { $0 >> 8 },
      large.map { $0 | 0xFF << 56 }, large.map { $0 & 0xFFFF }, large.map { $0 & 0xFF << 56 },
      [.max, .min, .max, .min], (0..<3000).map { $0 % 3 << 16 | $0 },
    ]
  }()

  @Test("Entries are sorted correctly, whatever their hashes", arguments: lists.indices)
  func sorted(_ index: Int) {
    var entries = Self.lists[index]
    ContactIndex.sort(&entries)
    #expect(entries == Self.lists[index].sorted())
  }
}
