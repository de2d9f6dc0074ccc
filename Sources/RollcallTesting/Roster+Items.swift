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
  /// It is made of the stanzas that a server would send, so it is a roster that can be: presence of
  /// an address that is not in the roster with a subscription is shown, but is not believed more
  /// than the reducer believes it.
  ///
  /// - Parameters:
  ///   - items: The items, each address once.
  ///   - requests: The open requests, oldest first.
  ///   - presences: The available resources.
  ///   - annotations: What the user has set.
  ///   - account: Whose roster it is.
  /// - Throws: `RollcallError` if a text cannot be in XML.
  ///
  /// Complexity: linear in all of them.
  public init(
    items: [RosterItem], requests: [SampleRequest] = [], presences: [SamplePresence] = [],
    annotations: [RosterAnnotation] = [], account: JID = .sample
  ) throws(RollcallError) {
    let session = RosterSession(limits: SessionLimits(), idPrefix: "sample")
    try session.opened(as: account, at: nil)
    try session.sent(XMPPElement.rosterRequest.bytes, at: nil)
    try session.received(XMPPElement.rosterResult(items).bytes, at: nil)
    for request in requests { try session.received(request.element.bytes, at: nil) }
    for presence in presences { try session.received(presence.element.bytes, at: nil) }
    for annotation in annotations { try session.annotate(annotation, at: nil) }
    self = session.roster
  }
}

extension JID {
  /// The address `me@example.test/sample`, of a domain that no server has (RFC 2606 §2).
  public static var sample: JID {
    JID(prepared: BareJID(prepared: "me@example.test"), resource: "sample")
  }
}
