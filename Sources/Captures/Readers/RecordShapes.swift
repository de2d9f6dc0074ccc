/// How the records of a log are formatted, where the program's user chose it.
///
/// The first record says how, and so does the second if one of both is formatted as the end of the
/// other: where an excerpt begins, a line may be cut off, or have something put before it. Another
/// run of the program, which begins with a stream header, may be formatted differently; a line
/// formatted unlike those before it is a message that quotes one.
struct RecordShapes {
  private var known: Set<[UInt8]> = []
  /// The shape of the first record, while there is no other.
  private var first: [UInt8]?

  static let message = """
    the line is formatted unlike the log's records before it: it is taken for a message that \
    quotes one
    """

  /// Whether a record of this shape is one of the log's.
  mutating func admits(_ shape: [UInt8], beginsStream: Bool) -> Bool {
    let previous = first
    first = known.isEmpty ? shape : nil
    guard !known.contains(shape) else { return true }
    let isSame = previous.map { Self.isEnd(shape, of: $0) || Self.isEnd($0, of: shape) } ?? false
    guard known.isEmpty || beginsStream || isSame else { return false }
    known.insert(shape)
    return true
  }

  private static func isEnd(_ end: [UInt8], of shape: [UInt8]) -> Bool {
    !end.isEmpty && shape[...].ends(with: end)
  }

  /// Whether a record of this shape has been admitted.
  func contains(_ shape: [UInt8]) -> Bool { known.contains(shape) }
}
