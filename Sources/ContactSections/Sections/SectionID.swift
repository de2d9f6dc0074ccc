/// The identity of a section, ordered as on the screen. Later versions may add cases.
public enum SectionID: Hashable, Comparable, Sendable {
  /// The requests that await an answer.
  case requests
  /// The starred contacts.
  case starred
  /// A roster group, or one letter of it.
  case group(GroupName, SectionKey?)
  /// The contacts in no group, or one letter of them.
  case ungrouped(SectionKey?)
  /// A letter of the single list.
  case index(SectionKey)

  /// The name of a roster group, ordered by its reading.
  public struct GroupName: Hashable, Comparable, Sendable {
    /// The name as the roster has it.
    public let name: String
    private let key: SortKey

    init(_ name: String) {
      self.name = name
      key = SortKey(PinyinReader.reading(of: name))
    }

    /// Whether the names are equal, character by character.
    public static func == (left: GroupName, right: GroupName) -> Bool { left.key == right.key }

    /// Hashes the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(key) }

    /// Orders by the reading of the name.
    public static func < (left: GroupName, right: GroupName) -> Bool { left.key < right.key }
  }

  /// The header of the section: a letter or a group's name. Empty for the requests, the starred
  /// contacts and those without a group, for which an application has words of its own language.
  public var title: String {
    switch self {
    case .requests, .starred, .ungrouped(nil): ""
    case .group(let group, nil): group.name
    case .group(let group, let letter?): "\(group.name) \(letter)"
    case .ungrouped(let letter?), .index(let letter): letter.title
    }
  }

  /// The entry for the section in the side index; nil if it has none.
  public var indexTitle: String? {
    switch self {
    case .requests: nil
    case .starred: "☆"
    case .group(_, let letter), .ungrouped(let letter): letter?.title
    case .index(let letter): letter.title
    }
  }

  private var rank: Int {
    switch self {
    case .requests: 0
    case .starred: 1
    case .group: 2
    case .ungrouped: 3
    case .index: 4
    }
  }

  private var letter: SectionKey? {
    switch self {
    case .requests, .starred: nil
    case .group(_, let letter), .ungrouped(let letter): letter
    case .index(let letter): letter
    }
  }

  /// Orders the sections as on the screen.
  public static func < (left: SectionID, right: SectionID) -> Bool {
    if left.rank != right.rank { return left.rank < right.rank }
    if case .group(let one, _) = left, case .group(let other, _) = right, one != other {
      return one < other
    }
    return (left.letter ?? .other) < (right.letter ?? .other)
  }
}
