import RawBytes
import SessionCore
import XMPPStanza

extension MessageStanza {
  /// Reads a `<message/>`; nil if it is none, or if one of its addresses cannot be prepared.
  ///
  /// - Parameter readsWrappers: Whether carbons and archive results are read. Those inside a
  ///   wrapped message are quotations (rule 2).
  init?(_ node: XMPPElement, readsWrappers: Bool) {
    guard node.is("message", in: Namespace.client) else { return nil }
    type = node.attribute("type").flatMap(MessageType.init(rawValue:)) ?? .normal
    if node.attribute("from") != nil {
      guard let address = node.address("from") else { return nil }
      from = address
    }
    if node.attribute("to") != nil {
      guard let address = node.address("to") else { return nil }
      to = address
    }
    id = node.filledAttribute("id")
    readMarks(of: node)
    if readsWrappers { readWrappers(of: node) }
    if type == .error {
      error =
        ErrorReport(
          node.child("error", in: Namespace.client), in: Namespace.stanzaErrors
        ).condition
    } else {
      readContent(of: node)
    }
  }

  /// Reads ids, stamps, and what concerns other messages.
  private mutating func readMarks(of node: XMPPElement) {
    originID = node.child("origin-id", in: Namespace.stanzaIDs)?.filledAttribute("id")
    for child in node.children("stanza-id", in: Namespace.stanzaIDs) {
      guard let by = child.address("by"), by.resource == nil, let id = child.filledAttribute("id")
      else { continue }
      stanzaIDs.append(ArchiveID(id, in: by.bare))
    }
    delays = DelayStamp.all(in: node)
    thread = node.filledText(ofChild: "thread", in: Namespace.client)
    occupantID = node.child("occupant-id", in: Namespace.occupantID)?.filledAttribute("id")
      .map { ExactText($0) }
    readRoomMarks(of: node)
    requestsReceipt = node.hasChild("request", in: Namespace.receipts)
    isUnstored =
      node.hasChild("no-store", in: Namespace.hints)
      || node.hasChild("no-permanent-store", in: Namespace.hints)
    receipt = node.child("received", in: Namespace.receipts)?.filledAttribute("id")
    marker = Marker(in: node)
    correctedID = node.child("replace", in: Namespace.correction)?.filledAttribute("id")
    retraction = RetractionRequest(in: node)
    tombstone = RetractionRequest(tombstoneIn: node)
    if let set = node.child("reactions", in: Namespace.reactions),
      let id = set.filledAttribute("id")
    {
      reactions = (id, set.isLeftOut ? nil : Self.emojis(of: set))
    }
    if let answered = node.child("reply", in: Namespace.reply),
      let id = answered.filledAttribute("id")
    {
      reply = Reply(id: id)
    }
    if let attached = node.child("attach-to", in: Namespace.attaching),
      let message = attached.filledAttribute("id"),
      let sources = node.child("sources", in: Namespace.fileSharing)
    {
      furtherSources = FurtherSources(
        message: message, file: sources.filledAttribute("id"), urls: SharedFiles.urls(of: sources))
    }
    pubsubItems =
      node.child("event", in: Namespace.pubsubEvent)?
      .child("items", in: Namespace.pubsubEvent)?.owned
  }

  private mutating func readRoomMarks(of node: XMPPElement) {
    if let room = node.child("x", in: Namespace.mucUser) {
      if let invite = room.child("invite", in: Namespace.mucUser) {
        // Only a room sends an inviter; we send the address of the invited.
        if invite.attribute("from") != nil || invite.attribute("to") == nil {
          invitation = Invitation(inviter: invite.address("from"), isDirect: false)
        }
      } else if !room.hasChild("decline", in: Namespace.mucUser) {
        isFromOccupant = true
        realJID = room.child("item", in: Namespace.mucUser)?.address("jid")
      }
    }
    if invitation == nil,
      let direct = node.child("x", in: Namespace.directInvitation), direct.address("jid") != nil
    {
      invitation = Invitation(inviter: nil, isDirect: true)
    }
  }

  /// The reactions of a set, without empty ones and duplicates.
  private static func emojis(of set: XMPPElement) -> [String] {
    var seen: Set<ExactText> = []
    return set.children("reaction", in: Namespace.reactions).map(\.text.trimmedOfXMLSpace)
      .filter { !$0.isEmpty && seen.insert(ExactText($0)).inserted }
  }

  private mutating func readWrappers(of node: XMPPElement) {
    if let sent = node.child("sent", in: Namespace.carbons) {
      carbon = Carbon(isSent: true, message: Forwarded(in: sent))
    } else if let received = node.child("received", in: Namespace.carbons) {
      carbon = Carbon(isSent: false, message: Forwarded(in: received))
    }
    if let result = node.child("result", in: Namespace.archives)?.element {
      archived = ArchivedMessage(
        queryID: result.filledAttribute("queryid"), id: result.filledAttribute("id") ?? "",
        message: Forwarded(in: result))
    }
  }
}

extension MessageStanza.Forwarded {
  /// Reads the message that a wrapper forwards; nil if there is none that can be read.
  fileprivate convenience init?(in wrapper: XMPPElement) {
    guard let forwarded = wrapper.child("forwarded", in: Namespace.forward),
      let message = forwarded.child("message", in: Namespace.client),
      let stanza = MessageStanza(message, readsWrappers: false)
    else { return nil }
    self.init(stanza, delay: MessageStanza.DelayStamp.all(in: forwarded).first)
  }
}

extension MessageStanza.DelayStamp {
  /// The stamps directly in an element, in order.
  static func all(in node: XMPPElement) -> [Self] {
    var found: [Self] = []
    for child in node.children {
      if child.is("delay", in: Namespace.delay) {
        guard let stamp = Self(child, StampReading.time(child.attribute("stamp"))) else { continue }
        found.append(stamp)
      } else if child.is("x", in: Namespace.legacyDelay) {
        guard let stamp = Self(child, StampReading.legacyTime(child.attribute("stamp")))
        else { continue }
        found.append(stamp)
      }
    }
    return found
  }

  /// Nil if its sender cannot be read, because it is then not known whether the stamp counts.
  private init?(_ node: XMPPElement, _ time: Int64?) {
    if node.attribute("from") != nil {
      guard let from = node.address("from") else { return nil }
      self.from = from
    }
    self.time = time
  }
}

extension MessageStanza.Marker {
  /// Reads the marker of a stanza; the old `acknowledged` counts as displayed (rule 17).
  fileprivate init?(in node: XMPPElement) {
    for (name, kind): (WantedName, Kind) in [
      ("displayed", .displayed), ("acknowledged", .displayed), ("received", .received),
    ] {
      guard let id = node.child(name, in: Namespace.markers)?.filledAttribute("id") else {
        continue
      }
      self.init(kind: kind, id: id)
      return
    }
    return nil
  }
}

extension MessageStanza.RetractionRequest {
  /// Reads a retraction or a moderation in one of its forms.
  fileprivate init?(in node: XMPPElement) {
    if let retract = node.child("retract", in: Namespace.retraction),
      let id = retract.filledAttribute("id")
    {
      let moderated = retract.child("moderated", in: Namespace.moderation)
      self.init(
        id: id, isModeration: moderated != nil, by: moderated?.filledAttribute("by"),
        reason: retract.filledText(ofChild: "reason", in: Namespace.retraction)
          ?? retract.filledText(ofChild: "reason", in: Namespace.moderation))
    } else if let fastened = node.child("apply-to", in: Namespace.fastening),
      let id = fastened.filledAttribute("id")
    {
      if let moderated = fastened.child("moderated", in: Namespace.moderation0) {
        guard moderated.hasChild("retract", in: Namespace.retraction0) else { return nil }
        self.init(
          id: id, isModeration: true, by: moderated.filledAttribute("by"),
          reason: moderated.filledText(ofChild: "reason", in: Namespace.moderation0))
      } else {
        guard fastened.hasChild("retract", in: Namespace.retraction0) else { return nil }
        self.init(id: id, isModeration: false, by: nil, reason: nil)
      }
    } else {
      return nil
    }
  }

  /// Reads what an archive keeps instead of a retracted message.
  fileprivate init?(tombstoneIn node: XMPPElement) {
    if let retracted = node.child(
      "retracted", in: [Namespace.retraction, Namespace.retraction0])?.element
    {
      let moderated = retracted.child("moderated", in: Namespace.moderation)
      self.init(
        id: "", isModeration: moderated != nil, by: moderated?.filledAttribute("by"),
        reason: retracted.filledText(ofChild: "reason", in: Namespace.retraction))
    } else if let moderated = node.child("moderated", in: Namespace.moderation0),
      moderated.hasChild("retracted", in: Namespace.retraction0)
    {
      self.init(
        id: "", isModeration: true, by: moderated.filledAttribute("by"),
        reason: moderated.filledText(ofChild: "reason", in: Namespace.moderation0))
    } else {
      return nil
    }
  }
}
