import RawBytes

extension MediaDescription {
  // MARK: AAC

  /// AAC in ADTS frames (ISO/IEC 14496-3 §1.A.3.2), after an ID3 tag or not.
  static func adts(_ bytes: RawSpan) -> MediaDescription? {
    let start = endOfID3(bytes)
    guard let first = ADTSFrame(bytes, at: start),
      start + first.count == bytes.byteCount || ADTSFrame(bytes, at: start + first.count) != nil
    else { return nil }
    var length = FramedLength()
    var offset = start
    while let frame = ADTSFrame(bytes, at: offset), frame.count <= bytes.byteCount - offset {
      length.add(frame.samples, perSecond: frame.rate)
      offset += frame.count
    }
    return MediaDescription(.adts, milliseconds: length.milliseconds)
  }

  // MARK: AMR

  /// AMR and AMR-WB (RFC 4867 §5.1, §5.3): a signature, then frames of 20 ms.
  static func amr(_ bytes: RawSpan) -> MediaDescription? {
    if bytes.has("#!AMR\n") {
      let sizes = [12, 13, 15, 17, 19, 20, 26, 31, 5, nil, nil, nil, nil, nil, nil, 0]
      return MediaDescription(.amr, milliseconds: amrLength(bytes, from: 6, sizes))
    }
    if bytes.has("#!AMR-WB\n") {
      let sizes = [17, 23, 32, 36, 40, 46, 50, 58, 60, 5, nil, nil, nil, nil, 0, 0]
      return MediaDescription(.amrWideband, milliseconds: amrLength(bytes, from: 9, sizes))
    }
    // Several channels: their frames are interleaved, and no phone records them.
    if bytes.has("#!AMR_MC1.0\n") { return MediaDescription(.amr) }
    if bytes.has("#!AMR-WB_MC1.0\n") { return MediaDescription(.amrWideband) }
    return nil
  }

  /// - Parameter sizes: The bytes after the first of a frame, by its type; nil if it is reserved.
  private static func amrLength(_ bytes: RawSpan, from start: Int, _ sizes: [Int?]) -> Int {
    var (offset, count) = (start, 0)
    while let head = bytes.byteIfPresent(offset), let size = sizes[Int(head >> 3 & 0xF)],
      size < bytes.byteCount - offset
    {
      count += 1
      offset += 1 + size
    }
    return 20 * count
  }

  // MARK: MP3

  /// MPEG audio, layer III (ISO/IEC 11172-3 §2.4.1, ISO/IEC 13818-3), after an ID3 tag or not.
  static func mp3(_ bytes: RawSpan) -> MediaDescription? {
    let start = endOfID3(bytes)
    guard let first = MP3Frame(bytes, at: start) else {
      // A tag without frames that can be read is a recording all the same.
      return start > 0 ? MediaDescription(.mp3) : nil
    }
    guard
      start > 0 || start + first.count == bytes.byteCount
        || MP3Frame(bytes, at: start + first.count) != nil
    else { return nil }
    var length = FramedLength()
    var offset = start
    // The first frame may be a table of contents, which plays nothing.
    if first.isTable(bytes, at: start) { offset += first.count }
    while let frame = MP3Frame(bytes, at: offset), frame.count <= bytes.byteCount - offset {
      length.add(frame.samples, perSecond: frame.rate)
      offset += frame.count
    }
    return MediaDescription(.mp3, milliseconds: length.milliseconds)
  }

  /// The offset after an ID3 tag (ID3v2.4 §3.1), or 0.
  private static func endOfID3(_ bytes: RawSpan) -> Int {
    guard bytes.has("ID3"), let flags = bytes.byteIfPresent(5), let size = bytes.big(UInt32.self, 6)
    else { return 0 }
    // Seven bits of each byte, and the highest one is zero.
    guard size & 0x8080_8080 == 0 else { return 0 }
    let count =
      size & 0x7F | (size & 0x7F00) >> 1 | (size & 0x7F_0000) >> 2 | (size & 0x7F00_0000) >> 3
    return 10 + count + (flags & 0x10 > 0 ? 10 : 0)
  }
}

/// The length of frames whose rates may differ, without rounding each.
private struct FramedLength {
  private var samples: [UInt64: UInt64] = [:]

  mutating func add(_ count: Int, perSecond rate: Int) {
    samples[UInt64(rate), default: 0] += UInt64(count)
  }

  var milliseconds: Int? {
    // Almost all recordings have one rate.
    samples.reduce(0 as Int?) { sum, part in
      guard let length = roundedMilliseconds(part.value, perSecond: part.key) else {
        return nil
      }
      return sum.map { $0 + length }
    }
  }
}

/// The header of an ADTS frame.
private struct ADTSFrame {
  /// The size of the frame in bytes.
  let count: Int
  /// The number of samples that the frame plays.
  let samples: Int
  /// The number of samples in a second.
  let rate: Int

  private static let rates = [
    96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000,
    7_350,
  ]

  init?(_ bytes: RawSpan, at offset: Int) {
    // Twelve bits of synchronization, and a layer of 0, which no MPEG audio has.
    guard let word = bytes.big(UInt32.self, offset), word >> 16 & 0xFFF6 == 0xFFF0,
      let rest = bytes.big(UInt16.self, offset + 4), let last = bytes.byteIfPresent(offset + 6)
    else { return nil }
    let rateIndex = word >> 10 & 0xF
    guard Self.rates.indices.contains(rateIndex) else { return nil }
    count = (word & 0x3) << 11 | rest >> 5
    // Without a bit that says so, a checksum of two bytes follows the header.
    guard count > (word >> 16 & 1 == 1 ? 7 : 9) else { return nil }
    rate = Self.rates[rateIndex]
    samples = 1024 * (Int(last & 0x3) + 1)
  }
}

/// The header of a frame of MPEG audio, layer III.
private struct MP3Frame {
  /// The size of the frame in bytes.
  let count: Int
  /// The number of samples that the frame plays.
  let samples: Int
  /// The number of samples in a second.
  let rate: Int
  /// The number of bytes between the header and the data.
  private let sideInformation: Int

  /// Kilobits in a second, by index, for MPEG 1 and for its extensions to lower rates.
  private static let bitRates = [
    [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
    [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
  ]

  init?(_ bytes: RawSpan, at offset: Int) {
    // Eleven bits of synchronization, two of the version, two of the layer.
    guard let word = bytes.big(UInt32.self, offset), word >> 21 == 0x7FF, word >> 17 & 3 == 1 else {
      return nil
    }
    let (version, bitRateIndex, rateIndex) = (word >> 19 & 3, word >> 12 & 0xF, word >> 10 & 3)
    // Version 1 is reserved. An index of 0 leaves the size of the frames to the reader.
    guard version != 1, bitRateIndex > 0, bitRateIndex < 15, rateIndex < 3 else { return nil }
    let isFirst = version == 3
    rate = [44_100, 48_000, 32_000][rateIndex] / (isFirst ? 1 : version == 2 ? 2 : 4)
    samples = isFirst ? 1152 : 576
    let bitRate = Self.bitRates[isFirst ? 0 : 1][bitRateIndex] * 1000
    count = samples / 8 * bitRate / rate + (word >> 9 & 1)
    let isMono = word >> 6 & 3 == 3
    sideInformation = isFirst ? (isMono ? 17 : 32) : (isMono ? 9 : 17)
  }

  /// Whether the frame contains a table of contents instead of sound.
  func isTable(_ bytes: RawSpan, at offset: Int) -> Bool {
    let data = offset + 4 + sideInformation
    return bytes.has("Xing", at: data) || bytes.has("Info", at: data)
      || bytes.has("VBRI", at: offset + 36)
  }
}
