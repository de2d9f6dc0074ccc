import Digests
import RawBytes

/// The bytes of a picture, a recording or a file that are in the log, with what they say about
/// themselves.
package struct MediaBytes: Hashable, Sendable {
  /// The bytes.
  package let bytes: [UInt8]
  /// What they are; nil if they are in no format that is recognized.
  package let description: MediaDescription?

  /// Describes bytes. Complexity: linear in them.
  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
    description = MediaDescription(of: bytes.span.bytes)
  }

  /// Decodes and describes Base64; nil if the text is not Base64 or contains no bytes.
  package init?(base64 text: RawSpan) {
    guard let bytes = Base64.decode(text) else { return nil }
    self.init(bytes)
  }

  /// What an attachment with these bytes is for a person.
  package var kind: MediaKind { description?.format.kind ?? .file }

  /// The media type; nil if it is not recognized.
  package var mediaType: String? { description?.format.mediaType }

  /// The SHA-1 digest as 40 lowercase hexadecimal digits. Complexity: linear in the bytes.
  package var sha1: String { Digest.sha1(bytes).hexadecimal }

  /// The SHA-256 digest as 64 lowercase hexadecimal digits. Complexity: linear in the bytes.
  package var sha256: String { Digest.sha256(bytes).hexadecimal }

  /// The SHA-512 digest as 128 lowercase hexadecimal digits. Complexity: linear in the bytes.
  package var sha512: String { Digest.sha512(bytes).hexadecimal }

  /// The name of a file with these bytes: the SHA-256 digest and an extension that the bytes
  /// justify. Nothing in it is from the sender.
  package var fileName: String {
    sha256 + "." + (description?.format.fileExtension ?? MediaFormat.otherFileExtension)
  }
}
