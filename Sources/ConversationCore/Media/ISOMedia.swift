import RawBytes

/// A box of the ISO base media file format (ISO/IEC 14496-12 §4.2).
private struct Box {
  /// The four characters of its type.
  let type: String
  /// The range of its content; a box that is cut off ends with the bytes.
  let content: Range<Int>

  /// The maximum number of boxes that are read at one level.
  static let maximumCount = 1024

  /// The boxes in a range, in order, up to the first that is malformed.
  static func list(_ bytes: RawSpan, in range: Range<Int>) -> [Box] {
    var boxes: [Box] = []
    var offset = range.lowerBound
    while boxes.count < maximumCount, range.upperBound - offset >= 8,
      let size = bytes.big(UInt32.self, offset)
    {
      let rest = range.upperBound - offset
      var (header, length) = (8, size)
      if size == 0 {
        length = rest
      } else if size == 1 {
        // The size has 64 bits, and one beyond the range of an integer cannot be right.
        guard rest >= 16, let large = bytes.big(UInt64.self, offset + 8) else { break }
        (header, length) = (16, large)
      }
      guard length >= header else { break }
      let end = offset + min(length, rest)
      let type = String(decoding: bytes[(offset + 4)..<(offset + 8)])
      boxes.append(Box(type: type, content: (offset + header)..<end))
      offset = end
    }
    return boxes
  }
}

extension [Box] {
  fileprivate func first(_ type: String) -> Box? { first { $0.type == type } }
}

extension RawSpan {
  /// The four characters at an offset in the content of a box; nil beyond its end.
  fileprivate func word(_ offset: Int, in box: Box) -> String? {
    let start = box.content.lowerBound + offset
    guard start + 4 <= box.content.upperBound else { return nil }
    return String(decoding: self[start..<(start + 4)])
  }
}

extension MediaDescription {
  /// MP4, M4A, 3GP, QuickTime, HEIF and AVIF: boxes, the first of which names the brands
  /// (ISO/IEC 14496-12 §4.3).
  static func isoMedia(_ bytes: RawSpan) -> MediaDescription? {
    guard bytes.has("ftyp", at: 4) else { return nil }
    let boxes = Box.list(bytes, in: 0..<bytes.byteCount)
    guard let ftyp = boxes.first, ftyp.type == "ftyp", let major = bytes.word(0, in: ftyp) else {
      return nil
    }
    // The second word is a version, and the compatible brands follow.
    let brands = [major] + (2..<18).compactMap { bytes.word(4 * $0, in: ftyp) }
    if let format = pictureFormat(brands) {
      return MediaDescription(format, pixels: heifPixels(bytes, boxes))
    }
    return movie(bytes, boxes, brands)
  }

  /// The picture format that the brands name (ISO/IEC 23008-12 §10, AV1 Image File Format §6).
  private static func pictureFormat(_ brands: [String]) -> MediaFormat? {
    let major = brands[0]
    let isPicture = ["mif1", "msf1", "heic", "heix", "heim", "heis", "hevc", "avif", "avis"]
      .contains(major)
    guard isPicture else { return nil }
    for brand in brands {
      switch brand {
      case "heic", "heix", "heim", "heis", "hevc": return .heic
      case "avif", "avis": return .avif
      default: continue
      }
    }
    return .heif
  }

  // MARK: Pictures

  /// The size of the primary item (ISO/IEC 14496-12 §8.11.4, §8.11.14; ISO/IEC 23008-12 §6.5.3).
  private static func heifPixels(_ bytes: RawSpan, _ boxes: [Box]) -> PixelSize? {
    // The content begins with a version and flags, as that of each box whose fields are read here.
    guard let meta = boxes.first("meta"), meta.content.count >= 4 else { return nil }
    let parts = Box.list(bytes, in: meta.content.dropFirst(4))
    guard let primary = parts.first("pitm"), let iprp = parts.first("iprp"),
      let version = bytes[primary.content].byteIfPresent(0)
    else { return nil }
    let fields = bytes[primary.content]
    let item = version == 0 ? fields.big(UInt16.self, 4) : fields.big(UInt32.self, 4)
    let properties = Box.list(bytes, in: iprp.content)
    guard let item, let ipco = properties.first("ipco"), let ipma = properties.first("ipma") else {
      return nil
    }
    let values = Box.list(bytes, in: ipco.content)
    for number in propertyNumbers(of: item, in: bytes[ipma.content])
    where values.indices.contains(number - 1) && values[number - 1].type == "ispe" {
      let size = bytes[values[number - 1].content]
      return PixelSize(size.big(UInt32.self, 4), size.big(UInt32.self, 8))
    }
    return nil
  }

  /// The numbers, counted from 1, of the properties that belong to an item.
  private static func propertyNumbers(of wanted: Int, in ipma: RawSpan) -> [Int] {
    guard let word = ipma.big(UInt32.self, 0), let count = ipma.big(UInt32.self, 4) else {
      return []
    }
    let (hasLongItems, hasLongNumbers) = (word >> 24 > 0, word & 1 == 1)
    var offset = 8
    for _ in 0..<count {
      let item = hasLongItems ? ipma.big(UInt32.self, offset) : ipma.big(UInt16.self, offset)
      offset += hasLongItems ? 4 : 2
      guard let item, let size = ipma.byteIfPresent(offset) else { return [] }
      offset += 1
      let width = hasLongNumbers ? 2 : 1
      if item == wanted {
        // The highest bit marks a property that a reader must understand.
        return (0..<Int(size)).compactMap { index in
          hasLongNumbers
            ? ipma.big(UInt16.self, offset + 2 * index).map { $0 & 0x7FFF }
            : ipma.byteIfPresent(offset + index).map { Int($0 & 0x7F) }
        }
      }
      offset += width * Int(size)
    }
    return []
  }

  // MARK: Movies

  private static func movie(
    _ bytes: RawSpan, _ boxes: [Box], _ brands: [String]
  ) -> MediaDescription? {
    let moov = boxes.first("moov").map { Box.list(bytes, in: $0.content) } ?? []
    var (hasVideo, hasSound) = (false, false)
    var pixels: PixelSize?
    for track in moov where track.type == "trak" {
      let parts = Box.list(bytes, in: track.content)
      let media = parts.first("mdia").map { Box.list(bytes, in: $0.content) } ?? []
      switch media.first("hdlr").flatMap({ bytes.word(8, in: $0) }) {
      case "vide":
        hasVideo = true
        pixels = pixels ?? parts.first("tkhd").flatMap { trackPixels(bytes[$0.content]) }
      case "soun": hasSound = true
      default: break
      }
    }
    let isSound = hasSound && !hasVideo || !hasVideo && ["M4A ", "M4B "].contains(brands[0])
    let format: MediaFormat =
      if brands[0] == "qt  " {
        isSound ? .mp4Audio : .quickTime
      } else if brands[0].hasPrefix("3g") {
        isSound ? .threeGPAudio : .threeGPVideo
      } else {
        isSound ? .mp4Audio : .mp4Video
      }
    return MediaDescription(
      format, pixels: pixels, milliseconds: movieLength(bytes, moov))
  }

  /// The size in a track header, which has 16 bits before and 16 after the point
  /// (ISO/IEC 14496-12 §8.3.2).
  private static func trackPixels(_ header: RawSpan) -> PixelSize? {
    let offset = header.byteIfPresent(0) == 1 ? 88 : 76
    return PixelSize(
      header.big(UInt32.self, offset).map { $0 >> 16 },
      header.big(UInt32.self, offset + 4).map { $0 >> 16 })
  }

  /// The length in the movie header, or that of all fragments (ISO/IEC 14496-12 §8.2.2, §8.8.2).
  private static func movieLength(_ bytes: RawSpan, _ moov: [Box]) -> Int? {
    guard let box = moov.first("mvhd") else { return nil }
    let header = bytes[box.content]
    let isLong = header.byteIfPresent(0) == 1
    guard let rate = header.big(UInt32.self, isLong ? 20 : 12) else { return nil }
    var length = duration(header, at: isLong ? 24 : 16, isLong: isLong)
    if length == nil, let mvex = moov.first("mvex"),
      let mehd = Box.list(bytes, in: mvex.content).first("mehd")
    {
      let fragments = bytes[mehd.content]
      length = duration(fragments, at: 4, isLong: fragments.byteIfPresent(0) == 1)
    }
    guard let length else { return nil }
    return roundedMilliseconds(length, perSecond: UInt64(rate))
  }

  /// A length of 32 or 64 bits; nil if it is 0 or all ones, which both mean that it is unknown.
  private static func duration(_ header: RawSpan, at offset: Int, isLong: Bool) -> UInt64? {
    let value = isLong ? header.big(UInt64.self, offset) : header.big(UInt32.self, offset)
    guard let value, value > 0, isLong || value < UInt32.max else { return nil }
    return UInt64(value)
  }
}
