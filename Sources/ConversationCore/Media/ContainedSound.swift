import RawBytes

extension MediaDescription {
  // MARK: WAV

  /// WAV (Multimedia Programming Interface 1.0 §3): chunks in a RIFF container.
  static func wav(_ bytes: RawSpan) -> MediaDescription? {
    guard bytes.has("RIFF"), bytes.has("WAVE", at: 8) else { return nil }
    var byteRate: Int?
    var offset = 12
    while let size = bytes.little(UInt32.self, offset + 4) {
      let rest = bytes.byteCount - offset - 8
      if bytes.has("fmt ", at: offset), size >= 16 {
        byteRate = bytes.little(UInt32.self, offset + 16)
      }
      if bytes.has("data", at: offset) {
        // A recorder that was interrupted left a size of 0 or all ones.
        let count = size == 0 ? rest : min(size, rest)
        let length = byteRate.flatMap {
          roundedMilliseconds(UInt64(count), perSecond: UInt64($0))
        }
        return MediaDescription(.wav, milliseconds: length)
      }
      guard size <= rest else { break }
      // Chunks begin at even offsets.
      offset += 8 + size + size % 2
    }
    return MediaDescription(.wav)
  }

  // MARK: Ogg

  /// Opus, Vorbis, Speex, FLAC and Theora in Ogg (RFC 3533 §6, RFC 7845 §4).
  static func ogg(_ bytes: RawSpan) -> MediaDescription? {
    guard bytes.has("OggS") else { return nil }
    var streams: [OggStream] = []
    var offset = 0
    while let page = OggPage(bytes, at: offset) {
      if page.isFirst, streams.count < OggStream.maximumCount {
        streams.append(OggStream(page.serial, bytes[page.content]))
      } else if let granule = page.granule,
        let index = streams.firstIndex(where: { $0.serial == page.serial })
      {
        streams[index].end = max(streams[index].end, granule)
      }
      offset = page.content.upperBound
    }
    let video = streams.first { $0.isVideo }
    let sound = streams.first { $0.rate > 0 }
    let length = sound.flatMap { stream in
      stream.end > stream.skipped
        ? roundedMilliseconds(stream.end - stream.skipped, perSecond: stream.rate) : nil
    }
    return MediaDescription(
      video == nil ? .oggAudio : .oggVideo, pixels: video?.pixels, milliseconds: length)
  }
}

/// A page of an Ogg stream.
private struct OggPage {
  /// The number of its logical stream.
  let serial: Int
  /// Whether it begins its logical stream.
  let isFirst: Bool
  /// The position at its end; nil if no packet ends on it.
  let granule: UInt64?
  /// The range of its data; a page that is cut off is none.
  let content: Range<Int>

  init?(_ bytes: RawSpan, at offset: Int) {
    guard bytes.has("OggS", at: offset), bytes.byteIfPresent(offset + 4) == 0,
      let flags = bytes.byteIfPresent(offset + 5),
      let serial = bytes.little(UInt32.self, offset + 14),
      let segments = bytes.byteIfPresent(offset + 26)
    else { return nil }
    var end = offset + 27 + Int(segments)
    let start = end
    for index in 0..<Int(segments) {
      guard let size = bytes.byteIfPresent(offset + 27 + index) else { return nil }
      end += Int(size)
    }
    guard end <= bytes.byteCount else { return nil }
    self.serial = serial
    isFirst = flags & 2 > 0
    // A position of -1, or another that is negative, is none.
    granule = bytes.little(UInt64.self, offset + 6).map { UInt64($0) }
    content = start..<end
  }
}

/// A logical stream of an Ogg file, by its first packet.
private struct OggStream {
  let serial: Int
  /// The number of positions in a second; 0 if it is unknown.
  var rate: UInt64 = 0
  /// The number of positions at the beginning that are not played.
  var skipped: UInt64 = 0
  var isVideo = false
  var pixels: PixelSize?
  /// The last position.
  var end: UInt64 = 0

  /// The maximum number of streams that are followed.
  static let maximumCount = 8

  init(_ serial: Int, _ packet: RawSpan) {
    self.serial = serial
    if packet.has("OpusHead") {
      rate = 48_000
      skipped = UInt64(packet.little(UInt16.self, 10) ?? 0)
    } else if packet.has("vorbis", at: 1), packet.byteIfPresent(0) == 1 {
      rate = UInt64(packet.little(UInt32.self, 12) ?? 0)
    } else if packet.has("Speex   ") {
      rate = UInt64(packet.little(UInt32.self, 36) ?? 0)
    } else if packet.has("FLAC", at: 1), packet.byteIfPresent(0) == 0x7F {
      // 20 bits of the stream information, which begins after nine bytes and two headers.
      rate = UInt64((packet.big(UInt32.self, 27) ?? 0) >> 12)
    } else if packet.has("theora", at: 1), packet.byteIfPresent(0) == 0x80 {
      isVideo = true
      pixels = PixelSize(
        packet.big(UInt32.self, 13).map { $0 & 0xFF_FFFF },
        packet.big(UInt32.self, 16).map { $0 & 0xFF_FFFF })
    }
  }
}
