import RawBytes
import TestSupport
import Testing

@testable import XMPPStanza

@Suite("The fast path of address preparation")
struct JIDPreparationTests {
  /// The result of the fast path for a text.
  private func prepared(_ text: String) -> String? {
    text.withUTF8Bytes { bytes in
      guard let address = JIDPreparation.prepared(bytes) else { return nil }
      let bare = String(decoding: address.bare)
      guard let resource = address.resource else { return bare }
      return bare + "/" + String(decoding: resource)
    }
  }

  /// Whether an address is already prepared: small letters, digits, `_` and `-`, in labels that are
  /// not empty and cannot be A-labels.
  private func isPlain(_ text: String) -> Bool {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    let bare = parts[0]
    let plain = Set("abcdefghijklmnopqrstuvwxyz0123456789_-.@éж张".unicodeScalars)
    return !bare.isEmpty && parts.last?.isEmpty == false
      && bare.unicodeScalars.allSatisfy(plain.contains)
      && !["..", "@.", "--"].contains { bare.contains($0) }
      && !bare.hasPrefix(".") && !bare.hasPrefix("@") && !bare.hasSuffix(".")
      && !bare.hasSuffix("@") && bare.count { $0 == "@" } < 2
  }

  @Test("It accepts exactly the addresses that are already prepared", arguments: 0..<UInt64(8))
  func plainAddresses(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let usual = Array("abcxyz0189_")
    let others = Array("-.@/AZÉЖ张жé `{\u{301}")
    var (taken, left) = (0, 0)
    for _ in 0..<5000 {
      var text = ""
      for _ in 0..<Int.random(in: 0..<50, using: &random) {
        let isUsual = Int.random(in: 0..<16, using: &random) > 0
        text.append((isUsual ? usual : others).randomElement(using: &random) ?? "a")
      }
      let isTaken = prepared(text) != nil
      #expect(isTaken == isPlain(text), "seed \(seed): \(text)")
      #expect(!isTaken || prepared(text) == text, "seed \(seed)")
      if isTaken { taken += 1 } else { left += 1 }
    }
    #expect(min(taken, left) > 500)
  }

  /// All letters that preparation must not change.
  private static let settled = (0x80...0x10FFFF).filter(Unicode.Scalar.isSettledLetter)
    .compactMap(Unicode.Scalar.init)

  /// Expects that both the full rules and the fast path leave an address unchanged.
  private func expectUnchanged(_ text: String, _ comment: Comment) throws {
    #expect(
      try JIDPreparation.prepareByAllRules(text).unicodeScalars.elementsEqual(
        text.unicodeScalars), comment)
    #expect(prepared(text) == text, comment)
  }

  @Test("No rule changes a settled letter")
  func settledLetters() throws {
    #expect(Self.settled.count > 39_000)
    for start in stride(from: 0, to: Self.settled.count, by: 16) {
      let letters = String(
        String.UnicodeScalarView(Self.settled[start..<min(start + 16, Self.settled.count)]))
      try expectUnchanged("\(letters)@\(letters).test", "\(letters)")
    }
  }

  @Test("No rule changes settled letters next to each other", arguments: 0..<UInt64(8))
  func settledNeighbours(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    // Nearly all settled letters are Han or Hangul, so half are picked from the others.
    let nonHan = Self.settled.filter { !(0x3400..<0xFFFF).contains($0.value) }
    for _ in 0..<300 {
      let letters = (0..<40).map { _ in
        (Bool.random(using: &random) ? nonHan : Self.settled).randomElement(using: &random) ?? "a"
      }
      let text = String(String.UnicodeScalarView(letters))
      try expectUnchanged("\(text)@\(text).test", "seed \(seed): \(text)")
    }
  }

  @Test(
    "Bytes that look like a letter but are not are rejected",
    arguments: [
      [0xE0, 0x83, 0xA0], [0xE0, 0x90, 0xB0], [0xC1, 0xA1], [0xED, 0xA0, 0x80],
      [0xF0, 0x84, 0xB8, 0x80], [0xC3], [0xE4, 0xBD], [0xE4, 0x2F, 0xA0], [0xC3, 0x40], [0xA0],
    ] as [[UInt8]])
  func noLetters(bytes: [UInt8]) {
    for text in [bytes, [0x61] + bytes, bytes + [0x61], bytes + Array("/r".utf8)] {
      let isTaken = JIDPreparation.prepared(text.span.bytes) != nil
      #expect(!isTaken)
    }
  }

  @Test("Bytes that are not UTF-8 are rejected", arguments: 0..<UInt64(4))
  func otherBytes(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<3000 {
      let bytes = (0..<Int.random(in: 1..<24, using: &random)).map { _ in
        Bool.random(using: &random)
          ? UInt8.random(in: 0x80...0xFF, using: &random) : UInt8(ascii: "a")
      }
      let isTaken = JIDPreparation.prepared(bytes.span.bytes) != nil
      #expect(!isTaken || String(validating: bytes, as: UTF8.self) != nil, "seed \(seed): \(bytes)")
    }
  }

  @Test(
    "A domain of plain ASCII is prepared, whatever precedes it",
    arguments: [
      ("É黄强@Jabber.Example.test", "é黄强@jabber.example.test"), ("É@A", "é@a"),
      ("É@b.test.", "é@b.test"), ("É@xn--e1afmkfd.test", "é@пример.test"),
    ])
  func domains(text: String, expected: String) throws {
    #expect(try BareJID(parsing: text).text == expected)
  }

  /// A trailing full stop, which preparation removes, forces the full rules.
  @Test("The fast path and the full rules prepare a domain alike", arguments: 0..<UInt64(4))
  func domainsByBothWays(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var prepared = 0
    for _ in 0..<2000 {
      let domain = String(
        (0..<Int.random(in: 1..<24, using: &random)).map { _ in
          Array("abcXYZ019_--..x").randomElement(using: &random) ?? "a"
        })
      let (short, long) = (
        Result { try BareJID(parsing: "É@" + domain) },
        Result { try BareJID(parsing: "É@" + domain + ".") }
      )
      switch (short, long) {
      case (.success(let short), .success(let long)) where !domain.hasSuffix("."):
        #expect(short == long, "seed \(seed): \(domain)")
        prepared += 1
      // With a second full stop at its end, the domain has an empty label.
      case (.success, .failure), (.success, .success): #expect(domain.hasSuffix("."), "\(domain)")
      case (.failure, .failure): break
      case (.failure, .success): Issue.record("seed \(seed): \(domain) is refused")
      }
    }
    #expect(prepared > 500)
  }

  @Test("The longest domain is accepted, and a longer one is not")
  func longest() throws {
    let domain = String(repeating: "a", count: 1023)
    #expect(try BareJID(parsing: "É@" + domain).domain == domain)
    #expect(throws: JIDError.tooLong(.domain)) { try BareJID(parsing: "É@a" + domain) }
  }

  @Test(
    "Errors in the domain are found",
    arguments: [
      ("É@", JIDError.emptyDomain), ("É@a..b", .emptyDomain), ("É@.", .emptyDomain),
      ("É@b@c", .forbidden("@", .domain)), ("É@b/c", .forbidden("/", .domain)),
      ("É@b c", .forbidden(" ", .domain)),
      ("É@" + String(repeating: "a", count: 1024), .tooLong(.domain)),
    ])
  func mistakes(text: String, error: JIDError) {
    #expect(throws: error) { try BareJID(parsing: text) }
  }
}
