/// A block of memory to which texts are appended.
///
/// Appended to only while uniquely referenced. Shared bytes are never written again, so a copy that
/// another thread has kept for hours still reads the same.
final class TextBlock: @unchecked Sendable {
  private let start: UnsafeMutableRawPointer
  private let capacity: Int
  /// The number of bytes in use, all of them initialized.
  private(set) var count = 0

  /// An empty block.
  init(capacity: Int) {
    self.capacity = max(1, capacity)
    start = .allocate(byteCount: self.capacity, alignment: 8)
  }

  deinit { start.deallocate() }

  /// The number of free bytes.
  var room: Int { capacity - count }
  /// The capacity of the block that follows this one.
  var nextCapacity: Int { min(2 * capacity, Self.mostCapacity) }
  /// Whether the block is small enough to be copied instead of being followed by another one.
  var isSmall: Bool { capacity <= Self.leastCapacity }

  static let leastCapacity = 512
  private static let mostCapacity = 32 << 10

  /// A copy with the same bytes.
  func copy() -> TextBlock {
    let copy = TextBlock(capacity: capacity)
    copy.start.copyMemory(from: start, byteCount: count)
    copy.count = count
    return copy
  }

  /// Appends bytes if they fit; otherwise does nothing.
  func append(_ bytes: RawSpan) {
    guard bytes.byteCount <= room else { return }
    let end = start + count
    bytes.withUnsafeBytes { bytes in
      // The guard above has checked that they fit.
      if let first = bytes.baseAddress { end.copyMemory(from: first, byteCount: bytes.count) }
    }
    count += bytes.byteCount
  }

  /// The address of appended bytes, valid as long as the block.
  @inline(__always)
  func address(of offset: Int) -> UnsafeRawPointer { UnsafeRawPointer(start + offset) }
}
