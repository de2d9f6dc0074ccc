@testable import ConversationCore

extension MediaSample {
  static let pictures: [MediaSample] = [
    .picture("PNG", .png, 64, 48, png(64, 48)),
    .picture("PNG of width 0", .png, nil, nil, png(0, 48)),
    .picture("PNG of an impossible height", .png, nil, nil, png(64, 0x7FFF_FFFF)),
    .picture("PNG signature alone", .png, nil, nil, Array(png(1, 1).prefix(8))),
    .picture("PNG that begins with another chunk", .png, nil, nil, png(1, 1, chunk: "tEXt")),
    .picture("GIF87a", .gif, 320, 200, text("GIF87a") + little(320, 2) + little(200, 2)),
    .picture(
      "GIF of one pixel", .gif, 1, 1,
      base64("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7")),
    .picture("GIF without a screen", .gif, nil, nil, text("GIF89a")),
    .picture(
      "WebP, lossy", .webp, 1, 1,
      base64("UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA")),
    .picture(
      "WebP, lossless", .webp, 1, 1,
      base64("UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==")),
    .picture(
      "WebP, extended", .webp, 1, 1,
      base64(
        "UklGRkoAAABXRUJQVlA4WAoAAAAQAAAAAAAAAAAAQUxQSAwAAAARBxAR/Q9ERP8DAABWUDggGAAAABQBAJ0BKgEAAQAAAP4AAA3AAP7mtQAAAA=="
      )),
    // 640 - 1 = 0x27F and 480 - 1 = 0x1DF, 14 bits each after the signature.
    .picture(
      "WebP, lossless, larger", .webp, 640, 480,
      riff("WEBP", text("VP8L") + little(5, 4) + [0x2F] + little(0x27F | 0x1DF << 14, 4))),
    .picture(
      "WebP, extended, larger", .webp, 4000, 3000,
      riff(
        "WEBP", text("VP8X") + little(10, 4) + zeros(4) + little(3999, 3) + little(2999, 3))),
    // The lowest bit of the first byte marks a frame that is not a key frame and has no size.
    .picture(
      "WebP whose frame has no size", .webp, nil, nil,
      riff(
        "WEBP",
        text("VP8 ") + little(10, 4) + [1, 0, 0, 0x9D, 0x01, 0x2A] + little(16, 2)
          + little(16, 2))),
    .picture("BMP", .bmp, 16, 8, bmp(40, little(16, 4) + little(8, 4))),
    .picture("BMP, top row first", .bmp, 16, 8, bmp(40, little(16, 4) + little(-8, 4))),
    .picture("BMP of OS/2", .bmp, 16, 8, bmp(12, little(16, 2) + little(8, 2))),
    .picture("JPEG with JFIF", .jpeg, 640, 480, jpeg([jfif], 0xC0, 480, 640)),
    .picture("JPEG, progressive", .jpeg, 3, 7, jpeg([jfif], 0xC2, 7, 3)),
    .picture("JPEG with fill bytes", .jpeg, 3, 7, jpeg([[0xFF, 0xFF] + jfif], 0xC0, 7, 3)),
    // A thumbnail in the metadata is a whole JPEG with a size of its own.
    .picture(
      "JPEG with a thumbnail", .jpeg, 4032, 3024,
      jpeg([segment(0xE1, text("Exif") + zeros(2) + jpeg([], 0xC0, 120, 160))], 0xC0, 3024, 4032)),
    // C4, C8 and CC are tables and a reserved marker, not frames (ITU-T T.81 table B.1).
    .picture(
      "JPEG with tables first", .jpeg, 3, 7, jpeg([segment(0xC4, zeros(9))], 0xC0, 7, 3)),
    .picture("JPEG whose height follows the scan", .jpeg, nil, nil, jpeg([jfif], 0xC0, 0, 640)),
    .picture(
      "JPEG whose scan comes first", .jpeg, nil, nil, jpeg([segment(0xDA, zeros(6))], 0xC0, 7, 3)),
    .picture(
      "JPEG with a segment that is too short", .jpeg, nil, nil,
      [0xFF, 0xD8, 0xFF, 0xE0, 0, 1, 0xFF, 0xC0] + zeros(20)),
    .picture("JPEG cut in the frame header", .jpeg, nil, nil, [0xFF, 0xD8, 0xFF, 0xC0, 0, 17, 8]),
  ]

  static func png(_ width: Int, _ height: Int, chunk: String = "IHDR") -> [UInt8] {
    [0x89] + text("PNG\r\n") + [0x1A, 0x0A] + big(13, 4) + text(chunk) + big(width, 4)
      + big(height, 4) + [8, 2, 0, 0, 0] + zeros(4)
  }

  static func riff(_ form: String, _ content: [UInt8]) -> [UInt8] {
    text("RIFF") + little(content.count + 4, 4) + text(form) + content
  }

  private static func bmp(_ headerSize: Int, _ size: [UInt8]) -> [UInt8] {
    text("BM") + zeros(12) + little(headerSize, 4) + size + zeros(20)
  }

  private static let jfif = segment(0xE0, text("JFIF") + [0, 1, 1, 0, 0, 1, 0, 1, 0, 0])

  private static func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
    [0xFF, marker] + big(content.count + 2, 2) + content
  }

  private static func jpeg(
    _ segments: [[UInt8]], _ marker: UInt8, _ height: Int, _ width: Int
  ) -> [UInt8] {
    let frame = segment(marker, [8] + big(height, 2) + big(width, 2) + [1, 1, 0x11, 0])
    return [0xFF, 0xD8] + segments.flatMap { $0 } + frame + segment(0xDA, zeros(6)) + [0xFF, 0xD9]
  }
}
