/// A piece of memory that texts are put into, one after the other.
///
/// It is appended to only by who alone refers to it: what copies of a table share is never written
/// again, so that one that was kept for hours on another thread still reads the same.
final class TextBlock: @unchecked Sendable {
  private let start: UnsafeMutableRawPointer
  private let capacity: Int
  /// How many bytes are there; all of them are initialised, and none after them.
  private(set) var count = 0

  /// A block of nothing.
  init(capacity: Int) {
    self.capacity = max(1, capacity)
    start = .allocate(byteCount: self.capacity, alignment: 8)
  }

  deinit { start.deallocate() }

  /// How many bytes there is room for.
  var room: Int { capacity - count }
  /// How large a block is that comes after this one.
  var nextCapacity: Int { min(2 * capacity, Self.mostCapacity) }
  /// Whether it is so small that it is copied rather than followed by another one.
  var isSmall: Bool { capacity <= Self.leastCapacity }

  static let leastCapacity = 512
  private static let mostCapacity = 32 << 10

  /// The same bytes, in memory of its own.
  func copy() -> TextBlock {
    let copy = TextBlock(capacity: capacity)
    copy.start.copyMemory(from: start, byteCount: count)
    copy.count = count
    return copy
  }

  /// Appends bytes; more than there is room for are not.
  func append(_ bytes: RawSpan) {
    guard bytes.byteCount <= room else { return }
    let end = start + count
    bytes.withUnsafeBytes { bytes in
      // There is room for them after the others.
      if let first = bytes.baseAddress { end.copyMemory(from: first, byteCount: bytes.count) }
    }
    count += bytes.byteCount
  }

  /// Where bytes are that were appended, as long as the block is.
  @inline(__always)
  func address(of offset: Int) -> UnsafeRawPointer { UnsafeRawPointer(start + offset) }
}
