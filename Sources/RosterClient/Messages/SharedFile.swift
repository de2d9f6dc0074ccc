import ConversationCore
import Crypto
import Foundation
import RawBytes
import XMPPStanza

/// A file that a message shares by its address (XEP-0066, XEP-0447).
public struct SharedFile: Hashable, Sendable {
  /// Where the file can be fetched.
  public let url: String
  /// The name to save it under, without a folder.
  public let name: String
  /// The media type, such as `image/png`.
  public let mediaType: String
  /// The length in bytes.
  public let size: Int
  /// The SHA-256 digest in Base64 (XEP-0300).
  let digest: String
  /// The width and height of a picture.
  let pixels: PixelSize?
  /// The length of a recording in milliseconds.
  let milliseconds: Int?

  init(_ file: OutgoingFile, at url: String) {
    self.url = url
    (name, mediaType, size) = (file.name, file.mediaType, file.bytes.count)
    (digest, pixels, milliseconds) = (file.digest, file.pixels, file.milliseconds)
  }

  /// The elements of the message, its body included.
  ///
  /// Without a text the body is the address, for clients that know XEP-0066 or neither. A fallback
  /// tells those that know XEP-0447.
  func elements(beside text: String) -> [XMPPElement] {
    let fallback = XMPPElement.element(
      "fallback", Namespace.fallback, [("for", Namespace.fileSharing)],
      [.element("body", Namespace.fallback)])
    let link = XMPPElement.element(
      "x", Namespace.outOfBand, [], [.element("url", Namespace.outOfBand, text: url)])
    return [ChatMessage.body(text.isEmpty ? url : text), link, sharing]
      + (text.isEmpty ? [fallback] : [])
  }

  private var sharing: XMPPElement {
    let source = XMPPElement.element("url-data", Namespace.urlData, [("target", url)])
    return .element(
      "file-sharing", Namespace.fileSharing, [("disposition", "inline")],
      [
        .element("file", Namespace.fileMetadata, [], facts),
        .element("sources", Namespace.fileSharing, [], [source]),
      ])
  }

  private var facts: [XMPPElement] {
    func fact(_ name: String, _ value: String?) -> [XMPPElement] {
      value.map { [.element(name, Namespace.fileMetadata, text: $0)] } ?? []
    }
    return fact("media-type", mediaType) + fact("name", name) + fact("size", "\(size)")
      + fact("width", pixels.map { "\($0.width)" }) + fact("height", pixels.map { "\($0.height)" })
      + fact("length", milliseconds.map { "\($0)" })
      + [.element("hash", Namespace.hashes, [("algo", "sha-256")], text: digest)]
  }
}

/// A file to send.
public struct OutgoingFile: Hashable, Sendable {
  /// The name that the recipient sees, without a folder.
  public let name: String
  /// What the bytes are, by their own beginning: `image/png`, `audio/mp4`, …;
  /// `application/octet-stream` if they are in no format that is recognized.
  public let mediaType: String
  /// The content.
  public let bytes: [UInt8]

  /// The SHA-256 digest in Base64.
  let digest: String
  /// The width and height of a picture.
  let pixels: PixelSize?
  /// The length of a recording in milliseconds.
  let milliseconds: Int?

  /// The most bytes of a file.
  public static let byteLimit = 100 << 20

  /// A file from its content.
  ///
  /// - Parameters:
  ///   - bytes: The content, at most `byteLimit` bytes if it is to be uploaded.
  ///   - name: The name; everything up to the last slash is left out.
  ///
  /// Complexity: linear in the bytes.
  public init(_ bytes: [UInt8], name: String) {
    self.bytes = bytes
    let last = name.split(separator: "/").last.map(String.init) ?? ""
    self.name = last.isEmpty ? "file" : last
    let media = MediaBytes(bytes)
    mediaType = media.mediaType ?? "application/octet-stream"
    (pixels, milliseconds) = (media.description?.pixels, media.description?.milliseconds)
    // Here, because a session could not go on while it digests a large file.
    digest = Data(SHA256.hash(data: bytes)).base64EncodedString()
  }
}
