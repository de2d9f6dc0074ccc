import Rollcall
@testable import RosterClient
import Testing

/// When a connection is closed, everything that has arrived on it is read at once.
@Suite(
  "The last read", .timeLimit(.minutes(5)),
  .enabled(if: Certificates.isPossible, "openssl is needed"))
struct LastReadTests {
  private typealias Words = LoginScript

  private static let count = 10_000
  private static let asked = (0..<count).map {
    "<iq type='get' id='f\($0)' from='bob@example.test/x'><ping xmlns='urn:xmpp:ping'/></iq>"
  }
  private static let bytes = Array(asked.joined().utf8)

  /// The number of bytes per read.
  @Test(
    "At most one round of it is handled before it is on disk", arguments: [16 << 10, bytes.count])
  func bounded(_ size: Int) async throws {
    let attack = try Attack(Words.online + [Words.roster()], Words.last)
    let result = try await attack.run { session in
      let waiting = await session.receiveAtOnce(Self.bytes, size)
      // Each request and its answer.
      let most = 2 * (LiveSession.roundBytes / Self.asked[0].utf8.count + 1)
      #expect(waiting.allSatisfy { $0 > most / 2 && $0 <= most }, "\(waiting)")
      await session.waitUntilEnded()
    }
    #expect(result.failure == .stream(condition: "host-gone", text: nil))
    #expect(result.heard.count == 2)
    #expect(result.records > 2 * Self.count, "all of it is recorded")
  }
}

extension LiveSession {
  /// Receives bytes at once, as when the connection is closed.
  ///
  /// - Returns: The number of records that then wait for the disk, and the number added by the next
  ///   round.
  fileprivate func receiveAtOnce(_ bytes: [UInt8], _ size: Int) -> [Int] {
    let before = pendingSteps.count
    for start in stride(from: 0, to: bytes.count, by: size) {
      bytesReceived(Array(bytes[start..<min(start + size, bytes.count)]), on: connections)
      readCompleted(on: connections)
    }
    disconnected(.lost(reason: "of a test"), on: connections)
    let first = pendingSteps.count
    readNextRound()
    return [first - before, pendingSteps.count - first]
  }
}
