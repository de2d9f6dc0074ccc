public import Rollcall
public import RosterCore
public import XMPPStanza

/// A request of a contact, for `Roster(items:)`.
public struct SampleRequest: Sendable {
  /// The sender.
  public var jid: BareJID
  /// The text that comes with it.
  public var message: String?
  /// What the sender calls itself.
  public var nickname: String?

  /// A request; see the properties.
  public init(_ jid: BareJID, message: String? = nil, nickname: String? = nil) {
    (self.jid, self.message, self.nickname) = (jid, message, nickname)
  }
}

/// The presence of a contact, for `Roster(items:)`.
public struct SamplePresence: Sendable {
  /// The resource of the contact that is available.
  public var jid: JID
  /// How available it is.
  public var show: Show
  /// Its status text.
  public var status: String?
  /// Its priority.
  public var priority: Int8

  /// A presence; see the properties.
  public init(
    _ jid: JID, _ show: Show = .available, status: String? = nil, priority: Int8 = 0
  ) {
    (self.jid, self.show, self.status, self.priority) = (jid, show, status, priority)
  }
}

extension Roster {
  /// A roster of an open session that a server has sent, for previews and unit tests.
  ///
  /// The roster is reduced from the stanzas that a server would send. Presence is therefore treated
  /// as from a server, also that of an address without a subscription.
  ///
  /// - Parameters:
  ///   - items: The items, each address once.
  ///   - requests: The open requests, oldest first.
  ///   - presences: The available resources.
  ///   - annotations: What the user has set.
  ///   - account: Whose roster it is.
  /// - Throws: `RollcallError` with the reason `capture` if a text has a character that XML does
  ///   not allow, if an address occurs twice, or if it exceeds the limits of a `RosterSession`.
  ///
  /// Complexity: linear in all of them.
  public init(
    items: [RosterItem], requests: [SampleRequest] = [], presences: [SamplePresence] = [],
    annotations: [RosterAnnotation] = [], account: JID = .sample
  ) throws(RollcallError) {
    guard Set(items.map(\.jid)).count == items.count else {
      throw RollcallError(.capture, "an address occurs twice in the items of a sample")
    }
    let session = RosterSession()
    try session.opened(as: account, at: nil)
    try session.sent(XMPPElement.rosterGet(id: "roster", version: nil).serialized(), at: nil)
    let stanzas =
      [.rosterResult(id: "roster", items)] + requests.map(\.element) + presences.map(\.element)
    for stanza in stanzas {
      for step in try session.received(stanza.serialized(), at: nil) { try step.requireReadable() }
    }
    for annotation in annotations { try session.annotate(annotation, at: nil) }
    self = session.roster
  }
}

extension SessionStep {
  /// Throws if the part could not be read: the session would go on without it.
  fileprivate func requireReadable() throws(RollcallError) {
    switch part {
    case .unreadable(let reason), .skipped(_, let reason):
      throw RollcallError(.capture, "a stanza of the sample cannot be read: \(reason)")
    case .header, .element, .end, .session, .others, .annotation: break
    }
  }
}

extension JID {
  /// The address `me@example.test/sample`, of a domain that no server has (RFC 2606 §2).
  public static var sample: JID {
    JID(prepared: BareJID(prepared: "me@example.test"), resource: "sample")
  }
}
