import Captures
import TestSupport
import Testing
import XMPPStanza

/// A session gives the same records however it reached the user.
///
/// `ROLLCALL_SEEDS` sets other seeds; `tools/attack pasted` tries many.
@Suite("Kept sessions through carriers of all kinds")
struct CarriedSessionTests {
  static let seeds = Seeds.chosen(or: 1...60)

  @Test("A session gives the same stanzas, directions and account through any carriers")
  func carried() throws {
    var failed: [String] = []
    for seed in Self.seeds {
      let session = CarriedSession(seed: seed)
      let plain = try Self.reading(
        Array(session.lines.map { "\($0)\n" }.joined().utf8), session.format)
      #expect(plain.elements.count == session.lines.count, "seed \(seed): \(session.name)")
      let head = Array(session.bytes.prefix(64 << 10))
      let carrier = Carrier(head)
      let format = CaptureFormat.detect(head, within: carrier)?.id
      let reading = try Self.reading(session.bytes, session.format, carrier)
      guard
        format != session.format || reading.elements != plain.elements
          || Self.accounts(reading) != Self.accounts(plain)
      else { continue }
      let what =
        format == session.format ? "\(reading.elements.count) elements" : "\(format ?? "none")"
      failed.append("seed \(seed): \(session.name): \(what) of \(plain.elements.count)")
    }
    #expect(failed.isEmpty, "\(failed.joined(separator: "\n"))")
  }

  private static func reading(
    _ bytes: [UInt8], _ format: String, _ carrier: Carrier = .none
  ) throws -> Reading {
    try read(bytes, format, options: ReaderOptions(year: 2026, carrier: carrier))
  }

  private static func accounts(_ reading: Reading) -> [String] {
    var filter = AccountFilter(account: nil)
    for record in reading.records { filter.take(record) { _ in } }
    filter.finish { _ in }
    return filter.accounts.map(\.text)
  }
}
