package import XMPPStanza

/// The picture that an address shows (rule 37).
package struct Avatar: Hashable, Sendable {
  /// The ways to announce an avatar; their names are those of the JSON document.
  package enum Source: String, Hashable, Sendable, CaseIterable {
    /// The metadata of XEP-0084.
    case pep
    /// The hash in presence of XEP-0153, which names the photo of the card.
    case vCard = "vcard"
  }

  /// An account, or an occupant of a room.
  package let jid: JID
  /// The SHA-1 digest of the picture in lowercase hexadecimal digits; nil if the address announced
  /// that it has no avatar.
  package let sha1: String?
  package let source: Source
  /// The media type that the announcement claims.
  package let mediaType: String?
  /// The size in bytes that the announcement claims.
  package let size: UInt64?
  /// The record of the announcement.
  package let record: UInt64
}
