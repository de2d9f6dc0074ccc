import ContactSections
public import RosterCore
public import XMPPStanza

/// Something that a roster is or is not, to be searched for in a log.
public enum RosterCondition: Hashable, Sendable {
  /// The contact is not in the roster.
  case missing(BareJID)
  /// The contact and the account see each other's presence.
  case friend(BareJID)
  /// A request to or from the contact waits for an answer.
  case pending(BareJID)
  /// The roster has this name for the contact; nil is none.
  case name(BareJID, String?)
  /// The number of mutual friends compares so with a number.
  case friendCount(Comparison, Int)

  /// How two numbers compare.
  public enum Comparison: String, Hashable, Sendable, CaseIterable {
    /// As its sign says.
    case less = "<"
    case atMost = "<="
    case equal = "="
    case different = "!="
    case atLeast = ">="
    case more = ">"

    func holds(_ a: Int, _ b: Int) -> Bool {
      switch self {
      case .less: a < b
      case .atMost: a <= b
      case .equal: a == b
      case .different: a != b
      case .atLeast: a >= b
      case .more: a > b
      }
    }
  }

  /// The contacts that the conditions count as friends.
  private static let friends = SectionPolicy.Friends.mutual

  /// Whether it holds in a roster.
  ///
  /// - Parameters:
  ///   - roster: The roster to judge.
  ///   - mayBePartial: Whether a part of the roster has to suffice, because the whole is known
  ///     nowhere. Otherwise no contact counts as missing, and no count holds, in a roster that is
  ///     not whole: unknown is not empty.
  public func holds(in roster: Roster, mayBePartial: Bool) -> Bool {
    let isKnown = mayBePartial || roster.completeness == .complete
    return switch self {
    case .missing(let jid): isKnown && roster.subscription(of: jid) == nil
    case .friend(let jid): roster.subscription(of: jid).map(Self.friends.includes) ?? false
    case .pending(let jid): roster.isPending(jid)
    case .name(let jid, let name): roster.isNamed(jid, name)
    case .friendCount(let comparison, let count):
      isKnown && comparison.holds(Self.friendCount(in: roster), count)
    }
  }

  private static func friendCount(in roster: Roster) -> Int {
    RosterSubscription.allCases.reduce(0) { count, subscription in
      friends.includes(subscription) ? count + roster.itemCount(subscription) : count
    }
  }

  /// The condition as a clause: “bob@example.test is missing”.
  public var clause: String {
    switch self {
    case .missing(let jid): "\(jid) is missing"
    case .friend(let jid): "\(jid) is a friend"
    case .pending(let jid): "a request to or from \(jid) is pending"
    case .name(let jid, let name?): "\(jid) is called “\(name)”"
    case .name(let jid, nil): "\(jid) is in the roster without a name"
    case .friendCount(let comparison, let count):
      "the number of friends is \(comparison.rawValue) \(count)"
    }
  }

  /// Reads a comparison with a number, such as `<10`, `>= 3` or `5`.
  package static func friendCount(_ text: String) -> RosterCondition? {
    let text = text.filter { $0 != " " }
    let sign = text.prefix { "<>=!".contains($0) }
    guard let comparison = sign.isEmpty || sign == "==" ? .equal : Comparison(rawValue: "\(sign)"),
      let count = Int(text.dropFirst(sign.count)), count >= 0
    else { return nil }
    return .friendCount(comparison, count)
  }
}
