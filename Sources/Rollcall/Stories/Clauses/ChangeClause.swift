public import RosterCore

/// A clause for a person about a change, with the contact apart, so that a page can link it:
/// “request of ”, “bob@example.test”, “: “it is me””.
public struct ChangeClause: Hashable, Sendable, CustomStringConvertible {
  /// The words before the contact; empty if the contact is the subject.
  public let lead: String
  /// The contact's address, with a resource if the clause is about one; nil if the clause is about
  /// the account.
  public let who: String?
  /// The words after the contact.
  public let what: String

  init(_ lead: String = "", of who: String? = nil, _ what: String = "") {
    (self.lead, self.who, self.what) = (lead, who, what)
  }

  /// The whole clause.
  public var description: String { lead + (who ?? "") + what }
}

extension RosterChange {
  private var row: FieldRow { values.row(of: contact, because: reason) }

  /// Whether something came, went, or became different: the mark in front of its line.
  public var mark: String { row.mark.rawValue }

  /// What changed, in a clause for a person: “request of bob@example.test: “it is me””.
  public var clause: String { parts.description }

  /// What changed, with the contact apart from the clause.
  public var parts: ChangeClause { row.clause() }

  /// What changed, in a clause under the contact's name.
  var titledClause: String { row.titled() }

  /// Whether people should read it: some changes repeat another one of the same record, or only say
  /// that something will be known from now on.
  package var isForPeople: Bool {
    guard case .connection(let before, let after) = values else {
      return field != .blockedKnown
    }
    return reason != .onlyConnection && (before?.isOpen ?? false) != (after?.isOpen ?? false)
  }
}

extension [RosterChange] {
  /// Those that a story shows at their record: `DoubtHold` reports doubts that last.
  package var forStory: [RosterChange] { forPeople.filter { !$0.isHeldDoubt } }

  /// Those that people should read.
  package var forPeople: [RosterChange] {
    // That no session is open says already that no presence is shown.
    let isDisconnection = contains {
      if case .connected(_, let isOn) = $0.values { !isOn } else { false }
    }
    return filter { $0.isForPeople && !(isDisconnection && $0.reason == .session) }
  }
}

extension FieldDifference {
  private var row: FieldRow { values.row(of: contact, because: nil) }

  /// Whether something came, went, or became different: the mark in front of its line.
  package var mark: String { row.mark.rawValue }

  /// What is different, in a clause under the contact's name.
  package var clause: String { row.titled() }
}

// MARK: Words of values

/// A text in quotes, or that there is none.
func quoted(_ text: String?) -> String { text.map { "“\($0)”" } ?? "none" }

extension Completeness {
  /// What is known of the roster, and where something is missing how to get it, in a clause.
  package var clause: String {
    switch self {
    case .complete: "the whole roster is known"
    case .neverFetched:
      "the whole roster was not seen: up to this point no roster get was answered by one, and "
        + "the items are what pushes told; a capture that begins before the client logs in has it"
    case .baseUnknown:
      "the whole roster was never seen: the server said that nothing had changed since a version "
        + "that is not in the log; import the capture of an earlier login first, or let the client "
        + "forget the roster it keeps"
    }
  }

  /// What a later state knows in place of an earlier one.
  func clause(after before: Completeness) -> String {
    switch (before, self) {
    case (_, .complete): "the whole roster is known"
    case (.complete, _): "the whole roster is not known"
    case (_, .neverFetched):
      "the whole roster is known in neither; in the second no roster get has been answered by one"
    case (_, .baseUnknown):
      "the whole roster is known in neither; in the second the server has said that nothing "
        + "changed since a version that is not in the log"
    }
  }
}

extension IncomingRequest {
  /// The name and the words that came with it.
  var words: String {
    (nickname.map { " as “\($0)”" } ?? "") + (status.map { ": “\($0)”" } ?? "")
  }
}

extension EndedRequest.Way {
  /// How it ended, in a clause.
  package var clause: String {
    switch self {
    case .accepted: "we accepted it"
    case .denied: "we denied it"
    case .withdrawn: "withdrawn by the contact"
    case .acceptedElsewhere:
      "the roster shows it accepted, by a device of ours whose answer is not in the log"
    }
  }
}

extension RosterChange.Doubt {
  /// Why it is not known whether the request is open, in a clause.
  var clause: String {
    switch self {
    case .notSentAgain: "the server has not sent it again in this session"
    case .itemRemoved: "the server removed the contact, and perhaps the request with it"
    case .crossed: "the server may have sent it before it had our refusal"
    }
  }
}

extension RosterChange.OutgoingEnd {
  /// Why we wait no longer, in a clause.
  package var clause: String {
    switch self {
    case .accepted: "accepted"
    case .refused: "refused"
    case .cancelled: "we cancelled it"
    case .subscribed: "the roster shows that we see its presence"
    case .dropped: "the roster no longer shows it"
    case .removed: "the contact left the roster"
    case .neverShown: "the roster never showed it"
    }
  }
}
