import TestSupport
import Testing

@testable import ConversationCore

/// Rule 27: pictures and recordings are identified by their bytes, with the values of their header.
@Suite("What the bytes of pictures and recordings say")
struct MediaDescriptionTests {
  @Test("The format, the size and the length are read", arguments: MediaSample.all)
  func samples(sample: MediaSample) {
    let found = described(sample.bytes)
    #expect(sample.matches(found), "\(String(describing: found))")
  }

  /// Near misses: each begins like one of the formats.
  @Test(
    "Other bytes are not recognized",
    arguments: [
      [], text("hello"), text("BM, see you at six in the old place"), text("RIFF") + zeros(8),
      text("RIFF") + little(4, 4) + text("AVI "), [0x89] + text("PNG\n") + zeros(20),
      text("GIF88a") + zeros(20), [0xFF, 0xD8], [0xFF, 0xD8, 0x00, 0xFF],
      text("#!AMR"), text("#!/bin/sh\n"), text("OggX"), text("ID"), [0xFF, 0xF1] + zeros(40),
      // A byte order mark of UTF-16.
      [0xFF, 0xFE, 0x61, 0x00, 0x62, 0x00, 0x63, 0x00],
      // One frame, and then something else.
      MediaSample.adtsFrame(8) + text("and something else"),
      MediaSample.mp3Frame(0xFFFB_9000, 417) + text("and something else"),
      // A rate of AAC that is reserved, and layers of MPEG audio other than the third.
      MediaSample.adtsFrame(13), MediaSample.mp3Frame(0xFFFD_9000, 417),
      MediaSample.mp3Frame(0xFFFB_F000, 417), MediaSample.mp3Frame(0xFFFB_9C00, 417),
      zeros(4) + text("ftyp"), big(4, 4) + text("ftyp") + zeros(20),
      big(16, 4) + text("ftyq") + zeros(8),
    ])
  func others(bytes: [UInt8]) {
    #expect(described(bytes) == nil)
    #expect(MediaBytes(bytes).kind == .file)
    #expect(MediaBytes(bytes).fileName.hasSuffix(".bin"))
  }

  @Test("Every file that is cut off gives an answer", arguments: MediaSample.all)
  func truncation(sample: MediaSample) {
    // Long ones are only repetitions of frames.
    for count in 0..<min(sample.bytes.count, 800) {
      let found = described(Array(sample.bytes.prefix(count)))
      if let size = found?.pixels { #expect(size.width > 0 && size.height > 0) }
    }
  }

  @Test("Every file with one changed byte gives an answer", arguments: MediaSample.all)
  func oneByte(sample: MediaSample) {
    var bytes = Array(sample.bytes.prefix(400))
    for index in bytes.indices {
      let original = bytes[index]
      for value in [0x00, 0x01, 0x7F, 0x80, 0xFE, 0xFF, original ^ 0x10, original &+ 1] as [UInt8] {
        bytes[index] = value
        check(described(bytes))
      }
      bytes[index] = original
    }
  }

  @Test("Files with random damage give an answer", arguments: 0..<UInt64(8))
  func damage(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for sample in MediaSample.all {
      for _ in 0..<20 {
        var bytes = Array(sample.bytes.prefix(600))
        for _ in 0..<Int.random(in: 1...6, using: &random) {
          let index = Int.random(in: bytes.indices, using: &random)
          bytes[index] = UInt8.random(in: 0...255, using: &random)
        }
        check(described(bytes))
      }
    }
  }

  private func check(_ found: MediaDescription?) {
    guard let found else { return }
    #expect((found.milliseconds ?? 0) >= 0)
    if let pixels = found.pixels {
      #expect((1...PixelSize.maximum).contains(pixels.width))
      #expect((1...PixelSize.maximum).contains(pixels.height))
    }
    #expect((found.pixels == nil) || found.format.kind != .voice)
  }

  @Test("Boxes without end are read up to a bound")
  func manyBoxes() {
    let boxes = Array(repeating: MediaSample.box("trak", []), count: 100_000).flatMap { $0 }
    let found = described(MediaSample.ftyp("isom") + MediaSample.box("moov", boxes))
    #expect(found?.format == .mp4Video)
  }

  /// The digests of “abc” in FIPS 180-4's examples.
  @Test("Digests are those of the bytes")
  func digests() {
    let media = MediaBytes(text("abc"))
    #expect(media.sha1 == "a9993e364706816aba3e25717850c26c9cd0d89d")
    let sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    #expect(media.sha256 == sha256)
    #expect(media.sha512.hasPrefix("ddaf35a193617abacc417349ae204131"))
    #expect(media.fileName == sha256 + ".bin")
    #expect(media.mediaType == nil)
  }

  @Test("A name of a file is a digest and an extension of the format", arguments: MediaSample.all)
  func names(sample: MediaSample) {
    let media = MediaBytes(sample.bytes)
    #expect(media.fileName == "\(media.sha256).\(sample.format.fileExtension)")
    #expect(media.kind == sample.format.kind)
    #expect(media.mediaType == sample.format.mediaType)
  }

  @Test("An extension is lowercase letters and digits", arguments: MediaFormat.allCases)
  func extensions(format: MediaFormat) {
    #expect(
      format.fileExtension.utf8.allSatisfy {
        "abcdefghijklmnopqrstuvwxyz0123456789".utf8.contains($0)
      })
    #expect(format.mediaType == format.mediaType.lowercased())
  }
}
