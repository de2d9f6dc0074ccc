package import XMPPStanza

/// A card with which an account introduces itself (rule 36).
package struct Card: Hashable, Sendable {
  /// The forms of cards; their names are those of the JSON document.
  package enum Form: String, Hashable, Sendable, CaseIterable {
    /// XEP-0054.
    case vCardTemp = "vcard-temp"
    /// XEP-0292.
    case vCard4 = "vcard4"
  }

  /// The account that was asked.
  package let jid: JID
  package let form: Form
  /// The full name; nil if it is missing or blank.
  package let fullName: String?
  /// The nickname; nil if it is missing or blank.
  package let nickname: String?
  /// The photo; nil if the card has none in it, or one that is not Base64.
  package let photo: CardPhoto?
  /// The record of the answer.
  package let record: UInt64
}

/// A photo whose bytes are in a card.
package struct CardPhoto: Hashable, Sendable {
  /// The media type by its bytes, else the one that the card claims; nil if neither says one.
  package let mediaType: String?
  /// The size in bytes.
  package let size: Int
  /// The SHA-1 digest in lowercase hexadecimal digits, by which avatars name it.
  package let sha1: String

  init(_ media: MediaBytes, claim: String?) {
    mediaType = media.mediaType ?? claim
    size = media.bytes.count
    sha1 = media.sha1
  }
}
