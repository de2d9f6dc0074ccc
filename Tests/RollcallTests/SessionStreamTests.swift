import Captures
import EventStore
import Foundation
@testable import Rollcall
import TestSupport
import Testing

/// The bytes of a stream, in any pieces.
@Suite("Passing a stream") struct SessionStreamTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// The bytes in both directions, in turns.
  private typealias Turn = (direction: Direction, bytes: [UInt8])

  private static let header =
    "<?xml version='1.0'?><stream:stream xmlns='jabber:client' "
    + "xmlns:stream='http://etherx.jabber.org/streams' xmlns:x='urn:example:x' version='1.0'"
  private static let features =
    "<stream:features><ver xmlns='urn:xmpp:features:rosterver'/></stream:features>"

  /// A login, a fetch, and later stanzas, with white space, prefixes from the stream's header, and
  /// the ends of the streams.
  private static let dialogue: [Turn] = {
    let turns: [(Direction, String)] = [
      (.outbound, "\(header) to='example.test'>"),
      (.inbound, "\(header) from='example.test' id='s1'>\(features)"),
      (
        .outbound,
        "<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='PLAIN'>AGEAYg==</auth>"
      ),
      (.inbound, "<success xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/>"),
      (.outbound, "\(header) to='example.test'>"),
      (.inbound, "\(header) from='example.test' id='s2'>\(features)"),
      (
        .outbound,
        "<iq type='set' id='b'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/></iq>"
      ),
      (
        .inbound,
        "<iq type='result' id='b'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'>"
          + "<jid>alice@example.test/phone</jid></bind></iq>"
      ),
      (.outbound, "<iq type='get' id='r'><query xmlns='jabber:iq:roster'/></iq> \n<presence/>"),
      (
        .inbound,
        " <iq type='result' id='r'><query xmlns='jabber:iq:roster'>"
          + "<item jid='bob@example.test' name='张三 &amp; Söhne' subscription='both'/></query></iq>\n\n"
          + "<presence from='bob@example.test/pc'><x:mark/><status>😀</status></presence>"
          + "<message from='bob@example.test/pc'><body>hi</body></message>"
      ),
      (.outbound, "</stream:stream>"), (.inbound, "</stream:stream>"),
    ]
    return turns.map { ($0.0, Array($0.1.utf8)) }
  }()

  /// The steps and records of a session for some turns.
  private func recorded(_ turns: [Turn]) throws -> (steps: [SessionStep], log: [String], Roster) {
    let path = folder.file("\(UUID()).rollcall")
    let session = try RosterSession(recordingTo: path, idPrefix: "t")
    var steps: [SessionStep] = []
    for turn in turns {
      switch turn.direction {
      case .inbound: steps += try session.received(turn.bytes, at: nil)
      case .outbound: steps += try session.sent(turn.bytes, at: nil)
      }
    }
    let roster = session.roster
    try session.close()
    let log = try EventLog.open(at: path, access: .readOnly, eventVersion: RecordReader.version)
    var lines: [String] = []
    try log.forEachRecord(in: 1...UInt64.max) { header, bytes in
      let text = bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
      lines.append("\(header.kind.name) \(header.direction) \(text)")
    }
    #expect(try Timeline(log).state(at: .head(minus: 0)).roster == roster)
    return (steps, lines, roster)
  }

  @Test("A whole stream is read: headers, features, SASL, several elements, its end")
  func whole() throws {
    let (steps, lines, roster) = try recorded(Self.dialogue)
    #expect(steps.map(\.stamp.record) == Array(1...UInt64(steps.count)))
    #expect(steps.filter { $0.part == .header }.count == 4)
    #expect(steps.filter { $0.part == .end }.count == 2)
    #expect(!steps.contains { if case .unreadable = $0.part { true } else { false } })
    #expect(lines.count == steps.count)
    #expect(roster.account?.text == "alice@example.test")
    #expect(roster.sortedItems.map(\.name) == ["张三 & Söhne"])
    #expect(!lines.contains { $0.contains("AGEAYg") })
    // In a record, an element is independent of its stream.
    #expect(lines.contains { $0.contains("urn:example:x") && $0.hasPrefix("element") })
    #expect(!roster.isConnected)
  }

  @Test(
    "The result does not depend on how the bytes are divided", arguments: 0..<40 as Range<UInt64>)
  func pieces(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let expected = try recorded(Self.dialogue)
    let most = [1, 2, 7, 50, 400][Int(seed % 5)]
    let cut = Self.dialogue.flatMap { turn -> [Turn] in
      var rest = turn.bytes[...]
      var pieces: [Turn] = []
      while !rest.isEmpty {
        let count = Int.random(in: 1...most, using: &random)
        pieces.append((turn.direction, Array(rest.prefix(count))))
        rest = rest.dropFirst(count)
      }
      return pieces
    }
    let found = try recorded(cut)
    #expect(found.steps == expected.steps, "seed \(seed)")
    #expect(found.log == expected.log, "seed \(seed)")
    #expect(found.2 == expected.2, "seed \(seed)")
  }

  private static let boundDialogue = Array(dialogue.dropLast(2))

  private static func turn(_ direction: Direction, _ xml: String) -> Turn {
    (direction, Array(xml.utf8))
  }

  private static let removal =
    "<iq type='set' id='p1'><query xmlns='jabber:iq:roster'>"
    + "<item jid='bob@example.test' subscription='remove'/></query></iq>"

  @Test("What the server sends after its end is recorded and ignored")
  func afterTheServersEnd() throws {
    let late =
      "\(Self.removal)<presence type='subscribe' from='eve@evil.test'/>"
      + "<presence from='bob@example.test/pc'/>"
    let turns =
      Self.boundDialogue + [
        Self.turn(.inbound, "</stream:stream>"), Self.turn(.inbound, late),
      ]
    let (steps, lines, roster) = try recorded(turns)
    #expect(steps.suffix(3).map { $0.outcome.findings.map(\.code) } == [[.lateStanza], [], []])
    #expect(steps.suffix(3).allSatisfy { $0.outcome.changes.isEmpty })
    #expect(lines.suffix(3).allSatisfy { $0.hasPrefix("element") })
    #expect(roster.sortedItems.map(\.jid.text) == ["bob@example.test"])
    #expect(roster.incoming.isEmpty)
    // A new stream in the same session counts again.
    let (again, _, other) = try recorded(turns + Self.boundDialogue)
    #expect(other.isConnected && other.presence(of: bare("bob@example.test")).best != nil)
    #expect(again.flatMap(\.outcome.findings).map(\.code).filter { $0 == .lateStanza }.count == 1)
  }

  @Test("After the server's end its answers end no command, and its pushes need no answer")
  func answersAfterTheServersEnd() throws {
    for direction in [Direction.inbound, .outbound] {
      let session = RosterSession(idPrefix: "t")
      for turn in Self.boundDialogue {
        switch turn.direction {
        case .inbound: try session.received(turn.bytes, at: nil)
        case .outbound: try session.sent(turn.bytes, at: nil)
        }
      }
      let command = try session.decide(.rename(bare("bob@example.test"), to: "Bob"))
      for outgoing in command.elements { try session.sent(outgoing.bytes, at: nil) }
      let id = try #require(command.elements.first.flatMap { element($0.text).attribute("id") })
      switch direction {
      case .inbound: try session.received("</stream:stream>".utf8, at: nil)
      case .outbound: try session.sent("</stream:stream>".utf8, at: nil)
      }
      let answer = "<iq type='result' id='\(id)'/>"
      let steps = try session.received((Self.removal + answer).utf8, at: nil)
      // After our own end it is an answer, but nothing more can be sent.
      #expect(steps.flatMap(\.answers).isEmpty == (direction == .inbound))
      #expect(session.roster.sortedItems.isEmpty == (direction == .outbound))
      #expect(session.acknowledgements.isEmpty)
    }
  }

  @Test("An import of the same stream ignores the same stanzas, as does why")
  func imported() throws {
    let late = "<presence type='subscribe' from='eve@evil.test'/>"
    let turns =
      Self.boundDialogue + [
        Self.turn(.inbound, "</stream:stream>"), Self.turn(.inbound, Self.removal + late),
      ]
    let (_, _, roster) = try recorded(turns)
    let folder = try TemporaryFolder()
    let path = folder.file("a.rollcall")
    let session = try RosterSession(recordingTo: path)
    for turn in turns {
      switch turn.direction {
      case .inbound: try session.received(turn.bytes, at: 1000)
      case .outbound: try session.sent(turn.bytes, at: 1000)
      }
    }
    try session.close()
    let log = try EventLog.open(at: path, access: .readOnly, eventVersion: RecordReader.version)
    var bytes: [UInt8] = []
    _ = try LogExport(log).writeNative { bytes += $0 }
    let capture = folder.file("a.jsonl")
    try Data(bytes).write(to: URL(filePath: capture))
    let timeline = Timeline(try importedLog(of: capture, nil, in: folder))
    let state = try timeline.state(at: .head(minus: 0))
    #expect(state.roster.sortedItems == roster.sortedItems && state.roster.incoming.isEmpty)
    #expect(try timeline.findings().map(\.code).filter { $0 == .lateStanza }.count == 1)
    var replay = ContactReplay(of: bare("eve@evil.test"))
    var all = Timeline.State()
    try timeline.advance(&all, to: state.roster.position) { replay.follow($0, $1) }
    #expect(replay.stanzas.isEmpty)
  }

  /// A captured session as elements alone, as from an application that never sees the streams'
  /// headers.
  @Test("Real sessions give the same result as an import", arguments: CaptureCase.all)
  func captured(_ test: CaptureCase) throws {
    let imported = try importedLog(of: test.path, test.account, in: folder)
    let session = RosterSession()
    try imported.forEachRecord(in: 1...UInt64.max) { header, bytes in
      let bytes = bytes.withUnsafeBytes { Array($0) }
      switch (header.kind, header.direction) {
      case (.lifecycle, _):
        switch Lifecycle(bytes) {
        case .opened(let jid)?: try session.opened(as: jid, at: header.time)
        case .resumed?: try session.resumed(at: header.time)
        case .closed?: try session.closed(at: header.time)
        case .header?, .connected?, .secured?, .verified?, .unverified?, .authenticated?,
          .recorded?, nil:
          break
        }
      case (_, .inbound): try session.received(bytes, at: header.time)
      case (_, .outbound): try session.sent(bytes, at: header.time)
      case (_, .none): break
      }
    }
    let expected = try Timeline(imported).state(at: .head(minus: 0)).roster
    #expect(session.roster.sortedItems == expected.sortedItems)
    #expect(session.roster.incoming.map(\.key) == expected.incoming.map(\.key))
  }

  @Test("Elements beyond a limit are skipped, and the limits can be set")
  func limits() throws {
    var limits = SessionLimits()
    limits.bytesPerElement = 100
    limits.depth = 3
    limits.attributesPerElement = 2
    let cases = [
      "<a>\(String(repeating: "x", count: 200))</a>", "<a><b><c><d/></c></b></a>",
      "<a b='' c='' d=''/>",
    ]
    for xml in cases {
      let session = RosterSession(limits: limits)
      guard case .skipped? = try session.received(xml.utf8, at: nil).last?.part else {
        Issue.record("\(xml)")
        continue
      }
      let other = RosterSession()
      guard case .element? = try other.received(xml.utf8, at: nil).last?.part else {
        Issue.record("\(xml)")
        continue
      }
    }
  }
}
