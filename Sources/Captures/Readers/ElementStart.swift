import XMPPStanza

/// Finds where elements of streams begin in a text that may have been escaped on the way.
enum ElementStart {
  /// The notations of `<`: plain, and as escaped by web pages, JSON, programming languages, mails
  /// and URLs.
  private static let marks: [[UInt8]] = [
    "<", "&lt;", "&#60;", "&#x3c;", #"\u003c"#, #"\u003C"#, #"\x3c"#, #"\x3C"#, "=3C", "%3C",
  ].map { Array($0.utf8) }

  /// The number of bytes of a tag that are examined.
  private static let tagBytes = 512

  /// The index of the first element of a stream, or end of a stream, in a line; nil if there is
  /// none.
  static func position(in line: ArraySlice<UInt8>) -> Int? {
    marks.compactMap { position(in: line, marked: $0) }.min()
  }

  /// Whether any element of a stream begins in a text.
  static func occurs(in text: ArraySlice<UInt8>) -> Bool {
    marks.contains { position(in: text, marked: $0) != nil }
  }

  private static func position(in text: ArraySlice<UInt8>, marked mark: [UInt8]) -> Int? {
    var rest = text
    while let start = rest.position(of: mark) {
      let tag = rest[start...].dropFirst(mark.count)
      // One character rules out most other text.
      if let first = tag.first, first.isLetter || first == UInt8(ascii: "/"),
        isTag(mark.count == 1 ? rest[start...] : [UInt8(ascii: "<")] + tag.prefix(tagBytes))
      {
        return start
      }
      rest = tag
    }
    return nil
  }

  private static func isTag(_ tag: ArraySlice<UInt8>) -> Bool {
    if TopLevel.isStanza(tag) { return hasAttributes(tag) }
    // Programs write `<stream:stream>` in messages about a header, which itself has attributes.
    let header = Array("<stream:stream".utf8)
    if tag.starts(with: header) { return tag.dropFirst(header.count).first?.isXMLSpace ?? false }
    return PastedText.isBeginning(tag)
  }

  /// Whether the text after a name looks like attributes: programs also print `<iq from=None …>`.
  private static func hasAttributes(_ tag: ArraySlice<UInt8>) -> Bool {
    var rest = tag.dropFirst().drop { $0.isLetter }.withoutLeadingSpace
    guard let next = rest.first, next.isLetter else { return true }
    rest = rest.prefix(64).drop { $0 != UInt8(ascii: "=") }.dropFirst().withoutLeadingSpace
    // An escaped quote begins with one of the last three, as does the rest of an escaped `=`.
    return rest.first.map { "'\"\\&3%".utf8.contains($0) } ?? true
  }
}
