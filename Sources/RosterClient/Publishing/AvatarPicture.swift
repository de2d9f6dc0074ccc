import ConversationCore
import Foundation
import Rollcall
import XMPPStanza

/// A picture to publish as the avatar of an account (XEP-0084).
struct AvatarPicture {
  private let bytes: [UInt8]
  private let mediaType: String
  private let pixels: PixelSize?
  /// The id of the items: the SHA-1 digest of the bytes.
  private let id: String

  /// The maximum size of a picture in bytes. In Base64 it fits into a stanza that servers accept,
  /// by default 256 KiB.
  static let byteLimit = 128 << 10

  /// - Throws: `LiveError.unfitPicture` unless these are the bytes of a picture that clients show.
  init(_ bytes: [UInt8]) throws(LiveError) {
    guard bytes.count <= Self.byteLimit else {
      throw .unfitPicture(
        "it has \(bytes.count) bytes, and an avatar has at most \(Self.byteLimit)")
    }
    let media = MediaBytes(bytes)
    guard let mediaType = media.mediaType, Self.mediaTypes.contains(mediaType) else {
      throw .unfitPicture("it is no picture in PNG, JPEG, GIF or WebP")
    }
    self.bytes = bytes
    self.mediaType = mediaType
    (pixels, id) = (media.description?.pixels, media.sha1)
  }

  private static let mediaTypes: Set = ["image/png", "image/jpeg", "image/gif", "image/webp"]

  /// The request that publishes the bytes.
  var data: XMPPElement {
    let text = Data(bytes).base64EncodedString()
    return .publishing(
      .element("data", Namespace.avatarData, text: text), at: Namespace.avatarData, id: id)
  }

  /// The request that publishes what the bytes are, after them (XEP-0084 §3.2).
  var metadata: XMPPElement {
    let info = XMPPElement.element(
      "info", Namespace.avatarMetadata,
      [
        ("bytes", "\(bytes.count)"), ("id", id), ("type", mediaType),
        ("width", pixels.map { "\($0.width)" }), ("height", pixels.map { "\($0.height)" }),
      ])
    return .publishing(
      .element("metadata", Namespace.avatarMetadata, [], [info]), at: Namespace.avatarMetadata,
      id: id)
  }

  /// The request that says that the account has no avatar (XEP-0084 §4.2.3).
  static let none = XMPPElement.publishing(
    .element("metadata", Namespace.avatarMetadata), at: Namespace.avatarMetadata, id: nil)
}

extension XMPPElement {
  /// A request that publishes an item at a node of the account (XEP-0163).
  static func publishing(_ payload: XMPPElement, at node: String, id: String?) -> XMPPElement {
    let item = element("item", Namespace.pubsub, [("id", id)], [payload])
    let publish = element("publish", Namespace.pubsub, [("node", node)], [item])
    return change(element("pubsub", Namespace.pubsub, [], [publish]))
  }

  /// A request to the own account that changes something, whose id the session chooses.
  static func change(_ payload: XMPPElement) -> XMPPElement {
    element("iq", Namespace.client, [("type", "set")], [payload])
  }
}
