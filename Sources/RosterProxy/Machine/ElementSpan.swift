/// Where an element and those within it lie in its bytes, to take one out and leave all others as
/// they are.
///
/// The bytes are those of an element that a parser has taken: this finds tags, and judges nothing.
struct ElementSpan: Hashable {
  /// From its `<` to its last `>`.
  var whole: Range<Int>
  var startTag: Range<Int>
  /// The range between its tags.
  var content: Range<Int>
  var children: [ElementSpan] = []

  /// - Parameter bytes: An element, and perhaps something before and after it.
  /// - Returns: Nil where there is no whole element.
  init?(_ bytes: [UInt8]) {
    var open: [ElementSpan] = []
    var position = 0
    while let tag = Tag(in: bytes, from: position) {
      position = tag.range.upperBound
      switch tag.kind {
      case .other: continue
      case .start:
        open.append(ElementSpan(startingWith: tag.range))
        continue
      case .empty: open.append(ElementSpan(startingWith: tag.range))
      case .end:
        guard let last = open.indices.last else { return nil }
        open[last].content = open[last].content.lowerBound..<tag.range.lowerBound
        open[last].whole = open[last].whole.lowerBound..<tag.range.upperBound
      }
      guard let done = open.popLast() else { return nil }
      guard let parent = open.indices.last else {
        self = done
        return
      }
      open[parent].children.append(done)
    }
    return nil
  }

  private init(startingWith tag: Range<Int>) {
    (whole, startTag, content) = (tag, tag, tag.upperBound..<tag.upperBound)
  }

  /// The attribute of this name in the start tag, with the white space before it; nil where there
  /// is none.
  func attribute(_ name: StaticString, in bytes: [UInt8]) -> Range<Int>? {
    let tag = bytes[startTag]
    var rest = tag
    while let space = rest.firstIndex(where: { $0.isSpace }) {
      guard let begin = tag[space...].firstIndex(where: { !$0.isSpace }),
        let equals = tag[begin...].firstIndex(of: UInt8(ascii: "=")),
        let opening = tag[equals...].firstIndex(where: { $0.isQuote }),
        let closing = tag[(opening + 1)...].firstIndex(of: tag[opening])
      else { return nil }
      let found = tag[begin..<equals].prefix { !$0.isSpace }
      if found.elementsEqual(name.withUTF8Buffer { Array($0) }) { return space..<(closing + 1) }
      rest = tag[(closing + 1)...]
    }
    return nil
  }
}

/// The bytes that are kept if ranges of them are cut out.
struct ByteCuts: Hashable {
  /// What is kept, in order: no byte is in two of them.
  private(set) var kept: [Range<Int>] = []
  private let count: Int

  /// Complexity: O(n log n) in the number of cuts. Copying what is kept is linear in the bytes,
  /// however many cuts there are.
  ///
  /// - Parameters:
  ///   - count: How many bytes there are.
  ///   - cuts: What is cut out, in any order; of two that overlap, both are.
  init(of count: Int, _ cuts: [Range<Int>]) {
    self.count = count
    var position = 0
    for cut in cuts.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if cut.lowerBound > position { kept.append(position..<cut.lowerBound) }
      position = max(position, cut.upperBound)
    }
    if position < count { kept.append(position..<count) }
  }

  /// The bytes that are kept.
  ///
  /// - Parameters:
  ///   - replacement: What is put at `place`.
  ///   - place: The offset at which a cut begins; nil if nothing is put in.
  func applied(to bytes: [UInt8], putting replacement: [UInt8], at place: Int?) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(count + replacement.count)
    var isPut = place == nil
    for range in kept {
      if let place, !isPut, range.lowerBound > place {
        result += replacement
        isPut = true
      }
      result += bytes[range]
    }
    return isPut ? result : result + replacement
  }
}

private struct Tag {
  enum Kind {
    case start, end, empty
    /// A CDATA section, or an XML declaration.
    case other
  }

  let kind: Kind
  let range: Range<Int>

  /// The next tag; nil where there is none, or not all of it.
  init?(in bytes: [UInt8], from index: Int) {
    guard let start = bytes[index...].firstIndex(of: UInt8(ascii: "<")), start + 1 < bytes.count
    else { return nil }
    let end: Int?
    switch bytes[start + 1] {
    case UInt8(ascii: "!"): (kind, end) = (.other, Self.end(of: "]]>", in: bytes, from: start))
    case UInt8(ascii: "?"): (kind, end) = (.other, Self.end(of: "?>", in: bytes, from: start))
    case UInt8(ascii: "/"): (kind, end) = (.end, Self.end(of: ">", in: bytes, from: start))
    default:
      end = Self.endOfStartTag(in: bytes, from: start)
      let isEmpty = end.map { bytes[$0 - 2] == UInt8(ascii: "/") } ?? false
      kind = isEmpty ? .empty : .start
    }
    guard let end else { return nil }
    range = start..<end
  }

  private static func end(of mark: StaticString, in bytes: [UInt8], from start: Int) -> Int? {
    let mark = mark.withUTF8Buffer { Array($0) }
    var position = start
    while position + mark.count <= bytes.count {
      if bytes[position..<(position + mark.count)].elementsEqual(mark) {
        return position + mark.count
      }
      position += 1
    }
    return nil
  }

  /// A `>` within a value does not end it.
  private static func endOfStartTag(in bytes: [UInt8], from start: Int) -> Int? {
    var quote: UInt8?
    for position in start..<bytes.count {
      let byte = bytes[position]
      if let open = quote {
        if byte == open { quote = nil }
      } else if byte.isQuote {
        quote = byte
      } else if byte == UInt8(ascii: ">") {
        return position + 1
      }
    }
    return nil
  }
}

extension UInt8 {
  fileprivate var isSpace: Bool { self == 0x20 || (0x09...0x0A).contains(self) || self == 0x0D }
  fileprivate var isQuote: Bool { self == UInt8(ascii: "\"") || self == UInt8(ascii: "'") }
}
