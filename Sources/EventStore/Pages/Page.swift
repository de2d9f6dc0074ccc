import RawBytes

/// A page of LMDB, which is safe to parse even if it is damaged.
struct Page {
  static let headerBytes = 16
  private static let nodeHeaderBytes = 8

  enum Kind: UInt16 {
    case branch = 1
    case leaf = 2
    case overflow = 4
  }

  /// An entry of a leaf page, or a link from a branch page to a page below.
  struct Node {
    var key: Range<Int>
    /// The page below, for a node of a branch page.
    var child: UInt64
    /// The bytes of the value in the page, or those of the number of its overflow page.
    var value: Range<Int>
    /// The value's length.
    var size: Int
    /// The value's first overflow page; nil if the value is in this page.
    var overflow: UInt64?
    /// Whether the value is the root of a database.
    var isDatabase: Bool
    /// The bytes of the whole node in the page.
    var span: Range<Int>
  }

  let number: UInt64
  let bytes: [UInt8]

  /// The page number in the page's header.
  var ownNumber: UInt64 { load(0, as: UInt64.self) }
  /// Nil if the flags are not those of a page in a tree.
  var kind: Kind? { Kind(rawValue: load(10, as: UInt16.self)) }
  /// The number of pages of a long value, of which this is the first one.
  var overflowCount: UInt64 { UInt64(load(12, as: UInt32.self)) }
  private var lower: Int { Int(load(12, as: UInt16.self)) }
  private var upper: Int { Int(load(14, as: UInt16.self)) }

  /// The number of nodes according to the header; nil if that is impossible.
  var nodeCount: Int? {
    guard lower >= Self.headerBytes, lower % 2 == 0, lower <= upper, upper <= bytes.count else {
      return nil
    }
    return (lower - Self.headerBytes) / 2
  }

  /// A node; nil if it is not entirely within the page.
  func node(_ index: Int) -> Node? {
    let start = Int(load(Self.headerBytes + 2 * index, as: UInt16.self))
    guard start >= upper, start + Self.nodeHeaderBytes <= bytes.count else { return nil }
    let low = UInt64(load(start, as: UInt16.self))
    let high = UInt64(load(start + 2, as: UInt16.self))
    let flags = load(start + 4, as: UInt16.self)
    let keyStart = start + Self.nodeHeaderBytes
    let keyEnd = keyStart + Int(load(start + 6, as: UInt16.self))
    guard keyEnd <= bytes.count else { return nil }
    guard kind == .leaf else {
      return Node(
        key: keyStart..<keyEnd, child: low | high << 16 | UInt64(flags) << 32,
        value: keyEnd..<keyEnd, size: 0, overflow: nil, isDatabase: false,
        span: start..<keyEnd + keyEnd % 2)
    }
    let size = Int(low | high << 16)
    guard let flags = NodeFlags(rawValue: flags) else { return nil }
    let valueEnd = keyEnd + (flags == .overflow ? 8 : size)
    guard valueEnd <= bytes.count else { return nil }
    return Node(
      key: keyStart..<keyEnd, child: 0, value: keyEnd..<valueEnd, size: size,
      overflow: flags == .overflow ? load(keyEnd, as: UInt64.self) : nil,
      isDatabase: flags == .database, span: start..<valueEnd + valueEnd % 2)
  }

  private enum NodeFlags: UInt16 {
    case plain = 0
    case overflow = 1
    case database = 2
  }

  /// Whether the nodes fill the page up to its end without gaps, as LMDB keeps them.
  func isFilled(by nodes: [Node]) -> Bool {
    var next = upper
    for span in nodes.map(\.span).sorted(by: { $0.lowerBound < $1.lowerBound }) {
      guard span.lowerBound == next else { return false }
      next = span.upperBound
    }
    return next == bytes.count
  }

  /// Loads an integer; the caller has checked the offset.
  private func load<Integer: FixedWidthInteger & BitwiseCopyable>(
    _ offset: Int, as type: Integer.Type
  ) -> Integer {
    bytes.span.bytes.littleEndian(at: offset)
  }
}
