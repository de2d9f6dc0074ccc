import RawBytes

/// What a page of LMDB's says. Whatever is in it, reading it does no harm.
struct Page {
  static let headerBytes = 16
  private static let nodeHeaderBytes = 8

  enum Kind: UInt16 {
    case branch = 1
    case leaf = 2
    case overflow = 4
  }

  /// An entry of a leaf page, or a way down from a branch page.
  struct Node {
    var key: Range<Int>
    /// The page below, of a branch page's node.
    var child: UInt64
    /// The value's place in the page; that of a page number where it lies in pages of its own.
    var value: Range<Int>
    /// The value's length.
    var size: Int
    /// The first of the value's own pages.
    var overflow: UInt64?
    /// Whether the value is the root of a database.
    var isDatabase: Bool
    /// What the node takes in the page.
    var span: Range<Int>
  }

  let number: UInt64
  let bytes: [UInt8]

  /// The number that the page gives itself.
  var ownNumber: UInt64 { load(0, as: UInt64.self) }
  /// Nil where the page's flags are those of no page that is part of a tree.
  var kind: Kind? { Kind(rawValue: load(10, as: UInt16.self)) }
  /// How many pages an overflow page is the first of.
  var overflowCount: UInt64 { UInt64(load(12, as: UInt32.self)) }
  private var lower: Int { Int(load(12, as: UInt16.self)) }
  private var upper: Int { Int(load(14, as: UInt16.self)) }

  /// How many nodes the page says it has; nil where that cannot be.
  var nodeCount: Int? {
    guard lower >= Self.headerBytes, lower % 2 == 0, lower <= upper, upper <= bytes.count else {
      return nil
    }
    return (lower - Self.headerBytes) / 2
  }

  /// A node; nil where it does not lie within the page.
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

  /// Whether the nodes lie side by side and fill the page from their first byte to its end, as
  /// LMDB keeps them.
  func isFilled(by nodes: [Node]) -> Bool {
    var next = upper
    for span in nodes.map(\.span).sorted(by: { $0.lowerBound < $1.lowerBound }) {
      guard span.lowerBound == next else { return false }
      next = span.upperBound
    }
    return next == bytes.count
  }

  /// An integer at a place that the caller has checked.
  private func load<Integer: FixedWidthInteger & BitwiseCopyable>(
    _ offset: Int, as type: Integer.Type
  ) -> Integer {
    bytes.span.bytes.littleEndian(at: offset)
  }
}
