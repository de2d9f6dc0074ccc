import Rollcall
@testable import RosterClient
import Testing

/// All that has come on a connection is read at once when the connection is closed.
@Suite(
  "What is read at once", .timeLimit(.minutes(5)),
  .enabled(if: Certificates.isPossible, "openssl is needed"))
struct LastReadTests {
  private typealias Words = LoginScript

  private static let count = 10_000
  private static let asked = (0..<count).map {
    "<iq type='get' id='f\($0)' from='bob@example.test/x'><ping xmlns='urn:xmpp:ping'/></iq>"
  }
  private static let bytes = Array(asked.joined().utf8)

  /// How much is read at a time.
  @Test("No more of it is taken than is then put on the disk", arguments: [16 << 10, bytes.count])
  func bounded(_ size: Int) async throws {
    let attack = try Attack(Words.online + [Words.roster()], Words.last)
    let result = try await attack.run { session in
      let waiting = await session.hearAtOnce(Self.bytes, size)
      // Each question and its answer.
      let most = 2 * (LiveSession.round / Self.asked[0].utf8.count + 1)
      #expect(waiting.allSatisfy { $0 > most / 2 && $0 <= most }, "\(waiting)")
      await session.ended()
    }
    #expect(result.failure == .stream(condition: "host-gone", text: nil))
    #expect(result.heard.count == 2)
    #expect(result.records > 2 * Self.count, "all of it is recorded")
  }
}

extension LiveSession {
  /// Has bytes come as when the connection is closed.
  ///
  /// - Returns: How many records wait for the disk then, and how many more one round later.
  fileprivate func hearAtOnce(_ bytes: [UInt8], _ size: Int) -> [Int] {
    let before = news.count
    for start in stride(from: 0, to: bytes.count, by: size) {
      heard(Array(bytes[start..<min(start + size, bytes.count)]), on: connections)
      heardAll(on: connections)
    }
    disconnected(.lost(reason: "of a test"), on: connections)
    let first = news.count
    readOn()
    return [first - before, news.count - first]
  }
}
