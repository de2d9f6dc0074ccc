/// How the records of a log are formatted, where the program's user chose it.
///
/// The first record says how. Another run of the program, which begins with a stream header, may
/// be formatted differently; a line formatted unlike those before it is a message that quotes one.
struct RecordShapes {
  private var known: Set<[UInt8]> = []

  static let message = """
    the line is formatted unlike the log's records before it: it is taken for a message that \
    quotes one
    """

  /// Whether a record of this shape is one of the log's.
  mutating func admits(_ shape: [UInt8], beginsStream: Bool) -> Bool {
    guard !known.contains(shape) else { return true }
    guard known.isEmpty || beginsStream else { return false }
    known.insert(shape)
    return true
  }

  /// Whether a record of this shape has been admitted.
  func contains(_ shape: [UInt8]) -> Bool { known.contains(shape) }
}
