import RawBytes
import XMPPStanza

// Cards, avatars and read positions that accounts publish (rules 18, 36 and 37).
extension Conversations {
  /// Reduces an event of XEP-0163; the server stamps whose it is.
  mutating func itemsPublished(
    _ items: XMPPElement, by sender: JID?, at position: RecordPosition
  ) {
    guard let owner = sender ?? account.map({ JID(prepared: $0, resource: nil) }),
      owner.resource == nil, let node = items.attribute("node")
    else { return }
    itemsSeen(items, at: node, of: owner, at: position)
  }

  /// Reduces the answer to a get of items; nil for an error.
  mutating func itemsAnswered(
    _ node: String, _ answer: XMPPElement?, _ query: OpenQuery<AwaitedContent>,
    at position: RecordPosition
  ) {
    guard let owner = (query.to?.bare ?? account).map({ JID(prepared: $0, resource: nil) }) else {
      return
    }
    let items = answer?.child("pubsub", in: Namespace.pubsub)?
      .child("items", in: Namespace.pubsub)
    guard let items else {
      if isCardNode(node) {
        cards.answered(nil, .vCard4, of: owner, record: position.record)
      }
      return
    }
    itemsSeen(items, at: node, of: owner, at: position)
  }

  /// Our server accepted what we set.
  mutating func setAccepted(_ query: OpenQuery<AwaitedContent>, at position: RecordPosition) {
    guard let account else { return }
    let own = JID(prepared: account, resource: nil)
    if let card = query.subject.content?.child("vCard", in: Namespace.vCard) {
      cardSeen(card, .vCardTemp, of: own, at: position)
    } else if case .publication(let node) = query.subject.kind,
      let published = query.subject.content?.child("pubsub", in: Namespace.pubsub)?
        .child("publish", in: Namespace.pubsub)
    {
      itemsSeen(published, at: node, of: own, at: position)
    }
  }

  /// Reduces the answer to a get of a card; nil for an error (rule 36).
  mutating func cardAnswered(
    _ answer: XMPPElement?, _ query: OpenQuery<AwaitedContent>, at position: RecordPosition
  ) {
    guard let own = account.map({ JID(prepared: $0, resource: nil) }) else { return }
    var owner = query.to ?? own
    // An occupant of a room has a card of its own.
    if rooms[owner.bare] == nil { owner = JID(prepared: owner.bare, resource: nil) }
    cardSeen(answer?.child("vCard", in: Namespace.vCard), .vCardTemp, of: owner, at: position)
  }

  private mutating func cardSeen(
    _ card: XMPPElement?, _ form: Card.Form, of owner: JID, at position: RecordPosition
  ) {
    let read = cards.answered(card, form, of: owner, record: position.record)
    if let photo = read?.photo { avatars.bytesSeen(sha1: photo.sha1) }
  }

  private func isCardNode(_ node: String) -> Bool {
    node.hasSameBytes(as: Namespace.vCard4Node) || node.hasSameBytes(as: Namespace.vCard4)
  }

  /// Reduces items of a node, whatever way they were seen.
  private mutating func itemsSeen(
    _ items: XMPPElement, at node: String, of owner: JID, at position: RecordPosition
  ) {
    for item in items.children where item.name.local.hasSameBytes(as: "item") {
      if isCardNode(node), let card = item.child("vcard", in: Namespace.vCard4) {
        cardSeen(card, .vCard4, of: owner, at: position)
      } else if node.hasSameBytes(as: Namespace.avatarMetadata),
        let metadata = item.child("metadata", in: Namespace.avatarMetadata)
      {
        avatars.metadataSeen(metadata, of: owner, record: position.record)
      } else if node.hasSameBytes(as: Namespace.avatarData),
        let data = item.child("data", in: Namespace.avatarData)
      {
        avatars.dataSeen(data)
      } else if node.hasSameBytes(as: Namespace.displayedSync), owner.bare == account {
        readElsewhere(item, at: position)
      }
    }
  }

  /// Reduces the hash in a presence (XEP-0153); in a room it is of the occupant.
  mutating func avatarAnnounced(
    _ presence: PresenceStanza, _ from: JID, at position: RecordPosition
  ) {
    guard let update = presence.avatarUpdate, presence.kind == .available else { return }
    let isOccupant = presence.isFromOccupant || rooms[from.bare] != nil
    avatars.presenceHashSeen(
      update, of: isOccupant ? from : JID(prepared: from.bare, resource: nil),
      record: position.record)
  }

  /// Reduces a read position of another device of ours (XEP-0490).
  private mutating func readElsewhere(_ item: XMPPElement, at position: RecordPosition) {
    guard let displayed = item.child("displayed", in: Namespace.displayedSync),
      let named = displayed.child("stanza-id", in: Namespace.stanzaIDs),
      let id = named.filledAttribute("id"),
      let jid = item.filledAttribute("id").flatMap({ try? JID(parsing: $0) })
    else { return }
    let keys: [ConversationKey] =
      jid.resource == nil ? [.group(jid.bare), .chat(jid.bare)] : [.private(jid)]
    let key = keys.first { byKey[$0] != nil } ?? keys[keys.count - 1]
    let archive = named.address("by")?.bare ?? (key.kind == .group ? jid.bare : account)
    guard let archive else { return }
    read(.archive(ArchiveID(id, in: archive)), in: number(of: key), at: position)
  }
}
