/// Cuts the bytes of a file into lines, however they arrive.
///
/// A line ends with a line feed, with or without a carriage return before it, or with the file. A
/// byte-order mark at the start of the file is no part of the first line. A line that is too long
/// is dropped, and said to be.
struct LineSplitter {
  private let maximumBytes: Int
  /// The beginning of the line whose end has not come yet.
  private var carry: [UInt8] = []
  private var number = 0
  private var isDropping = false

  /// One line without its end; nil bytes for one that was too long.
  typealias Line = (number: Int, bytes: ArraySlice<UInt8>?)

  init(maximumBytes: Int) {
    self.maximumBytes = maximumBytes
  }

  mutating func read(_ chunk: [UInt8], _ take: (Line) throws -> Void) rethrows {
    var rest = chunk[...]
    while let end = rest.position(of: UInt8(ascii: "\n")) {
      let piece = rest[..<end]
      rest = rest[(end + 1)...]
      if carry.isEmpty && !isDropping {
        try finishLine(piece, take)
      } else {
        keep(piece)
        try finishCarry(take)
      }
    }
    keep(rest)
  }

  /// Gives the last line, where the file does not end with a line end.
  mutating func finish(_ take: (Line) throws -> Void) rethrows {
    guard !carry.isEmpty || isDropping else { return }
    try finishCarry(take)
  }

  private mutating func keep(_ piece: ArraySlice<UInt8>) {
    guard !isDropping else { return }
    guard carry.count + piece.count <= maximumBytes else {
      isDropping = true
      carry = []
      return
    }
    carry += piece
  }

  private mutating func finishCarry(_ take: (Line) throws -> Void) rethrows {
    guard !isDropping else {
      isDropping = false
      number += 1
      return try take((number, nil))
    }
    let whole = carry
    carry.removeAll(keepingCapacity: true)
    try finishLine(whole[...], take)
  }

  private mutating func finishLine(
    _ bytes: ArraySlice<UInt8>, _ take: (Line) throws -> Void
  ) rethrows {
    number += 1
    guard bytes.count <= maximumBytes else { return try take((number, nil)) }
    var line = bytes
    if number == 1, line.starts(with: [0xEF, 0xBB, 0xBF]) { line = line.dropFirst(3) }
    if line.last == UInt8(ascii: "\r") { line = line.dropLast() }
    try take((number, line))
  }
}
