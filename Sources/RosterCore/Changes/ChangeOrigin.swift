package import XMPPStanza

/// The earlier record that asked for what a record shows of a contact, or that announced it.
package struct ChangeOrigin: Hashable, Sendable {
  /// What the earlier record was.
  package enum Kind: Hashable, Sendable {
    /// A roster set of ours.
    case edit
    /// A subscription stanza of ours.
    case ownStanza(SubscriptionStanza.Kind)
    /// A subscription stanza of the contact.
    case contactStanza(SubscriptionStanza.Kind)
    /// A request of ours to block or unblock (XEP-0191).
    case blocking
  }

  /// The contact that it is about.
  package let contact: BareJID
  /// The record that asked for the change, or announced it.
  package let cause: UInt64
  /// The record that shows the change.
  package let effect: UInt64
  /// The record by which it became clear: the effect, or a later one.
  package private(set) var noted: UInt64
  /// The connection that the cause was sent or received on.
  package let connection: ConnectionID
  /// The resource of that connection, if the log says it.
  package let device: String?
  /// What the cause was.
  package let kind: Kind

  /// Whether it explains an earlier record than the one by which it became clear.
  package var isLate: Bool { effect < noted }

  /// The origin as if it had been clear when the record came that shows the change.
  package var notedAtEffect: ChangeOrigin {
    var origin = self
    origin.noted = effect
    return origin
  }

  /// Whether what it asked for or announced can change a field of the contact.
  ///
  /// A set contains a name and groups and cannot ask for a subscription (RFC 6121 §2.1.2). A
  /// subscription stanza can create an item, and changes neither names nor groups.
  package func explains(_ field: StateField) -> Bool {
    switch kind {
    case .edit: [.item, .name, .groups].contains(field)
    case .ownStanza, .contactStanza: [.item, .subscription, .ask, .approved].contains(field)
    case .blocking: field == .blocked
    }
  }
}

extension RosterOutcome {
  /// The origins that explain a change of this record.
  package var originsOfChanges: [ChangeOrigin] {
    origins.filter { $0.effect == changes.first?.record && explains($0) }
  }

  /// The origins that explain a change of this record, and those for which this record explains an
  /// earlier change.
  package var toldOrigins: [ChangeOrigin] {
    origins.filter { $0.isLate || explains($0) }
  }

  private func explains(_ origin: ChangeOrigin) -> Bool {
    changes.contains { $0.contact == origin.contact && origin.explains($0.field) }
  }
}
