import RawBytes
package import XMPPStanza

/// The avatar of each address, and which pictures were seen (rule 37).
package struct AvatarTable: Hashable, Sendable {
  /// What an address announced, by either way.
  private struct Announced: Hashable {
    var pep: Avatar?
    var vCard: Avatar?
  }

  private var announced: [JID: Announced] = [:]
  /// The digests of the pictures that were seen.
  private var seen: Set<String> = []

  /// Creates a table without avatars.
  package init() {}

  /// Applies the metadata of an avatar (XEP-0084 §4.2.1). Metadata without a picture means that
  /// there is no avatar.
  ///
  /// Of several forms of the picture, the one that is published with PEP counts; one with a `url`
  /// is elsewhere, and is never fetched.
  package mutating func metadataSeen(_ metadata: XMPPElement, of jid: JID, record: UInt64) {
    let infos = metadata.children.filter { $0.is("info", in: Namespace.avatarMetadata) }
    let info = infos.first { $0.attribute("url") == nil } ?? infos.first
    let sha1 = info?.attribute("id").flatMap(Self.digest)
    // An id that is no digest identifies nothing.
    guard info == nil || sha1 != nil else { return }
    announced[jid, default: Announced()].pep = Avatar(
      jid: jid, sha1: sha1, source: .pep, mediaType: info?.attribute("type"),
      size: info?.attribute("bytes").flatMap { UInt64($0) }, record: record)
  }

  /// Applies `x` of presence (XEP-0153 §3.2). An empty `photo` means that there is no avatar, and a
  /// missing one that the client does not know yet.
  ///
  /// - Parameter jid: The bare address of an account, or an occupant of a room.
  package mutating func presenceHashSeen(_ update: XMPPElement, of jid: JID, record: UInt64) {
    guard let photo = update.child("photo", in: Namespace.avatarUpdate) else { return }
    let text = photo.text.trimmedOfXMLSpace
    let sha1 = Self.digest(text)
    guard text.isEmpty || sha1 != nil else { return }
    let known = announced[jid]?.vCard
    // Every presence repeats the hash; the record is that of its first announcement.
    guard known == nil || known?.sha1 != sha1 else { return }
    announced[jid, default: Announced()].vCard = Avatar(
      jid: jid, sha1: sha1, source: .vCard, mediaType: nil, size: nil, record: record)
  }

  /// Notes that the bytes with a digest were seen.
  package mutating func bytesSeen(sha1: String) {
    seen.insert(sha1)
  }

  /// Notes the bytes in the data of an avatar (XEP-0084 §4.1), whatever id they were published
  /// under. Complexity: linear in the bytes.
  ///
  /// - Returns: The digest of the bytes; nil if the text is not Base64.
  @discardableResult
  package mutating func dataSeen(_ data: XMPPElement) -> String? {
    var media: MediaBytes?
    data.withText { media = MediaBytes(base64: $0) }
    guard let sha1 = media?.sha1 else { return nil }
    bytesSeen(sha1: sha1)
    return sha1
  }

  /// The avatars by address, and the addresses that announced that they have none.
  ///
  /// Metadata counts before a hash in presence: a server that converts one into the other gives the
  /// same digest by both ways. Complexity: O(n log n).
  package var all: [Avatar] {
    announced.values.compactMap { $0.pep ?? $0.vCard }.sorted { $0.jid < $1.jid }
  }

  /// The avatar of an account; nil if it announced nothing.
  package func avatar(of account: BareJID) -> Avatar? {
    let found = announced[JID(prepared: account, resource: nil)]
    return found?.pep ?? found?.vCard
  }

  /// The number of different pictures that were seen.
  package var seenCount: Int { seen.count }

  /// Whether the bytes of an avatar were seen.
  package func isKnown(_ avatar: Avatar) -> Bool {
    avatar.sha1.map { seen.contains($0) } ?? false
  }

  /// A SHA-1 digest in lowercase; nil if the text is none.
  private static func digest(_ text: String) -> String? {
    let text = text.trimmedOfXMLSpace.lowercased()
    let digits = "0123456789abcdef".utf8
    return text.utf8.count == 40 && text.utf8.allSatisfy { digits.contains($0) } ? text : nil
  }
}
