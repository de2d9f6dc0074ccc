import XMPPStanza

// The beginnings and ends of records on lines with several records, in a log of chunks.
extension ChunkLog {
  /// The maximum length of a head on the rest of a line, so that a long line of many records is
  /// examined only once.
  private static let maximumHead = 4 << 10

  /// The first head on a line. If line ends were lost, the log's description may find a later head,
  /// after the payload of the first.
  func firstHead(on line: ArraySlice<UInt8>) -> Head? {
    guard var found = head(line) else { return nil }
    // A decoded payload is not a slice of the line.
    while found.payload.endIndex == line.endIndex, found.payload.startIndex > line.startIndex {
      let start = found.payload.startIndex
      // Without the end of the head that was found.
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

  /// The head at the beginning of the rest of a line; nil if an element comes before its payload.
  ///
  /// - Parameter suffix: The text that the program writes after each payload.
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
  /// The length of the part of a line that is tried first.
  private static let firstPart = 4 << 10

  /// The end of the literal on a long line; nil if the line is short or has no other text after it.
  ///
  /// Longer and longer parts of the line are tried, so that a line of many records is examined only
  /// once.
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

  /// The end of the literal at the beginning of a text.
  ///
  /// - Parameter count: The number of bytes of the literal. Each of them takes at least one byte in
  ///   the text.
  static func end(
    in text: ArraySlice<UInt8>, of count: Int, _ decode: (ArraySlice<UInt8>) -> Literal
  ) -> Int {
    func isWhole(_ end: Int) -> Bool {
      guard case .complete(let bytes) = decode(text[..<end]) else { return false }
      return bytes.count == count
    }
    // Most have only their own marks, `<<"">>`.
    guard text.count - count > 6, isWhole(text.endIndex - 1) else { return text.endIndex }
    var (before, end) = (text.startIndex + count, text.endIndex - 1)
    while end - before > 1 {
      let middle = before + (end - before) / 2
      if isWhole(middle) { end = middle } else { before = middle }
    }
    return end
  }
}
