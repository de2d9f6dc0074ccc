import Foundation

/// A picture and a recording to send, made by hand.
enum SentMedia {
  static let pictureBase64 =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg=="
  /// A gray pixel in PNG.
  static let picture = [UInt8](Data(base64Encoded: pictureBase64) ?? Data())
  /// Its digests, by `sha1sum` and `sha256sum`.
  static let pictureSHA1 = "e1621bc10fb12b6ed2916b08054ec6a08bf2d043"
  static let pictureSHA256 = "a1abfd410973b0111c215baa879b9edcd739e601659ba44168269767cc2e9108"

  /// A second of silence in AMR: 50 frames of 20 ms and 4.75 kbit/s, of 13 bytes each (RFC 4867).
  static let recording =
    Array("#!AMR\n".utf8)
    + Array(repeating: [0x04] + [UInt8](repeating: 0, count: 12), count: 50).flatMap { $0 }
}
