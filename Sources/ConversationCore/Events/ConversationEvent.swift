package import SessionCore
package import XMPPStanza

/// What a record means to conversations.
package enum ConversationEvent: Sendable {
  case message(MessageStanza, Direction)
  case presence(PresenceStanza, Direction)
  case query(QueryStanza, Direction)
  case management(ManagementElement, Direction)
  case session(SessionSign)
  /// Another element, which only shows that its direction is alive.
  case other(Direction)

  /// Reads a top-level element of a stream; nil if it means nothing.
  ///
  /// - Parameters:
  ///   - node: The element, which is not kept.
  ///   - direction: The side that sent it.
  ///
  /// Complexity: linear in the element.
  package init(_ node: XMPPElement, _ direction: Direction) {
    if node.is("message", in: Namespace.client) {
      self =
        MessageStanza(node, readsWrappers: direction == .inbound)
        .map { .message($0, direction) } ?? .management(.stanza, direction)
    } else if node.is("presence", in: Namespace.client) {
      self =
        PresenceStanza(node).map { .presence($0, direction) } ?? .management(.stanza, direction)
    } else if node.is("iq", in: Namespace.client) {
      if direction == .inbound, let login = LoginResult(node) {
        self = .session(SessionSign(login, node))
      } else {
        self = QueryStanza(node).map { .query($0, direction) } ?? .management(.stanza, direction)
      }
    } else if direction == .inbound, let login = LoginResult(node) {
      self = .session(SessionSign(login, node))
    } else if let element = ManagementElement(node) ?? ManagementElement(inlineIn: node) {
      self = .management(element, direction)
    } else {
      self = .other(direction)
    }
  }
}

/// What shows the course of a stream.
package enum SessionSign: Sendable {
  /// The header of a capture: whose it is, and whether it has only what was received.
  case captureBegan(JID?, isInboundOnly: Bool)
  case headerSeen
  /// The end tag of a stream.
  case ended(Direction)
  /// The account is known. A resumption may have failed with it (XEP-0198 §5, XEP-0388).
  case authenticated(JID?, management: [ManagementElement])
  /// A resource was bound. With it, stream management may be enabled, after a resumption failed
  /// (XEP-0386, XEP-0388).
  case bound(JID?, management: [ManagementElement])
  /// The source says that a stream opened, or that it continues an earlier one.
  case opened(JID)
  case continued(JID?)
  case resumed(JID?, handled: UInt32?, previousID: String?)
  /// The connection ended.
  case closed
  /// From here on, the recorder keeps what a policy says.
  case recorded(RecordingPolicy)

  init(_ login: LoginResult, _ node: XMPPElement) {
    let failed = node.child("failed", in: Namespace.streamManagement)
    switch login.step {
    case .authenticated:
      self = .authenticated(
        login.jid, management: failed.flatMap { ManagementElement($0) }.map { [$0] } ?? [])
    case .bound:
      let enabled = node.child("bound", in: Namespace.bind2)?
        .child("enabled", in: Namespace.streamManagement)
      self = .bound(
        login.jid,
        management: [failed, enabled].compactMap { $0 }
          .compactMap { ManagementElement($0) })
    case .resumed:
      let resumed = node.child("resumed", in: Namespace.streamManagement)
      self = .resumed(
        login.jid, handled: resumed?.attribute("h").flatMap { UInt32($0) },
        previousID: resumed?.filledAttribute("previd"))
    }
  }
}

/// An element of XEP-0198, or a stanza that is only counted.
package enum ManagementElement: Sendable {
  /// A stanza that cannot be read.
  case stanza
  case enable
  case enabled(id: String?, isResumable: Bool)
  case acknowledged(UInt32)
  case resume(previousID: String?, handled: UInt32?)
  case resumed(UInt32?, previousID: String?)
  case failed(UInt32?)

  /// Reads the resumption that a login asks for (XEP-0388 §2.3); nil if it asks for none.
  init?(inlineIn node: XMPPElement) {
    guard node.is("authenticate", in: Namespace.sasl2),
      let resume = node.child("resume", in: Namespace.streamManagement)
    else { return nil }
    self.init(resume)
  }

  init?(_ node: XMPPElement) {
    let namespaces = [Namespace.streamManagement, Namespace.streamManagement2]
    guard namespaces.contains(node.name.namespace) else { return nil }
    let handled = node.attribute("h").flatMap { UInt32($0) }
    switch node.name.local {
    case "enable": self = .enable
    case "enabled":
      let resume = node.attribute("resume")
      self = .enabled(
        id: node.filledAttribute("id"), isResumable: resume == "true" || resume == "1")
    case "a":
      guard let handled else { return nil }
      self = .acknowledged(handled)
    case "resume":
      self = .resume(previousID: node.filledAttribute("previd"), handled: handled)
    case "resumed": self = .resumed(handled, previousID: node.filledAttribute("previd"))
    case "failed": self = .failed(handled)
    default: return nil
    }
  }
}

/// A `<presence/>` as far as conversations need it: who is in a room, and avatars.
package struct PresenceStanza: Sendable {
  package var kind: PresenceKind
  package var from: JID?
  package var to: JID?
  /// Whether it asks to enter a room (XEP-0045 §7.2).
  package var entersRoom: Bool
  /// Whether it is from an occupant of a room.
  package var isFromOccupant: Bool
  /// The status codes of a room (XEP-0045 §15.6.2).
  package var statuses: Set<Int> = []
  /// The new nick of an occupant who changes it.
  package var newNick: String?
  package var occupantID: ExactText?
  /// The update of XEP-0153.
  package var avatarUpdate: XMPPElement?

  init?(_ node: XMPPElement) {
    guard case .presence(let kind)? = try? StanzaKind(node) else { return nil }
    self.kind = kind
    if node.attribute("from") != nil {
      guard let address = node.address("from") else { return nil }
      from = address
    }
    if node.attribute("to") != nil {
      guard let address = node.address("to") else { return nil }
      to = address
    }
    entersRoom = node.hasChild("x", in: Namespace.muc)
    occupantID = node.child("occupant-id", in: Namespace.occupantID)?.filledAttribute("id")
      .map { ExactText($0) }
    avatarUpdate = node.child("x", in: Namespace.avatarUpdate)?.owned
    guard let room = node.child("x", in: Namespace.mucUser) else {
      isFromOccupant = false
      return
    }
    isFromOccupant = true
    statuses = Set(
      room.children("status", in: Namespace.mucUser).compactMap { Int(count: $0.attribute("code")) }
    )
    newNick = room.child("item", in: Namespace.mucUser)?.filledAttribute("nick")
  }
}
