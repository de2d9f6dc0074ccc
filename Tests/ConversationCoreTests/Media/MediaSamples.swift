import RawBytes
import Testing

@testable import ConversationCore

/// The bytes of an integer, the highest first.
func big(_ value: Int, _ count: Int) -> [UInt8] {
  (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - $0))) }
}

/// The bytes of an integer, the lowest first.
func little(_ value: Int, _ count: Int) -> [UInt8] { big(value, count).reversed() }

/// The bytes of a text.
func text(_ text: String) -> [UInt8] { Array(text.utf8) }

/// As many zeros.
func zeros(_ count: Int) -> [UInt8] { Array(repeating: 0, count: count) }

/// The description of bytes.
func described(_ bytes: [UInt8]) -> MediaDescription? { MediaDescription(of: bytes.span.bytes) }

/// A file with what a reading of it must say.
struct MediaSample: Sendable, CustomTestStringConvertible {
  let name: String
  let bytes: [UInt8]
  let format: MediaFormat
  var width: Int?
  var height: Int?
  var milliseconds: Int?

  var testDescription: String { name }

  static func picture(
    _ name: String, _ format: MediaFormat, _ width: Int?, _ height: Int?, _ bytes: [UInt8]
  ) -> MediaSample {
    MediaSample(name: name, bytes: bytes, format: format, width: width, height: height)
  }

  static func sound(
    _ name: String, _ format: MediaFormat, _ milliseconds: Int?, _ bytes: [UInt8]
  ) -> MediaSample {
    MediaSample(name: name, bytes: bytes, format: format, milliseconds: milliseconds)
  }

  /// Whether the description is this one.
  func matches(_ found: MediaDescription?) -> Bool {
    found?.format == format && found?.pixels?.width == width && found?.pixels?.height == height
      && found?.milliseconds == milliseconds
  }

  /// Bytes in Base64, as the original was published.
  static func base64(_ encoded: String) -> [UInt8] {
    Base64.decode(Array(encoded.utf8).span.bytes) ?? []
  }

  static let all = pictures + sounds + movies
}
