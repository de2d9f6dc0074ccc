import Captures
package import ContactSections
package import RosterCore
package import XMPPStanza

/// Why a contact is, or is not, in each list that a client shows, and what would change that.
package struct Explanation: Hashable, Sendable {
  /// What can be asked about a contact.
  package enum Subject: String, Hashable, Sendable, CaseIterable {
    case friend, request, online, blocked, section

    /// The question, for a contact that is called “it”.
    package var question: String {
      switch self {
      case .friend: "Is it a friend?"
      case .request: "Is a request open?"
      case .online: "Is it shown as online?"
      case .blocked: "Is it blocked?"
      case .section: "Where does it stand on the contacts screen?"
      }
    }
  }

  /// The answer to a question.
  package enum Verdict: String, Hashable, Sendable, CaseIterable {
    case yes, no
    /// The log does not hold what would tell.
    case unknown
  }

  /// One question with its answer.
  package struct Topic: Hashable, Sendable {
    package let subject: Subject
    package let verdict: Verdict
    /// Whole sentences, each with the records that it rests on as `#12`.
    package let reasons: [String]
    /// What would have to come for the answer to change, a sentence; nil where nothing can be
    /// said.
    package let change: String?
  }

  /// Whom it is about.
  package let contact: BareJID
  /// The state that RFC 6121 has for the two.
  package let state: SubscriptionState
  /// The answers, one for each subject that is asked for.
  package private(set) var topics: [Topic]
  /// The newest findings about the contact.
  package let findings: [Finding]
  /// Whether it is a contact: whoever is not the account, and the account itself where the roster
  /// has, or had, an item of it.
  package let isOfContact: Bool

  /// Explains a contact at a point.
  ///
  /// - Parameters:
  ///   - roster: the state at the point.
  ///   - replay: what led to it, from the first record on.
  ///   - friends: which contacts count as friends.
  package init(_ roster: Roster, _ replay: ContactReplay, friends: SectionPolicy.Friends) {
    let explainer = Explainer(roster: roster, replay: replay, friends: friends)
    contact = replay.contact
    state = explainer.state
    topics = [
      explainer.friend, explainer.request, explainer.online, explainer.blocked, explainer.section,
    ]
    findings = replay.findings
    isOfContact = !explainer.isOwn || replay.hadItem
  }

  /// The same with the answers to some questions only; without any, to all.
  package func limited(to subjects: [Subject]) -> Explanation {
    guard !subjects.isEmpty else { return self }
    var limited = self
    limited.topics.removeAll { !subjects.contains($0.subject) }
    return limited
  }

  /// The answer to one question.
  package subscript(_ subject: Subject) -> Topic? { topics.first { $0.subject == subject } }
}

extension Timeline {
  /// Explains a contact at a point; nil where no record up to there names it.
  ///
  /// Complexity: linear in the events up to the point.
  package func explanation(
    of contact: BareJID, at point: Point, friends: SectionPolicy.Friends
  ) throws -> (explanation: Explanation, state: State)? {
    var replay = ContactReplay(of: contact)
    let state = try self.replay(upTo: point) { replay.follow($0, $1) }
    let last = state.roster.position
    guard last > 0, try !records(concerning: contact, in: 1...last).isEmpty else { return nil }
    return (Explanation(state.roster, replay, friends: friends), state)
  }
}
