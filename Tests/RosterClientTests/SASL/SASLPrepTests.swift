import RosterClient
import TestSupport
import Testing

@Suite("SASLprep") struct SASLPrepTests {
  @Test("The examples of RFC 4013 §3 and others are prepared as required")
  func examples() throws {
    for (text, prepared) in [
      // RFC 4013 §3, 1 to 5.
      ("I\u{AD}X", "IX"), ("user", "user"), ("USER", "USER"), ("\u{AA}", "a"), ("\u{2168}", "IX"),
      // Spaces become one kind, including the zero width space; invisible characters are removed.
      ("a\u{A0}b\u{3000}c\u{200B}d", "a b c d"), ("\u{FEFF}a\u{200D}b\u{FE0F}", "ab"),
      ("~ !", "~ !"), ("e\u{301}", "\u{E9}"),
      // Half-width jamo combine to a syllable.
      ("\u{1105}\u{FFD7}", "\u{B958}"), ("\u{FFB7}\u{FFD6}", "\u{C704}"),
      // Right-to-left characters at both ends, with neutral ones in between.
      ("\u{627}1\u{628}", "\u{627}1\u{628}"), ("\u{5D0}\u{5D1}", "\u{5D0}\u{5D1}"),
      // Later than Unicode 3.2: unchanged, although the second has a compatible form by now, and an
      // accent after them does not combine.
      ("\u{1F600}", "\u{1F600}"), ("\u{1F130}", "\u{1F130}"),
      ("e\u{1F600}\u{301}", "e\u{1F600}\u{301}"),
    ] {
      let seen = try SASLPrep.prepare(text, as: .password)
      #expect(Array(seen.utf8) == Array(prepared.utf8), "\(text.unicodeScalars.map(\.value))")
    }
  }

  @Test("Prohibited texts are refused, with the reason")
  func refused() {
    for (text, why): (String, SASLFailure.PreparationProblem) in [
      // RFC 4013 §3, 6 and 7.
      ("\u{7}", .forbiddenCharacter), ("\u{627}1", .mixedDirections),
      ("\u{627}a\u{628}", .mixedDirections), ("1\u{627}", .mixedDirections),
      ("", .empty), ("\u{AD}\u{FE00}", .empty), ("a\u{0}", .forbiddenCharacter),
      // One of each table: C.2.2, C.3, C.4, C.6, C.7, C.8, C.9.
      ("a\u{85}", .forbiddenCharacter), ("\u{E000}", .forbiddenCharacter),
      ("\u{1FFFE}", .forbiddenCharacter), ("\u{FFFD}", .forbiddenCharacter),
      ("\u{2FF0}", .forbiddenCharacter), ("\u{202E}", .forbiddenCharacter),
      ("\u{E0041}", .forbiddenCharacter),
    ] {
      let reason = failure { () throws(SASLFailure) in
        _ = try SASLPrep.prepare(text, as: .user)
      }
      #expect(reason == .unpreparable(.user, why: why), "\(text.unicodeScalars.map(\.value))")
    }
  }

  private static func ours(_ text: String) -> String? {
    do throws(SASLFailure) {
      return try SASLPrep.prepare(text, as: .password)
    } catch {
      return error == .unpreparable(.password, why: .empty) ? "" : nil
    }
  }

  /// Five ideographs whose decomposition was wrong in Unicode 3.2 (Corrigendum 4).
  private static let corrected: Set<UInt32> = [0x2F868, 0x2F874, 0x2F91F, 0x2F95F, 0x2F9BF]

  private static func same(_ text: String, _ gsasl: GSASL) -> Bool {
    let (ours, theirs) = (ours(text), gsasl.saslprep(text))
    return ours.map { Array($0.utf8) } == theirs.map { Array($0.utf8) }
  }

  @Test(
    "Characters alone, after a letter and between Hebrew ones: libgsasl agrees",
    .enabled(if: GSASL() != nil, "needs Debian's package libgsasl18"))
  func characters() throws {
    let gsasl = try #require(GSASL())
    // The densely assigned ranges of Unicode 3.2, and a sample of the ideographs and syllables.
    let values =
      Array(1..<0x3400) + Array(stride(from: 0x3400, to: 0xF900, by: 61))
      + Array(0xF900..<0x10000) + Array(0x1D000..<0x1D800) + Array(0xE0000..<0xE0080)
      + Array(stride(from: 0x10000, to: 0x110000, by: 251))
    for value in values {
      guard let scalar = Unicode.Scalar(value), !Self.corrected.contains(scalar.value) else {
        continue
      }
      for text in ["\(scalar)", "a\(scalar)", "\u{5D0}\(scalar)\u{5D0}"]
      where !Self.same(text, gsasl) {
        Issue.record("U+\(String(value, radix: 16)) in \(text.unicodeScalars.count)")
      }
    }
  }

  @Test(
    "Random texts: libgsasl agrees",
    .enabled(if: GSASL() != nil, "needs Debian's package libgsasl18"))
  func texts() throws {
    let gsasl = try #require(GSASL())
    // No jamo: libgsasl refuses texts that were composed wrongly before Unicode's Public Review
    // Issue 29.
    let pools: [ClosedRange<UInt32>] = [
      0x20...0x7E, 0xA0...0x24F, 0x300...0x345, 0x5D0...0x5EA, 0x621...0x652,
      0x2000...0x206F, 0xAC00...0xAC40, 0xFE00...0xFE0F, 0xFF01...0xFF9F, 0x1F600...0x1F640,
    ]
    for seed in UInt64(0)..<4000 {
      var random = SeededGenerator(seed: seed)
      var text = String.UnicodeScalarView()
      for _ in 0...Int.random(in: 0..<9, using: &random) {
        let pool = pools[Int.random(in: 0..<pools.count, using: &random)]
        if let scalar = Unicode.Scalar(UInt32.random(in: pool, using: &random)) {
          text.append(scalar)
        }
      }
      if !Self.same(String(text), gsasl) {
        Issue.record("seed \(seed): \(text.map { String($0.value, radix: 16) })")
      }
    }
  }
}
