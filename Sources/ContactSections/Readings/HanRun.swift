/// The folded Han characters at the head of a name, as far as context matters.
struct HanRun {
  /// The number of characters to consider; no relevant word, name or title is longer.
  static let limit = 16

  /// The kind of character after the run.
  enum Follower {
    case nothing, latin, han
    /// A separator between a name and a remark: a dash, a bar, an opening parenthesis.
    case separator
    case other

    /// Classifies a symbol that follows Han characters.
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
  /// The first character as written in the name, not folded.
  private(set) var rawHead: UInt32 = 0
  /// The number of characters before the first space, or of all characters if there is none.
  private(set) var segment = 0
  /// Whether a space or a middle dot follows the first character.
  private(set) var headIsSeparate = false
  private(set) var follower = Follower.nothing

  subscript(index: Int) -> UInt32 { scalars[index] }

  init() {}

  /// Up to four characters that have been read already, to look up a word.
  init(_ elements: ArraySlice<Reading.Element>) {
    for case .han(let han) in elements.prefix(4) { append(han.raw, folded: han.folded) }
    close(.nothing)
  }

  /// Reads the run that begins with the head of a name. Spaces, invisible characters and the middle
  /// dot do not end a run.
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

  /// Notes a space: the characters before the first one may be a whole name.
  mutating func endSegment() {
    if segment == 0 { segment = count }
    noteMiddleDot()
  }

  /// Notes a middle dot. A middle dot can separate the parts of one name, so it ends a name only if
  /// that name is a single character.
  mutating func noteMiddleDot() {
    if count == 1 { headIsSeparate = true }
  }
}
