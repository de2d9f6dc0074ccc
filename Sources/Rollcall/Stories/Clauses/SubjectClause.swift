import RosterCore
package import XMPPStanza

/// A clause about a record with the contact that it is about apart, so that a list can begin with
/// the contact's name: “Carol: we ask to see its presence”, “Carol is away”.
package struct SubjectClause: Hashable, Sendable {
  /// The contact; nil if the record is about the account, or about several contacts.
  package let who: BareJID?
  /// What is said of the contact, to be read after its name; the whole clause without a contact.
  package let text: String
  /// The whole clause, with the address.
  package let full: String

  /// A clause about a contact.
  ///
  /// - Parameter text: What is said of it: a verb about the contact, or a clause about us or the
  ///   user, which is read after a colon.
  package init(of who: BareJID, _ text: String, full: String) {
    (self.who, self.text, self.full) = (who, text, full)
  }

  /// A clause about the account, or about several contacts.
  package init(_ full: String) {
    (who, text, self.full) = (nil, full, full)
  }

  /// A clause that says of the only contact what it says of several otherwise.
  init(ofOnly contacts: [BareJID], _ text: String, full: String) {
    if contacts.count == 1, let who = contacts.first {
      self.init(of: who, text, full: full)
    } else {
      self.init(full)
    }
  }

  /// A clause of which the contact is the subject: “carol@example.test is away”.
  init(by who: BareJID, _ text: String) { self.init(of: who, text, full: "\(who) \(text)") }

  /// A clause of which a resource of the contact is the subject: “is away (phone)” after the
  /// contact's name.
  init(by who: JID, _ text: String) {
    let resource = who.resource.map { " (\($0))" } ?? ""
    self.init(of: who.bare, text + resource, full: "\(who) \(text)")
  }

  /// A clause about what we or the user do.
  ///
  /// - Parameter clause: The clause with what the contact is called in it: its address, or “it”
  ///   after its name.
  init(of who: BareJID, _ clause: (String) -> String) {
    self.init(of: who, clause("it"), full: clause(who.text))
  }

  /// A clause about what we or the user do with one of a contact's resources.
  init(of who: JID, _ clause: (String) -> String) {
    self.init(of: who.bare, clause("it"), full: clause(who.description))
  }
}

extension Timeline.Moment {
  /// What the record means, with the contact that it is about apart.
  package var subjectClause: SubjectClause {
    let clause = event.subjectClause(endsSubscription: outcome.news?.endsSubscription == true)
    guard let endReason else { return clause }
    return SubjectClause("\(clause.full) (\(endReason))")
  }
}
