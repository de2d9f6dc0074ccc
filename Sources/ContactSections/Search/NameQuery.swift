import RawBytes

/// A search for contacts, prepared for matching with many names.
///
/// A match can start at any character and has no gaps. Each Han character matches its full
/// syllable, its first letter, or its zh, ch or sh; the last one matches the beginning of its
/// syllable. A character also matches itself, traditional or simplified. An apostrophe or a space
/// marks a boundary between characters: `xi'an` matches 西安 but not 先.
public struct NameQuery: Sendable {
  /// The quality of a match, best first.
  public enum Rank: Int, Comparable, Hashable, Sendable, CaseIterable {
    /// From the first character, by the contextual reading.
    case head
    /// From a later character, by the contextual reading.
    case inside
    /// From the first character, by another reading of a character.
    case headByOtherReading
    /// From a later character, by another reading of a character.
    case insideByOtherReading
    /// In the address.
    case address

    /// Orders the better rank first.
    public static func < (left: Rank, right: Rank) -> Bool { left.rawValue < right.rawValue }
  }

  /// One position of a query.
  enum Unit: Hashable, Sendable {
    case letter(UInt8)
    /// A typed ü: matches `v` in a syllable, `u` in a Latin word.
    case umlaut
    case digit(UInt8)
    case scalar(UInt32)
  }

  /// The maximum number of units; a longer query matches nothing.
  public static let limit = 100

  let units: [Unit]
  /// Whether a boundary precedes each unit, and one more entry for the end.
  let boundaries: [Bool]
  /// The typed text in lower case, without surrounding white space.
  private let text: [UInt8]
  /// The characters that a matching name must contain.
  private let neededInName: NameBits
  /// The characters that a matching address must contain.
  private let neededInAddress: AddressBits

  /// Prepares a query. A query without a visible character matches everything.
  public init(_ query: String) {
    var units: [Unit] = []
    var boundaries: [Bool] = [false]
    for scalar in query.unicodeScalars {
      switch CharacterKind(scalar) {
      case .invisible: continue
      case .mark:
        // A combining diaeresis turns the preceding u into ü.
        if scalar == "\u{308}", units.last == .letter(UInt8(ascii: "u")) {
          units[units.count - 1] = .umlaut
        }
        continue
      case .space, .middleDot:
        boundaries[units.count] = !units.isEmpty
        continue
      case .symbol where Self.apostrophes.contains(scalar):
        boundaries[units.count] = !units.isEmpty
        continue
      case .latin(let letters):
        units += Self.isUmlaut(scalar) ? [.umlaut] : letters.map { .letter($0) }
      case .number(let value): units += String(value).utf8.map { .digit($0) }
      case .han: units.append(.scalar(HanCharacter.folded(scalar.value)))
      case .symbol: units.append(.scalar(scalar.value))
      case .otherScript: units.append(.scalar(ReadingParts.lowercased(scalar)))
      }
      boundaries += Array(repeating: false, count: units.count + 1 - boundaries.count)
    }
    self.units = units
    self.boundaries = boundaries
    text = Array(Self.trimmed(query).lowercased().utf8)
    neededInName = NameBits(neededBy: units, boundaries: boundaries)
    neededInAddress = AddressBits(text)
  }

  private static var apostrophes: [Unicode.Scalar] { ["'", "\u{2019}", "\u{2BC}"] }

  private static func isUmlaut(_ scalar: Unicode.Scalar) -> Bool {
    let forms: [Unicode.Scalar] = ["ü", "Ü", "ǖ", "ǘ", "ǚ", "ǜ", "Ǖ", "Ǘ", "Ǚ", "Ǜ"]
    return forms.contains(scalar)
  }

  private static func trimmed(_ query: String) -> String {
    let visible = query.drop { $0.isWhitespace }
    guard let last = visible.lastIndex(where: { !$0.isWhitespace }) else { return "" }
    return String(visible[...last])
  }

  /// The quality of the match with a contact, or nil if it does not match.
  ///
  /// Complexity: O(n m) for a name of n characters and a query of m.
  public func match(_ name: Reading, address: String = "") -> Rank? {
    if units.isEmpty { return text.isEmpty ? .head : nil }
    guard units.count <= Self.limit else { return nil }
    return rank(in: name) ?? (isPart(of: address) ? .address : nil)
  }

  /// The best match of a row by any of its contact's names, or by its address. Reads only names
  /// that can match.
  func match(_ row: ListedRow) -> Rank? {
    if units.isEmpty { return text.isEmpty ? .head : nil }
    guard units.count <= Self.limit else { return nil }
    var best: Rank?
    if row.nameBits.holds(neededInName), case .contact(let contact) = row.content {
      best = rank(in: PinyinReader.reading(of: contact.displayName))
      if best != .head, let reading = contact.userReading,
        let rank = rank(in: PinyinReader.reading(of: reading))
      {
        best = min(best ?? rank, rank)
      }
    }
    if best == nil, row.addressBits.holds(neededInAddress), isPart(of: row.id) { return .address }
    return best
  }

  private func rank(in name: Reading) -> Rank? {
    let matching = Matching(query: self, name: name)
    var best: Rank?
    for start in name.elements.indices {
      guard let usesOther = matching.run(from: start) else { continue }
      let rank: Rank =
        usesOther
        ? (start == 0 ? .headByOtherReading : .insideByOtherReading)
        : (start == 0 ? .head : .inside)
      best = min(best ?? rank, rank)
      if best == .head { break }
    }
    return best
  }

  /// Whether an address contains the typed text, ignoring case.
  private func isPart(of address: String) -> Bool {
    // Most addresses are ASCII, so their bytes are lowercased during the comparison.
    address.withUTF8Bytes { $0.isASCII ? isPart(of: $0) : nil }
      ?? address.lowercased().withUTF8Bytes { isPart(of: $0) }
  }

  private func isPart(of bytes: RawSpan) -> Bool {
    guard let first = text.first, bytes.byteCount >= text.count else { return false }
    for start in 0...(bytes.byteCount - text.count) where Self.lowercased(bytes[start]) == first {
      if text.indices.allSatisfy({ Self.lowercased(bytes[start + $0]) == text[$0] }) { return true }
    }
    return false
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }
}
