import Captures
public import ContactSections
public import RosterCore
public import XMPPStanza

/// Why a contact is, or is not, in each list that a client shows, and what would change that.
public struct Explanation: Hashable, Sendable {
  /// What can be asked about a contact.
  public enum Subject: String, Hashable, Sendable, CaseIterable {
    /// Whether it is a friend, whether a request is open, whether it is shown as online, whether it
    /// is blocked, and where it is on the contacts screen.
    case friend, request, online, blocked, section

    /// The question, with the contact called “it”.
    public var question: String {
      switch self {
      case .friend: "Is it a friend?"
      case .request: "Is a request open?"
      case .online: "Is it shown as online?"
      case .blocked: "Is it blocked?"
      case .section: "Where is it on the contacts screen?"
      }
    }
  }

  /// The answer to a question.
  public enum Verdict: String, Hashable, Sendable, CaseIterable {
    /// The log has the answer.
    case yes, no
    /// The log does not contain enough to answer.
    case unknown
  }

  /// One question with its answer.
  public struct Topic: Hashable, Sendable {
    /// The question.
    public let subject: Subject
    /// The answer.
    public let verdict: Verdict
    /// Why that is the answer, the most important first.
    public let reasons: [Reason]
    /// What would have to happen for the answer to change, as a sentence; nil if that is unknown.
    public let change: String?
  }

  /// A reason of an answer.
  public struct Reason: Hashable, Sendable {
    /// What is said.
    public let code: Code
    /// The records that it is based on, as far as it names any.
    public let records: [UInt64]
    /// The reason as a full sentence in English, which names the records as in `#12`.
    public let sentence: String

    init(_ code: Code, _ records: [UInt64?], _ sentence: String) {
      (self.code, self.records, self.sentence) = (code, records.compactMap { $0 }, sentence)
    }

    init(_ code: Code, _ sentence: String) { self.init(code, [], sentence) }
  }

  /// The contact that it is about.
  public let contact: BareJID
  /// The subscription state between the account and the contact (RFC 6121 Appendix A).
  public let state: SubscriptionState
  /// The answers, one for each requested subject.
  public private(set) var topics: [Topic]
  /// The newest findings about the contact.
  public let findings: [Finding]
  /// Whether the address is a contact: any address but the account's own, which is one only if the
  /// roster has, or had, an item for it.
  public let isOfContact: Bool

  /// Explains a contact at a point.
  ///
  /// - Parameters:
  ///   - roster: The state at the point.
  ///   - replay: What led to it, from the first record.
  ///   - friends: Which contacts count as friends.
  ///   - names: The names of the connections.
  package init(
    _ roster: Roster, _ replay: ContactReplay, friends: SectionPolicy.Friends,
    names: ConnectionNames = ConnectionNames()
  ) {
    let explainer = Explainer(roster: roster, replay: replay, friends: friends, names: names)
    contact = replay.contact
    state = explainer.state
    topics = [
      explainer.friend, explainer.request, explainer.online, explainer.blocked, explainer.section,
    ]
    findings = replay.findings
    isOfContact = !explainer.isOwn || replay.hadItem
  }

  /// The explanation reduced to the answers to some questions; without any, all answers.
  package func limited(to subjects: [Subject]) -> Explanation {
    guard !subjects.isEmpty else { return self }
    var limited = self
    limited.topics.removeAll { !subjects.contains($0.subject) }
    return limited
  }

  /// The answer to one question.
  public subscript(_ subject: Subject) -> Topic? { topics.first { $0.subject == subject } }
}

extension Timeline {
  /// Explains a contact at a point; nil if no record up to there names it.
  ///
  /// - Parameters:
  ///   - contact: The contact to explain.
  ///   - point: The point in the log.
  ///   - friends: Which contacts count as friends.
  /// - Throws: `RollcallError` if there is no such point, or the log cannot be read.
  ///
  /// Complexity: linear in the events from the session in which the contact first occurs to the
  /// point; presence of others costs the least. Earlier events are read but not reduced.
  public func explanation(
    of contact: BareJID, at point: LogPoint = .head,
    friends: SectionPolicy.Friends = .mutual
  ) throws(RollcallError) -> (explanation: Explanation, state: State)? {
    try RollcallError.converting {
      let last = try record(at: point)
      let named = last > 0 ? try records(concerning: contact, in: 1...last) : []
      guard !named.isEmpty else { return nil }
      var (replay, state) = try story(of: contact, named: named, upTo: last)
      replay.follow(ending: try outcome(ending: state))
      let names = ConnectionNames(state.names)
      return (Explanation(state.roster, replay, friends: friends, names: names), state)
    }
  }

  /// What led to the state of a contact after a record, and the state.
  ///
  /// - Parameter named: The records that name the contact.
  private func story(
    of contact: BareJID, named: Set<UInt64>, upTo last: UInt64
  ) throws -> (ContactReplay, State) {
    struct SessionOpen: Error {}
    let start = try StoryStart(of: contact, named: named, in: self, upTo: last)
    if let binding = start.binding, binding > 1 {
      var replay = ContactReplay(of: contact)
      var state = try self.state(after: binding - 1, from: nil)
      do {
        try advance(&state, to: last, naming: named) { moment, roster in
          replay.follow(moment, roster)
          // If another session was open, the history of the session began earlier.
          if moment.stamp.record == binding, replay.session.boundAt != binding {
            throw SessionOpen()
          }
        }
        if replay.wholeRoster != nil { return (replay, state) }
      } catch is SessionOpen {}
    }
    var (replay, state) = (ContactReplay(of: contact), State())
    try advance(&state, to: last, naming: named) { replay.follow($0, $1) }
    return (replay, state)
  }
}
