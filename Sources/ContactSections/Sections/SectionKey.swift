/// The section of an A to Z list: a letter, or `#` for everything else.
public struct SectionKey: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// 0 to 25 for A to Z, 26 for `#`.
  let rank: UInt8

  /// The section of digits, symbols, other scripts and empty names; the last one.
  public static let other = SectionKey(rank: 26)

  private init(rank: UInt8) { self.rank = rank }

  /// The section of a letter a to z or A to Z; `#` for any other character.
  public init(letter: UInt8) {
    let folded = letter | 0x20
    let isLetter = folded >= UInt8(ascii: "a") && folded <= UInt8(ascii: "z")
    rank = isLetter ? folded - UInt8(ascii: "a") : 26
  }

  /// `A` to `Z` or `#`.
  public var title: String {
    self == .other ? "#" : String(Unicode.Scalar(UInt8(ascii: "A") + rank))
  }

  /// The title.
  public var description: String { title }

  /// Orders A to Z, then `#`.
  public static func < (left: SectionKey, right: SectionKey) -> Bool { left.rank < right.rank }
}
