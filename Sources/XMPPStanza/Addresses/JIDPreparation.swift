import CShims
import Foundation
import RawBytes

/// Prepares bare addresses: converts them to the form in which addresses are compared.
enum JIDPreparation {
  static func prepare(_ text: String) throws(JIDError) -> String {
    if let simple = try prepareSimple(text) { return simple }
    return try prepareByAllRules(text)
  }

  /// Prepares an address by all rules, which few addresses need.
  static func prepareByAllRules(_ text: String) throws(JIDError) -> String {
    let at = text.utf8.firstIndex(of: UInt8(ascii: "@"))
    let domainStart = at.map { text.utf8.index(after: $0) } ?? text.startIndex
    let domain = try prepareDomain(text[domainStart...])
    guard let at else { return domain }
    return try prepareLocal(text[..<at]) + "@" + domain
  }

  /// The parts of a full or bare address that is already prepared, as nearly all are.
  ///
  /// Nil for any other address, and for an invalid one.
  @_lifetime(copy bytes)
  static func prepared(_ bytes: RawSpan) -> PreparedAddress? {
    guard let parts = SimpleParts(bytes), !parts.needsLowering,
      max(parts.localCount, parts.domainCount) <= JIDLimit.partBytes
    else { return nil }
    let bare = bytes[0..<parts.bareCount]
    guard parts.bareCount < bytes.byteCount else {
      return PreparedAddress(bare: bare, resource: nil)
    }
    let resource = bytes[(parts.bareCount + 1)..<bytes.byteCount]
    guard (1...JIDLimit.partBytes).contains(resource.byteCount) else { return nil }
    return PreparedAddress(bare: bare, resource: resource)
  }

  /// The fast path for an address that at most needs its ASCII letters lowercased.
  ///
  /// Nil if other letters may change, or if only the full rules can identify the error.
  private static func prepareSimple(_ text: String) throws(JIDError) -> String? {
    guard let parts = text.withUTF8Bytes({ SimpleParts($0) }), parts.bareCount == text.utf8.count
    else { return nil }
    guard parts.localCount <= JIDLimit.partBytes else { throw .tooLong(.local) }
    guard parts.domainCount <= JIDLimit.partBytes else { throw .tooLong(.domain) }
    return parts.needsLowering ? text.lowercased() : text
  }

  /// The parts of an address whose bare part contains only ASCII letters and digits, and letters of
  /// other scripts that preparation does not change.
  private struct SimpleParts {
    private(set) var localCount = 0
    private(set) var domainCount = 0
    /// The number of bytes up to the first `/`, or of all bytes.
    private(set) var bareCount = 0
    private(set) var needsLowering = false

    /// The index, from `start` on, of the first byte that is not always prepared already. Small
    /// letters, digits and `_` are, in any position.
    @inline(__always)
    private static func endOfPlain(_ bytes: RawSpan, from start: Int) -> Int {
      var index = start
      // Every index below is within the bytes.
      while index &+ 16 <= bytes.byteCount {
        let marks = bytes.marks(uncheckedAt: index) { rollcall_marks_in_address($0) }
        guard marks == 0 else { return index &+ marks.trailingZeroBitCount }
        index &+= 16
      }
      // The last sixteen bytes, some of which have been checked.
      if bytes.byteCount >= 16 {
        let last = bytes.byteCount &- 16
        let marks =
          bytes.marks(uncheckedAt: last) { rollcall_marks_in_address($0) }
          &>> UInt32(truncatingIfNeeded: index &- last)
        return marks == 0 ? bytes.byteCount : index &+ marks.trailingZeroBitCount
      }
      while index < bytes.byteCount, isPlain(bytes[unchecked: index]) { index &+= 1 }
      return index
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "_"):
        true
      default: false
      }
    }

    init?(_ bytes: RawSpan) {
      var hasLocal = false
      /// Whether no label precedes the byte at an index.
      func followsNoLabel(_ index: Int) -> Bool {
        index == 0 || bytes[index - 1] == UInt8(ascii: ".") || bytes[index - 1] == UInt8(ascii: "@")
      }
      var index = 0
      bare: while true {
        index = Self.endOfPlain(bytes, from: index)
        guard index < bytes.byteCount else { break }
        switch bytes[index] {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): needsLowering = true
        case UInt8(ascii: "@"):
          guard !hasLocal, index > 0 else { return nil }
          hasLocal = true
          localCount = index
        case UInt8(ascii: "."):
          // An empty label, if this is the domain.
          guard !followsNoLabel(index) else { return nil }
        case UInt8(ascii: "-"):
          // Possibly an A-label, which is compared as its U-label.
          guard index == 0 || bytes[index - 1] != UInt8(ascii: "-") else { return nil }
        case UInt8(ascii: "/"): break bare
        default:
          let letterBytes = bytes.settledLetterBytes(at: index)
          guard letterBytes > 0 else { return nil }
          index &+= letterBytes
          continue bare
        }
        index &+= 1
      }
      guard !followsNoLabel(index) else { return nil }
      bareCount = index
      domainCount = index - (hasLocal ? localCount + 1 : 0)
    }
  }

  private static func prepareLocal(_ part: Substring) throws(JIDError) -> String {
    guard !part.isEmpty else { throw .emptyLocal }
    guard part.utf8.count <= JIDLimit.partBytes else { throw .tooLong(.local) }
    let prepared = stable(String(part), fold: \.caseFolded)
    for scalar in prepared.unicodeScalars where !isAllowedInLocal(scalar) {
      throw .forbidden(scalar, .local)
    }
    guard prepared.utf8.count <= JIDLimit.partBytes else { throw .tooLong(.local) }
    return prepared
  }

  private static func prepareDomain(_ part: Substring) throws(JIDError) -> String {
    // Most domains are plain ASCII, whatever precedes them. Other domains take the full rules,
    // which tests compare with the fast path. An `@` in a domain would be mistaken for the end of a
    // local part.
    if part.utf8.allSatisfy({ $0 < 0x80 && $0 != UInt8(ascii: "@") }),
      let simple = try prepareSimple(String(part))
    {
      return simple
    }
    guard part.utf8.count <= JIDLimit.partBytes else { throw .tooLong(.domain) }
    var prepared = stable(String(part), fold: { $0.lowercased() })
    // RFC 5895 §2.3: the ideographic full stop separates labels as the full stop does. Its
    // half-width and full-width forms have already been folded.
    prepared = prepared.replacing("\u{3002}", with: ".")
    if prepared.hasSuffix(".") { prepared.removeLast() }
    guard !prepared.isEmpty else { throw .emptyDomain }
    let labels = prepared.split(separator: ".", omittingEmptySubsequences: false)
    guard labels.allSatisfy({ !$0.isEmpty }) else { throw .emptyDomain }
    prepared = labels.map { unicodeLabel($0) ?? String($0) }.joined(separator: ".")
    for scalar in prepared.unicodeScalars where !isAllowedInDomain(scalar) {
      throw .forbidden(scalar, .domain)
    }
    guard prepared.utf8.count <= JIDLimit.partBytes else { throw .tooLong(.domain) }
    return prepared
  }

  /// The U-label of an A-label (RFC 5890 §2.3.2.1). Nil if the decoded text is not a U-label: plain
  /// ASCII, or a text that preparation would change. Such a label is kept as it is.
  private static func unicodeLabel(_ label: Substring) -> String? {
    guard let decoded = Punycode.unicodeLabel(label), !decoded.utf8.allSatisfy({ $0 < 0x80 }),
      !decoded.hasPrefix("xn--"),
      stable(decoded, fold: { $0.lowercased() }).utf8.elementsEqual(decoded.utf8),
      decoded.unicodeScalars.allSatisfy({
        $0 != "." && $0 != "\u{3002}" && isAllowedInDomain($0)
      })
    else { return nil }
    return decoded
  }

  /// Folds width and case and normalizes to form C until the text no longer changes, so that
  /// preparing a prepared text has no effect. Two rounds are enough except for rare scalars.
  private static func stable(_ text: String, fold: (String) -> String) -> String {
    var current = text
    for _ in 0..<4 {
      let next = fold(widthFolded(current)).precomposedStringWithCanonicalMapping
      if next.unicodeScalars.elementsEqual(current.unicodeScalars) { break }
      current = next
    }
    return current
  }

  /// Replaces full-width and half-width forms by their equivalents (RFC 8265 §3.3.1, rule 1).
  private static func widthFolded(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: \.isWidthForm) else { return text }
    var folded = ""
    for scalar in text.unicodeScalars {
      let one = String(scalar)
      folded += scalar.isWidthForm ? one.precomposedStringWithCompatibilityMapping : one
    }
    return folded
  }

  /// Whether a scalar is allowed in a local part by RFC 7622 §3.3.1 and the classes that RFC 8264
  /// §9 forbids in every identifier.
  ///
  /// Symbols and unassigned code points are allowed: servers differ there, and a recorder must not
  /// drop a contact that its server keeps.
  private static func isAllowedInLocal(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "\"", "&", "'", "/", ":", "<", ">", "@": false
    default: isVisible(scalar)
    }
  }

  /// Whether a scalar is allowed in a domain, which may also be a bracketed address with colons.
  private static func isAllowedInDomain(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "\"", "&", "'", "/", "<", ">", "@": false
    default: isVisible(scalar)
    }
  }

  private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
    let properties = scalar.properties
    return !properties.isWhitespace && !properties.isDefaultIgnorableCodePoint
      && !properties.isNoncharacterCodePoint && properties.generalCategory != .control
  }
}

extension RawSpan {
  /// The length in bytes of the settled letter beyond ASCII at an index; 0 if there is none, or no
  /// valid UTF-8.
  fileprivate func settledLetterBytes(at index: Int) -> Int {
    let (rest, first) = (byteCount &- index, UInt32(self[index]))
    func next(_ distance: Int) -> UInt32? {
      let byte = UInt32(self[index &+ distance])
      return byte & 0xC0 == 0x80 ? byte & 0x3F : nil
    }
    if first & 0xE0 == 0xC0, rest >= 2, let second = next(1) {
      return Unicode.Scalar.isSettledLetter((first & 0x1F) << 6 | second) ? 2 : 0
    }
    if first & 0xF0 == 0xE0, rest >= 3, let second = next(1), let third = next(2) {
      let value = (first & 0x0F) << 12 | second << 6 | third
      // Three bytes for a value that fits in two are not valid UTF-8.
      return value >= 0x800 && Unicode.Scalar.isSettledLetter(value) ? 3 : 0
    }
    return 0
  }
}

extension Unicode.Scalar {
  /// Whether a code point is a letter that preparation never changes, in any position: a letter
  /// without case or in lower case that no normalization changes or joins with a neighbor of this
  /// kind. Covers the letters in which most names are written, not all such letters.
  static func isSettledLetter(_ value: UInt32) -> Bool {
    switch value {
    // Latin-1; Greek except the final sigma and letters with two marks; Cyrillic; Hebrew; Arabic.
    case 0xE0...0xF6, 0xF8...0xFF, 0x3AC...0x3AF, 0x3B1...0x3C1, 0x3C3...0x3CE, 0x430...0x45F,
      0x5D0...0x5EA, 0x621...0x64A,
      // Hiragana, Katakana, Han, Hangul syllables.
      0x3041...0x3096, 0x30A1...0x30FA, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xAC00...0xD7A3:
      true
    // Latin and Cyrillic, where a small letter follows each capital.
    case 0x100...0x137, 0x14A...0x177, 0x1EA0...0x1EF9, 0x460...0x481, 0x48A...0x4BF:
      value & 1 == 1
    case 0x139...0x148, 0x179...0x17E: value & 1 == 0
    case 0x1A1, 0x1B0: true
    default: false
    }
  }

  fileprivate var isWidthForm: Bool {
    switch value {
    case 0xFF01...0xFFEE, 0x3000: true
    default: false
    }
  }
}

extension String {
  /// Unicode default case folding: the lower case of the upper case, which equates ß with ss and ς
  /// with σ. The dotless i is kept, because its upper case belongs to another letter.
  fileprivate var caseFolded: String {
    var folded = ""
    for scalar in unicodeScalars {
      folded += scalar == "\u{131}" ? "\u{131}" : String(scalar).uppercased().lowercased()
    }
    return folded
  }
}
