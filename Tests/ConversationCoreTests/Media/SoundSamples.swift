@testable import ConversationCore

extension MediaSample {
  static let sounds: [MediaSample] = [
    // 80 frames of 1024 samples: 81,920,000 / 44,100 = 1857.6 ms.
    .sound("AAC", .adts, 1858, repeated(80, adtsFrame(4))),
    // 0.5 rounds up: 8 x 1024 x 1000 / 16,000 = 512 ms, one frame 64 ms.
    .sound("AAC of one frame", .adts, 64, adtsFrame(8)),
    .sound("AAC with checksums", .adts, 128, repeated(2, adtsFrame(8, protection: 0))),
    .sound("AAC with four blocks in a frame", .adts, 512, repeated(2, adtsFrame(8, blocks: 4))),
    .sound("AAC that was cut off", .adts, 64, adtsFrame(8) + adtsFrame(8).dropLast(3)),
    .sound("AAC with something after it", .adts, 128, repeated(2, adtsFrame(8)) + text("TAG")),
    .sound("AAC after a tag", .adts, 128, id3(5) + repeated(2, adtsFrame(8))),
    // Five frames of 20 ms (RFC 4867 §5.3): a type of 7 has 31 bytes more, a type of 15 none.
    .sound("AMR", .amr, 100, text("#!AMR\n") + repeated(5, [0x3C] + zeros(31))),
    .sound(
      "AMR with pauses", .amr, 80,
      text("#!AMR\n") + [0x3C] + zeros(31) + [0x44] + zeros(5) + [0x7C, 0x7C]),
    .sound("AMR that was cut off", .amr, 20, text("#!AMR\n") + [0x3C] + zeros(31) + [0x3C, 0]),
    .sound("AMR with a reserved type", .amr, 20, text("#!AMR\n") + [0x7C, 0x4C, 0x7C]),
    .sound("AMR without frames", .amr, 0, text("#!AMR\n")),
    // A type of 8 has 60 bytes more in AMR-WB.
    .sound("AMR-WB", .amrWideband, 40, text("#!AMR-WB\n") + repeated(2, [0x44] + zeros(60))),
    .sound("AMR of several channels", .amr, nil, text("#!AMR_MC1.0\n") + zeros(40)),
    // 128 kbit/s at 44.1 kHz: 417 bytes and 1152 samples; 10 frames play 261.2 ms.
    .sound("MP3", .mp3, 261, repeated(10, mp3Frame(0xFFFB_9000, 417))),
    .sound("MP3 with padding", .mp3, 52, repeated(2, mp3Frame(0xFFFB_9200, 418))),
    // 64 kbit/s at 22.05 kHz: 72 x 64,000 / 22,050 = 208 bytes and 576 samples.
    .sound("MP3 of MPEG 2", .mp3, 52, repeated(2, mp3Frame(0xFFF3_8000, 208))),
    .sound(
      "MP3 with a table of contents", .mp3, 52,
      mp3Frame(0xFFFB_9000, 417, text("Xing"), at: 36) + repeated(2, mp3Frame(0xFFFB_9000, 417))),
    .sound("MP3 after a tag", .mp3, 26, id3(300) + mp3Frame(0xFFFB_9000, 417)),
    .sound("Tag without frames", .mp3, nil, id3(5)),
    // 16,000 samples of two bytes in a second.
    .sound("WAV", .wav, 500, wav(byteRate: 32_000, size: nil, zeros(16_000))),
    .sound("WAV with a chunk before", .wav, 500, wav(text("LIST") + little(3, 4) + zeros(4))),
    .sound(
      "WAV whose size was not written", .wav, 250, wav(byteRate: 32_000, size: 0, zeros(8000))),
    .sound(
      "WAV whose size is too large", .wav, 250,
      wav(byteRate: 32_000, size: 0xFFFF_FFFF, zeros(8000))),
    .sound("WAV of rate 0", .wav, nil, wav(byteRate: 0, size: nil, zeros(80))),
    .sound("WAV without data", .wav, nil, riff("WAVE", [])),
    // Opus counts 48,000 positions in a second, and skips those before the first (RFC 7845 §4.2).
    .sound(
      "Opus", .oggAudio, 3000,
      oggPage(1, flags: 2, granule: 0, opusHead(skip: 312))
        + oggPage(1, flags: 0, granule: 48_000, zeros(600))
        + oggPage(1, flags: 4, granule: 144_312, zeros(80))),
    .sound(
      "Opus with a page on which no packet ends", .oggAudio, 1000,
      oggPage(1, flags: 2, granule: 0, opusHead(skip: 0))
        + oggPage(1, flags: 0, granule: 48_000, zeros(6))
        + oggPage(1, flags: 0, granule: -1, zeros(6))),
    .sound(
      "Opus next to another stream", .oggAudio, 1000,
      oggPage(1, flags: 2, granule: 0, opusHead(skip: 0))
        + oggPage(2, flags: 2, granule: 0, text("other"))
        + oggPage(1, flags: 0, granule: 48_000, zeros(6))
        + oggPage(2, flags: 0, granule: 99_000, zeros(6))),
    .sound(
      "Vorbis", .oggAudio, 2000,
      oggPage(7, flags: 2, granule: 0, [1] + text("vorbis") + zeros(5) + little(22_050, 4))
        + oggPage(7, flags: 4, granule: 44_100, zeros(6))),
    .sound(
      "Speex", .oggAudio, 2000,
      oggPage(7, flags: 2, granule: 0, text("Speex   ") + zeros(28) + little(8000, 4))
        + oggPage(7, flags: 4, granule: 16_000, zeros(6))),
    .sound(
      "FLAC in Ogg", .oggAudio, 2000,
      oggPage(
        7, flags: 2, granule: 0,
        [0x7F] + text("FLAC") + zeros(4) + text("fLaC") + zeros(14) + big(16_000 << 12, 4))
        + oggPage(7, flags: 4, granule: 32_000, zeros(6))),
    .sound(
      "Ogg that was cut off", .oggAudio, nil,
      Array(oggPage(1, flags: 2, granule: 0, opusHead(skip: 0)).prefix(30))),
    MediaSample(
      name: "Theora with Vorbis",
      bytes: oggPage(
        1, flags: 2, granule: 0, [0x80] + text("theora") + zeros(7) + big(320, 3) + big(240, 3))
        + oggPage(2, flags: 2, granule: 0, [1] + text("vorbis") + zeros(5) + little(8000, 4))
        + oggPage(1, flags: 0, granule: 1 << 40, zeros(6))
        + oggPage(2, flags: 4, granule: 16_000, zeros(6)),
      format: .oggVideo, width: 320, height: 240, milliseconds: 2000),
  ]

  private static func repeated(_ count: Int, _ bytes: [UInt8]) -> [UInt8] {
    Array(repeating: bytes, count: count).flatMap { $0 }
  }

  /// An AAC frame of 27 bytes: AAC LC, one channel (ISO/IEC 14496-3 §1.A.3.2).
  static func adtsFrame(_ rateIndex: Int, protection: Int = 1, blocks: Int = 1) -> [UInt8] {
    let size = 27
    let fields = [
      (0xFFF, 12), (0, 3), (protection, 1), (1, 2), (rateIndex, 4), (0, 1), (1, 3), (0, 4),
      (size, 13), (0x7FF, 11), (blocks - 1, 2),
    ]
    let header = fields.reduce(0 as Int) { $0 << $1.1 | $1.0 }
    return big(header, 7) + zeros(size - 7)
  }

  static func mp3Frame(
    _ header: Int, _ size: Int, _ word: [UInt8] = [], at offset: Int = 4
  ) -> [UInt8] {
    var bytes = big(header, 4) + zeros(size - 4)
    bytes.replaceSubrange(offset..<(offset + word.count), with: word)
    return bytes
  }

  /// A tag whose size has seven bits in each byte.
  private static func id3(_ size: Int) -> [UInt8] {
    text("ID3") + [4, 0, 0, 0, 0, UInt8(size >> 7), UInt8(size & 0x7F)] + zeros(size)
  }

  private static func wav(
    byteRate: Int = 32_000, size: Int?, _ data: [UInt8], before: [UInt8] = []
  ) -> [UInt8] {
    let format = little(1, 2) + little(1, 2) + little(16_000, 4) + little(byteRate, 4)
    return riff(
      "WAVE",
      before + text("fmt ") + little(16, 4) + format + little(2, 2) + little(16, 2) + text("data")
        + little(size ?? data.count, 4) + data)
  }

  private static func wav(_ before: [UInt8]) -> [UInt8] {
    wav(size: nil, zeros(16_000), before: before)
  }

  private static func opusHead(skip: Int) -> [UInt8] {
    text("OpusHead") + [1, 1] + little(skip, 2) + little(48_000, 4) + zeros(3)
  }

  private static func oggPage(
    _ serial: Int, flags: UInt8, granule: Int, _ data: [UInt8]
  ) -> [UInt8] {
    let sizes = Array(repeating: UInt8(255), count: data.count / 255) + [UInt8(data.count % 255)]
    return text("OggS") + [0, flags] + little(granule, 8) + little(serial, 4) + zeros(8)
      + [UInt8(sizes.count)] + sizes + data
  }
}
