/// The Han characters at the head of a name, folded, as far as context is looked at.
struct HanRun {
  /// No word, name or title that matters is longer.
  static let limit = 16

  /// What comes after the characters.
  enum Follower {
    case nothing, latin, han
    /// What stands between a name and what else is said: a dash, a bar, an opening parenthesis.
    case separator
    case other

    /// What a symbol is to the characters before it.
    init(symbol scalar: Unicode.Scalar) {
      switch scalar.properties.generalCategory {
      case .dashPunctuation, .connectorPunctuation, .openPunctuation, .initialPunctuation:
        self = .separator
      default: self = Self.separators.contains(scalar) ? .separator : .other
      }
    }

    private static let separators: Set<Unicode.Scalar> = [
      "/", "\\", "|", ",", ":", ";", "@", "&", "+", "~", "／", "＼", "｜", "│", "，", "、", "：", "；",
      "＠", "＆", "＋", "～",
    ]
  }

  private var scalars = SIMD16<UInt32>()
  private(set) var count = 0
  /// The first character as it stands in the name, not folded.
  private(set) var rawHead: UInt32 = 0
  /// How many characters stand before the first space; all of them where there is none.
  private(set) var segment = 0
  /// Whether a space or a middle dot follows the first character.
  private(set) var headStandsAlone = false
  private(set) var follower = Follower.nothing

  subscript(index: Int) -> UInt32 { scalars[index] }

  init() {}

  /// Up to four characters that are read already, for the look-up of a word.
  init(_ elements: ArraySlice<Reading.Element>) {
    for case .han(let han) in elements.prefix(4) { append(han.raw, folded: han.folded) }
    close(.nothing)
  }

  /// Reads on after the head of a name. Spaces, invisible characters and the middle dot do not
  /// end a run.
  init(head: UInt32, state: HanCharacter.State, rest: Substring.UnicodeScalarView) {
    rawHead = head
    append(head, state: state)
    close(readOn(in: rest))
  }

  private mutating func readOn(in rest: Substring.UnicodeScalarView) -> Follower {
    for scalar in rest {
      switch CharacterKind(scalar) {
      case .space: endSegment()
      case .middleDot: noteMiddleDot()
      case .invisible, .mark: continue
      case .han(let entry):
        guard count < Self.limit else { return .han }
        append(scalar.value, state: entry?.state ?? .variant)
      case .latin: return .latin
      case .symbol: return Follower(symbol: scalar)
      case .number, .otherScript: return .other
      }
    }
    return .nothing
  }

  mutating func append(_ scalar: UInt32, folded: UInt32) {
    scalars[count] = folded
    if count == 0 { rawHead = scalar }
    count += 1
  }

  private mutating func append(_ scalar: UInt32, state: HanCharacter.State) {
    append(scalar, folded: state == .variant ? HanCharacter.folded(scalar) : scalar)
  }

  mutating func close(_ follower: Follower) {
    self.follower = follower
    endSegment()
  }

  /// Notes a space: what stands before the first one may be a whole name.
  mutating func endSegment() {
    if segment == 0 { segment = count }
    noteMiddleDot()
  }

  /// Notes a middle dot: it ends no name but that of one character, for it also stands between the
  /// parts of one.
  mutating func noteMiddleDot() {
    if count == 1 { headStandsAlone = true }
  }
}
