import XMPPStanza

// Where records of a log of chunks begin and end on lines that have several of them.
extension ChunkLog {
  /// How much of the rest of a line may be a head, so that a long line of many records is gone over
  /// once.
  private static let maximumHead = 4 << 10

  /// The first head on a line. Where the ends of lines have been lost, the log's description may
  /// find a later one, behind the payload of the first.
  func firstHead(on line: ArraySlice<UInt8>) -> Head? {
    guard var found = head(line) else { return nil }
    // A payload that the description has decoded is no part of the line.
    while found.payload.endIndex == line.endIndex, found.payload.startIndex > line.startIndex {
      let start = found.payload.startIndex
      // The end of the head that was found is cut off.
      let before = line[..<(start - 1)]
      guard var earlier = head(before), earlier.payload.endIndex == before.endIndex,
        earlier.payload.startIndex >= line.startIndex,
        earlier.payload.contains(UInt8(ascii: "<"))
      else { break }
      earlier.payload = line[earlier.payload.startIndex...]
      found = earlier
    }
    return found
  }

  /// The head that the rest of a line begins with, if no element stands before its payload.
  ///
  /// - Parameter suffix: What the program writes behind each payload.
  func firstHead(ofRest text: ArraySlice<UInt8>, _ suffix: [UInt8]) -> Head? {
    var rest = text.withoutLeadingSpace
    if !suffix.isEmpty, rest.starts(with: suffix) {
      rest = rest.dropFirst(suffix.count).withoutLeadingSpace
    }
    let start = rest.prefix(Self.maximumHead)
    guard var head = firstHead(on: start) else { return nil }
    let payload = head.payload
    guard !payload.isEmpty, payload.startIndex >= start.startIndex,
      payload.endIndex == start.endIndex, payload.elementsEqual(start[payload.startIndex...]),
      ElementStart.position(in: start[..<payload.startIndex]) == nil
    else { return nil }
    head.payload = rest[payload.startIndex...]
    guard case .verbatim = self.payload else { return head }
    return payload.withoutLeadingSpace.first == UInt8(ascii: "<") ? head : nil
  }
}

extension Literal {
  /// How much of a line is looked at first.
  private static let firstPart = 4 << 10

  /// Where the literal ends that a long line has; nil where the line is short, or has no other text
  /// behind it. It is looked for in more and more of the line, so that one of many records is gone
  /// over once.
  static func end(
    onLongLine text: ArraySlice<UInt8>, _ decode: (ArraySlice<UInt8>) -> Literal
  ) -> Int? {
    var size = firstPart
    while size < text.count {
      let part = text.prefix(size)
      if case .complete(let bytes) = decode(part) {
        let end = Self.end(in: part, of: bytes.count, decode)
        if end < part.endIndex { return end }
      }
      size *= 2
    }
    return nil
  }

  /// Where the literal ends that a text begins with.
  ///
  /// - Parameter count: How many bytes it stands for, each of which is written as one at least.
  static func end(
    in text: ArraySlice<UInt8>, of count: Int, _ decode: (ArraySlice<UInt8>) -> Literal
  ) -> Int {
    func isWhole(_ end: Int) -> Bool {
      guard case .complete(let bytes) = decode(text[..<end]) else { return false }
      return bytes.count == count
    }
    // Most have no more than their own marks, `<<"">>`.
    guard text.count - count > 6, isWhole(text.endIndex - 1) else { return text.endIndex }
    var (before, end) = (text.startIndex + count, text.endIndex - 1)
    while end - before > 1 {
      let middle = before + (end - before) / 2
      if isWhole(middle) { end = middle } else { before = middle }
    }
    return end
  }
}
