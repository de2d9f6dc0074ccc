@testable import RosterClient
import Testing

/// One upload over a connection, event by event.
@Suite("An upload") struct UploadExchangeTests {
  private typealias Action = UploadExchange.Action

  private enum Event {
    case secured, written, timedOut, disconnected
    case answered(Int)
  }

  private static let host = "up.test"
  private static let cut = UploadFailure.lost(host: host, reason: "it was closed")
  private static let early = UploadFailure.lost(
    host: host, reason: "it answered before it had the file")
  private static let piece = UploadExchange.piece

  /// The size of a file, what happens, and what is done.
  private static let cases: [(String, Int, [Event], [Action])] = [
    ("nothing", 3, [], []),
    ("the file goes out in one piece", 3, [.secured], [.sendHead, .send(0..<3)]),
    (
      "the file is taken", 3, [.secured, .written, .answered(201)],
      [.sendHead, .send(0..<3), .sendEnd, .finish(nil)]
    ),
    (
      "200 is as good", 3, [.secured, .written, .answered(200)],
      [.sendHead, .send(0..<3), .sendEnd, .finish(nil)]
    ),
    (
      "in pieces, each once the last is written", piece + 1, [.secured, .written, .written],
      [.sendHead, .send(0..<piece), .send(piece..<(piece + 1)), .sendEnd]
    ),
    (
      "a piece exactly", piece, [.secured, .written], [.sendHead, .send(0..<piece), .sendEnd]
    ),
    (
      "a go-ahead is no answer", 3, [.secured, .answered(100), .written, .answered(201)],
      [.sendHead, .send(0..<3), .sendEnd, .finish(nil)]
    ),
    (
      "an answer that comes too early to be true", piece + 1, [.secured, .answered(201), .written],
      [.sendHead, .send(0..<piece), .finish(early)]
    ),
    (
      "too large", 3, [.secured, .written, .answered(413)],
      [.sendHead, .send(0..<3), .sendEnd, .finish(.tooLarge(size: 3, limit: nil))]
    ),
    (
      "too large, said before the end", piece + 1, [.secured, .answered(413), .written, .written],
      [.sendHead, .send(0..<piece), .finish(.tooLarge(size: piece + 1, limit: nil))]
    ),
    (
      "a redirection is not followed", 3, [.secured, .written, .answered(307), .answered(201)],
      [.sendHead, .send(0..<3), .sendEnd, .finish(.redirected(host: host))]
    ),
    (
      "refused", 3, [.secured, .written, .answered(403)],
      [.sendHead, .send(0..<3), .sendEnd, .finish(.refused(host: host, status: 403))]
    ),
    (
      "the host fails", 3, [.secured, .written, .answered(500)],
      [.sendHead, .send(0..<3), .sendEnd, .finish(.refused(host: host, status: 500))]
    ),
    ("no TLS in time", 3, [.timedOut, .secured], [.finish(.timeout(host: host))]),
    (
      "a host that takes nothing", 3, [.secured, .timedOut, .written],
      [.sendHead, .send(0..<3), .finish(.timeout(host: host))]
    ),
    (
      "a host that answers nothing", 3, [.secured, .written, .timedOut, .answered(201)],
      [.sendHead, .send(0..<3), .sendEnd, .finish(.timeout(host: host))]
    ),
    ("no TLS", 3, [.disconnected, .secured], [.finish(cut)]),
    (
      "cut before the answer", 3, [.secured, .written, .disconnected, .disconnected],
      [.sendHead, .send(0..<3), .sendEnd, .finish(cut)]
    ),
    (
      "closed after the answer", 3, [.secured, .written, .answered(201), .disconnected, .timedOut],
      [.sendHead, .send(0..<3), .sendEnd, .finish(nil)]
    ),
    ("TLS begins once", 3, [.secured, .secured], [.sendHead, .send(0..<3)]),
  ]

  @Test("It does what each event calls for, and ends once", arguments: cases.indices)
  func event(_ index: Int) {
    let (what, size, events, expected) = Self.cases[index]
    var exchange = UploadExchange(to: Self.host, size: size)
    var actions: [Action] = []
    for event in events {
      switch event {
      case .secured: actions += exchange.secured()
      case .written: actions += exchange.written()
      case .timedOut: actions += exchange.timedOut()
      case .disconnected: actions += exchange.disconnected(Self.cut)
      case .answered(let status): actions += exchange.answered(status)
      }
    }
    #expect(actions == expected, "\(what)")
  }

  @Test(
    "Every byte is sent once, in order", arguments: [1, piece - 1, piece, piece + 1, 10 * piece])
  func bytes(_ size: Int) {
    var exchange = UploadExchange(to: Self.host, size: size)
    var (sent, ends) = (0, 0)
    var actions = exchange.secured()
    while let action = actions.popLast() {
      switch action {
      case .sendHead: break
      case .send(let range):
        #expect(range.lowerBound == sent && !range.isEmpty && range.count <= Self.piece)
        sent = range.upperBound
        actions += exchange.written()
      case .sendEnd: ends += 1
      case .finish: Issue.record("it ended by itself")
      }
    }
    #expect(sent == size && ends == 1)
  }
}
