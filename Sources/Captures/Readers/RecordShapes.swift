/// The formats of the records of a log whose program lets its user choose one.
///
/// The format of the first record is accepted, and also that of the second if one of the two is the
/// end of the other: at the beginning of an excerpt, a line may be cut off or have text before it.
/// Another run of the program, which begins with a stream header, may have another format. Any
/// other line with a new format is a message that quotes a record.
struct RecordShapes {
  private var known: Set<[UInt8]> = []
  /// The shape of the first record, until there is a second one.
  private var first: [UInt8]?

  static let message = """
    the line is formatted unlike the log's records before it: it is taken for a message that \
    quotes one
    """

  /// Whether a record of this shape belongs to the log.
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
