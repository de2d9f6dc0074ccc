import RawBytes

extension MediaDescription {
  /// PNG (W3C Portable Network Graphics §5.2, §11.2.1): a signature, then the header chunk.
  static func png(_ bytes: RawSpan) -> MediaDescription? {
    guard bytes.has("PNG\r\n", at: 1), bytes[0] == 0x89, bytes.big(UInt16.self, 6) == 0x1A0A
    else { return nil }
    guard bytes.big(UInt32.self, 8) == 13, bytes.has("IHDR", at: 12) else {
      return MediaDescription(.png)
    }
    return MediaDescription(
      .png, pixels: PixelSize(bytes.big(UInt32.self, 16), bytes.big(UInt32.self, 20)))
  }

  /// GIF (GIF89a specification §17, §18): a signature, then the logical screen.
  static func gif(_ bytes: RawSpan) -> MediaDescription? {
    guard bytes.has("GIF87a") || bytes.has("GIF89a") else { return nil }
    return MediaDescription(
      .gif, pixels: PixelSize(bytes.little(UInt16.self, 6), bytes.little(UInt16.self, 8)))
  }

  /// BMP: a file header of 14 bytes, then a header whose first field is its own size.
  static func bmp(_ bytes: RawSpan) -> MediaDescription? {
    // A text can begin with these letters, so the second header must have one of its known sizes.
    guard bytes.has("BM"), let headerSize = bytes.little(UInt32.self, 14) else { return nil }
    switch headerSize {
    case 12:
      return MediaDescription(
        .bmp, pixels: PixelSize(bytes.little(UInt16.self, 18), bytes.little(UInt16.self, 20)))
    case 40, 52, 56, 64, 108, 124:
      // A negative height means that the first row is the top one.
      let height = bytes.little(UInt32.self, 22).map {
        Int(Int32(truncatingIfNeeded: $0).magnitude)
      }
      return MediaDescription(.bmp, pixels: PixelSize(bytes.little(UInt32.self, 18), height))
    default: return nil
    }
  }

  /// WebP (RFC 9649 §2): a RIFF container whose first chunk has the size.
  static func webp(_ bytes: RawSpan) -> MediaDescription? {
    guard bytes.has("RIFF"), bytes.has("WEBP", at: 8) else { return nil }
    return MediaDescription(.webp, pixels: webpPixels(bytes))
  }

  private static func webpPixels(_ bytes: RawSpan) -> PixelSize? {
    if bytes.has("VP8X", at: 12) {
      // 24 bits each, minus one (RFC 9649 §2.7).
      guard let word = bytes.little(UInt64.self, 22) else { return nil }
      return PixelSize((word >> 16 & 0xFF_FFFF) + 1, (word >> 40 & 0xFF_FFFF) + 1)
    }
    if bytes.has("VP8L", at: 12) {
      // A signature, then 14 bits each, minus one (RFC 9649 §3.4).
      guard bytes.byteIfPresent(20) == 0x2F, let word = bytes.little(UInt32.self, 21) else {
        return nil
      }
      return PixelSize((word & 0x3FFF) + 1, (word >> 14 & 0x3FFF) + 1)
    }
    if bytes.has("VP8 ", at: 12) {
      // A key frame: three bytes, a start code, then 14 bits each (RFC 6386 §9.1).
      guard let tag = bytes.byteIfPresent(20), tag & 1 == 0, bytes.big(UInt16.self, 23) == 0x9D01,
        bytes.byteIfPresent(25) == 0x2A, let width = bytes.little(UInt16.self, 26),
        let height = bytes.little(UInt16.self, 28)
      else { return nil }
      return PixelSize(width & 0x3FFF, height & 0x3FFF)
    }
    return nil
  }

  /// JPEG (ITU-T T.81 §B.1, §B.2): markers until the one that begins the frame.
  static func jpeg(_ bytes: RawSpan) -> MediaDescription? {
    guard bytes.big(UInt16.self, 0) == 0xFFD8, bytes.byteIfPresent(2) == 0xFF else { return nil }
    return MediaDescription(.jpeg, pixels: jpegPixels(bytes))
  }

  private static func jpegPixels(_ bytes: RawSpan) -> PixelSize? {
    var offset = 2
    while let first = bytes.byteIfPresent(offset), first == 0xFF,
      let marker = bytes.byteIfPresent(offset + 1)
    {
      switch marker {
      case 0xFF:
        // A fill byte before the marker.
        offset += 1
      case 0x01, 0xD0...0xD8:
        // Markers without a segment.
        offset += 2
      case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
        // The frame header: length, precision, height, width. A height of 0 follows the scan.
        return PixelSize(bytes.big(UInt16.self, offset + 7), bytes.big(UInt16.self, offset + 5))
      case 0xD9, 0xDA:
        // The image ends, or its data begins, without a frame header.
        return nil
      default:
        guard let length = bytes.big(UInt16.self, offset + 2), length >= 2 else { return nil }
        offset += 2 + length
      }
    }
    return nil
  }
}
