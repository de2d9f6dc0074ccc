@testable import ConversationCore

extension MediaSample {
  static let movies: [MediaSample] = [
    .sound(
      "M4A", .mp4Audio, 2500, ftyp("M4A ") + moov(rate: 1000, length: 2500, [track("soun")])),
    .sound("M4A whose header is missing", .mp4Audio, nil, ftyp("M4A ") + box("mdat", zeros(40))),
    .sound(
      "M4A of another brand", .mp4Audio, 2000,
      ftyp("isom") + box("mdat", zeros(9)) + moov(rate: 44_100, length: 88_200, [track("soun")])),
    movie("MP4", .mp4Video, ftyp("mp42"), [track("soun"), track("vide", 1920, 1080)]),
    movie("QuickTime", .quickTime, ftyp("qt  "), [track("vide", 1920, 1080)]),
    movie("3GP", .threeGPVideo, ftyp("3gp4"), [track("vide", 1920, 1080)]),
    movie("MP4 of version 1", .mp4Video, ftyp("isom"), [track("vide", 1920, 1080, version: 1)]),
    .sound(
      "3GP with sound alone", .threeGPAudio, 1000,
      ftyp("3gp5") + moov(rate: 1000, length: 1000, [track("soun")])),
    .sound(
      "MP4 with 64 bits", .mp4Audio, 1000,
      ftyp("isom") + moov(rate: 1000, length: 1000, version: 1, [track("soun")])),
    .sound(
      "MP4 in fragments", .mp4Audio, 4000,
      ftyp("iso5")
        + moov(
          rate: 1000, length: 0,
          [track("soun"), box("mvex", box("mehd", big(0, 4) + big(4000, 4)))])),
    .sound(
      "MP4 of an unknown length", .mp4Audio, nil,
      ftyp("isom") + moov(rate: 1000, length: 0xFFFF_FFFF, [track("soun")])),
    .sound(
      "MP4 of rate 0", .mp4Audio, nil,
      ftyp("isom") + moov(rate: 0, length: 1000, [track("soun")])),
    .sound(
      "MP4 with a box of 64 bits", .mp4Audio, 1000,
      ftyp("isom") + big(1, 4) + text("free") + big(20, 8) + zeros(4)
        + moov(rate: 1000, length: 1000, [track("soun")])),
    .sound(
      "MP4 whose last box has no size", .mp4Audio, 1000,
      ftyp("isom") + moov(rate: 1000, length: 1000, [track("soun")]) + big(0, 4) + text("mdat")
        + zeros(30)),
    .picture("HEIC", .heic, 4032, 3024, ftyp("heic", "mif1") + heif(primary: 2)),
    .picture(
      "HEIC of the general brand", .heic, 4032, 3024, ftyp("mif1", "heic") + heif(primary: 2)),
    .picture(
      "HEIC whose primary item is its thumbnail", .heic, 320, 240, ftyp("heic") + heif(primary: 1)),
    .picture("HEIC without its primary item", .heic, nil, nil, ftyp("heic") + heif(primary: 3)),
    .picture("AVIF", .avif, 4032, 3024, ftyp("avif", "mif1") + heif(primary: 2)),
    .picture("HEIF of another coding", .heif, 4032, 3024, ftyp("mif1", "jpeg") + heif(primary: 2)),
    .picture(
      "HEIF with long numbers", .heic, 4032, 3024, ftyp("heic") + heif(primary: 2, isLong: true)),
  ]

  private static func movie(
    _ name: String, _ format: MediaFormat, _ ftyp: [UInt8], _ tracks: [[UInt8]]
  ) -> MediaSample {
    MediaSample(
      name: name, bytes: ftyp + moov(rate: 600, length: 1800, tracks), format: format,
      width: 1920, height: 1080, milliseconds: 3000)
  }

  static func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
    big(content.count + 8, 4) + text(type) + content
  }

  static func ftyp(_ major: String, _ compatible: String...) -> [UInt8] {
    box("ftyp", text(major) + zeros(4) + compatible.flatMap { text($0) })
  }

  /// A movie header (ISO/IEC 14496-12 §8.2.2), then boxes.
  static func moov(rate: Int, length: Int, version: Int = 0, _ boxes: [[UInt8]]) -> [UInt8] {
    let size = version == 0 ? 4 : 8
    let header =
      big(version << 24, 4) + zeros(2 * size) + big(rate, 4) + big(length, size) + zeros(80)
    return box("moov", box("mvhd", header) + boxes.flatMap { $0 })
  }

  /// A track header (§8.3.2) and a handler (§8.4.3).
  static func track(
    _ handler: String, _ width: Int = 0, _ height: Int = 0, version: Int = 0
  ) -> [UInt8] {
    let header =
      big(version << 24, 4) + zeros(version == 0 ? 72 : 84) + big(width << 16, 4)
      + big(height << 16, 4)
    let hdlr = zeros(8) + text(handler) + zeros(13)
    return box("trak", box("tkhd", header) + box("mdia", box("hdlr", hdlr)))
  }

  /// Two items, the first of which is a thumbnail, with the sizes 320 x 240 and 4032 x 3024.
  private static func heif(primary: Int, isLong: Bool = false) -> [UInt8] {
    func ispe(_ width: Int, _ height: Int) -> [UInt8] {
      box("ispe", zeros(4) + big(width, 4) + big(height, 4))
    }
    func associations(_ item: Int, _ properties: [Int]) -> [UInt8] {
      big(item, isLong ? 4 : 2) + [UInt8(properties.count)]
        // The highest bit marks a property that a reader must understand.
        + properties.flatMap { isLong ? big($0 | 0x8000, 2) : big($0 | 0x80, 1) }
    }
    let ipma =
      big(isLong ? 1 << 24 | 1 : 0, 4) + big(2, 4) + associations(1, [1, 2])
      + associations(2, [1, 3])
    let pitm = isLong ? big(1 << 24, 4) + big(primary, 4) : big(0, 4) + big(primary, 2)
    let ipco = box("hvcC", zeros(20)) + ispe(320, 240) + ispe(4032, 3024)
    return box(
      "meta",
      zeros(4) + box("pitm", pitm) + box("iprp", box("ipco", ipco) + box("ipma", ipma)))
  }
}
