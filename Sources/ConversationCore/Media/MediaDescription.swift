import RawBytes

/// What the bytes of a picture or a recording say about themselves, whatever their sender claims.
///
/// The bytes are hostile: each reader checks every offset, follows no loop, and examines each byte
/// a bounded number of times. A value that the bytes do not have, or that is impossible, is nil.
package struct MediaDescription: Hashable, Sendable {
  /// The format.
  package let format: MediaFormat
  /// The size in pixels as stored, before any rotation that metadata asks for; nil for sound.
  package let pixels: PixelSize?
  /// The length of a recording in milliseconds, rounded to the nearest; nil for a picture.
  ///
  /// For a stream of frames it is what the complete frames in the bytes play, so that a recording
  /// that was cut off has the length of what is there.
  package let milliseconds: Int?

  init(_ format: MediaFormat, pixels: PixelSize? = nil, milliseconds: Int? = nil) {
    self.format = format
    self.pixels = pixels
    self.milliseconds = milliseconds
  }

  /// Describes bytes; nil if they are in none of the formats.
  ///
  /// Complexity: linear in the bytes for streams of frames, otherwise in the headers.
  package init?(of bytes: RawSpan) {
    let readers = [
      Self.png, Self.jpeg, Self.gif, Self.webp, Self.wav, Self.ogg, Self.amr, Self.isoMedia,
      Self.bmp, Self.adts, Self.mp3,
    ]
    for reader in readers {
      guard let found = reader(bytes) else { continue }
      self = found
      return
    }
    return nil
  }
}

/// The width and height of a picture, both at least 1.
package struct PixelSize: Hashable, Sendable {
  /// The number of columns.
  package let width: Int
  /// The number of rows.
  package let height: Int

  /// The maximum width and height: more is a damaged header, not a picture.
  static let maximum = 1 << 20

  /// Nil if a number is missing or impossible.
  init?(_ width: Int?, _ height: Int?) {
    let allowed = 1...Self.maximum
    guard let width, let height, allowed.contains(width), allowed.contains(height) else {
      return nil
    }
    self.width = width
    self.height = height
  }
}

/// Returns the length in milliseconds of a number of samples, rounded to the nearest; nil if the
/// rate is zero or the length is beyond a year, which no header of a recording says truly.
func roundedMilliseconds(_ samples: UInt64, perSecond rate: UInt64) -> Int? {
  let (thousand, overflows) = samples.multipliedReportingOverflow(by: 1000)
  guard rate > 0, !overflows, thousand <= .max - rate else { return nil }
  let length = (thousand + rate / 2) / rate
  return length <= 366 * 86_400_000 ? Int(length) : nil
}

extension RawSpan {
  /// The byte at an offset; nil beyond the end.
  func byteIfPresent(_ offset: Int) -> UInt8? {
    offset < byteCount ? self[offset] : nil
  }

  /// The unsigned integer at an offset with its highest byte first; nil beyond the end.
  func big<Integer: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
    _ type: Integer.Type, _ offset: Int
  ) -> Int? {
    guard offset <= byteCount, byteCount - offset >= MemoryLayout<Integer>.size else { return nil }
    return Int(exactly: bigEndian(at: offset, as: type))
  }

  /// The unsigned integer at an offset with its lowest byte first; nil beyond the end.
  func little<Integer: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
    _ type: Integer.Type, _ offset: Int
  ) -> Int? {
    guard offset <= byteCount, byteCount - offset >= MemoryLayout<Integer>.size else { return nil }
    return Int(exactly: littleEndian(at: offset, as: type))
  }

  /// Whether a literal of several characters is at an offset.
  func has(_ literal: StaticString, at offset: Int = 0) -> Bool {
    let count = literal.utf8CodeUnitCount
    guard offset <= byteCount, byteCount - offset >= count else { return false }
    return self[offset..<(offset + count)].isSame(as: literal.utf8Bytes)
  }
}
