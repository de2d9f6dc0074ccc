import Captures
import EventStore
import Foundation
@testable import Rollcall
import TestSupport
import Testing

/// Elements beyond a limit of a session, which anyone can send through a server with higher limits.
@Suite("Elements beyond a limit") struct OversizedElementTests {
  static let cases: [(what: String, xml: String, reason: String)] = [
    (
      "300 attributes",
      "<message from='eve@evil.test/x'><x xmlns='u' "
        + (0..<300).map { "a\($0)='1'" }.joined(separator: " ") + "/></message>",
      "an element has too many attributes"
    ),
    (
      "300 attributes of its own",
      "<presence " + (0..<300).map { "a\($0)='1'" }.joined(separator: " ") + "/>",
      "an element has too many attributes"
    ),
    (
      "300 namespaces",
      "<message><x xmlns='u' "
        + (0..<300).map { "xmlns:a\($0)='u\($0)'" }.joined(separator: " ") + "/></message>",
      "an element has too many attributes"
    ),
    (
      "130 levels",
      "<iq type='get' id='1'>" + String(repeating: "<a>", count: 130)
        + String(repeating: "</a>", count: 130) + "</iq>", "elements are nested too deeply"
    ),
    (
      "a long name", "<message><\(String(repeating: "a", count: 60_000))/></message>",
      "a name has too many bytes"
    ),
    (
      "too many elements",
      "<message>" + String(repeating: "<a/>", count: 600) + "</message>",
      "a stanza has too many elements"
    ),
    (
      "too many bytes",
      "<message><body>" + String(repeating: "x", count: 200_000) + "</body></message>",
      "a stanza has too many bytes"
    ),
  ]

  private static let limits: SessionLimits = {
    var limits = SessionLimits()
    (limits.elementsPerStanza, limits.bytesPerElement) = (500, 100_000)
    return limits
  }()

  private let folder: TemporaryFolder
  private var path: String { folder.file("alice.rollcall") }

  init() throws { folder = try TemporaryFolder() }

  private func begin() throws -> RosterSession {
    let session = try RosterSession(recordingTo: path, limits: Self.limits)
    try session.received(
      "<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>".utf8,
      at: 999)
    try session.opened(as: JID(parsing: "alice@example.test/phone"), at: 1000)
    return session
  }

  @Test(
    "It is skipped, recorded and reported, and the stream continues after it",
    arguments: cases.indices, [1, 17, 4000, 1 << 20])
  func passedOver(_ index: Int, size: Int) throws {
    let (what, xml, reason) = Self.cases[index]
    let session = try begin()
    let bytes = Array((xml + "<presence from='bob@example.test/pc'/>").utf8)
    var steps: [SessionStep] = []
    for start in stride(from: 0, to: bytes.count, by: size) {
      steps += try session.received(bytes[start..<min(start + size, bytes.count)], at: 1001)
    }
    #expect(steps.count == 2, "\(what)")
    #expect(steps.first?.part == .skipped(isStanza: true, reason: reason), "\(what)")
    #expect(steps.first?.outcome.findings.map(\.code) == [.oversizedElement], "\(what)")
    guard case .element? = steps.last?.part else {
      Issue.record("\(what): nothing comes after it")
      return
    }
    let bob = bare("bob@example.test")
    #expect(session.roster.presence(of: bob).best != nil)
    try session.close()

    let log = try EventLog.open(
      at: path, access: .readOnly, eventVersion: RecordReader.version)
    var found: [UnreadableBytes] = []
    try log.forEachRecord(in: 1...UInt64.max) { header, bytes in
      guard header.kind == .unreadable else { return }
      found.append(
        try #require(UnreadableBytes(line: bytes.withUnsafeBytes { Array($0) })))
    }
    #expect(found.map(\.count) == [xml.utf8.count])
    #expect(found.first?.kept == Array(xml.utf8.prefix(UnreadableBytes.limit)))
    #expect(found.first?.isBeyondLimit == true)
    #expect(try Timeline(log).findings().map(\.code) == [.oversizedElement])
  }

  @Test("Several that arrive at once are skipped one by one")
  func many() throws {
    let session = try begin()
    let xml = Self.cases[0].xml
    let bytes = Array(
      (0..<60).map { xml + "<presence from='bob@example.test/\($0)'/>" }.joined().utf8)
    let steps = try session.received(bytes, at: 1001)
    try #require(steps.count == 120)
    for (index, step) in steps.enumerated() {
      guard index.isMultiple(of: 2) else { continue }
      #expect(step.part == .skipped(isStanza: true, reason: Self.cases[0].reason))
    }
    #expect(session.roster.presence(of: bare("bob@example.test")).resources.count == 60)
    try session.close()
  }

  @Test("The bytes after each of several are not copied", arguments: [0, 5])
  func notCopied(earlier: Int) {
    let bytes = [UInt8](0..<200)
    // These bytes begin right after the end of the earlier ones.
    let start = earlier == 0 ? 100 : 0
    let before = [UInt8](repeating: 255, count: earlier)
    let (kept, left) = StreamIntake.parted(
      (before + bytes[start..<120])[...], readUpTo: 120, of: bytes)
    #expect(Array(kept) == before && Array(left) == Array(bytes[start...]))
    let memory = bytes.withUnsafeBufferPointer { $0.baseAddress.map { $0 + start } }
    #expect(left.withUnsafeBufferPointer { $0.baseAddress } == memory)
  }

  @Test("A capture made from the log, redacted or not, has the same finding")
  func exported() throws {
    let session = try begin()
    try session.received(Self.cases[0].xml.utf8, at: 1001)
    try session.close()
    let log = try EventLog.open(
      at: path, access: .readOnly, eventVersion: RecordReader.version)
    for (name, isRedacted) in [("plain", false), ("redacted", true)] {
      var lines: [UInt8] = []
      if isRedacted {
        _ = try LogExport(log).writeRedacted { lines += $0 }
      } else {
        _ = try LogExport(log).writeNative { lines += $0 }
      }
      let capture = folder.file("\(name).jsonl")
      try Data(lines).write(to: URL(filePath: capture))
      let copy = try importedLog(of: capture, nil, in: folder)
      #expect(try Timeline(copy).findings().map(\.code) == [.oversizedElement], "\(name)")
    }
  }

  @Test("If the connection ends inside it, the bytes so far are unreadable")
  func cut() throws {
    let session = try begin()
    let xml = Self.cases[3].xml
    #expect(try session.received(xml.utf8.prefix(xml.utf8.count - 3), at: 1001).isEmpty)
    let steps = try session.closed(at: 1002)
    #expect(steps.first?.part == .unreadable(reason: "the text ends inside an element"))
  }

  @Test("The stream cannot continue after an oversized stream header")
  func header() throws {
    let session = try RosterSession(recordingTo: path)
    let attributes = (0..<300).map { "a\($0)='1'" }.joined(separator: " ")
    let header = "<stream:stream xmlns:stream='http://etherx.jabber.org/streams' \(attributes)>"
    let steps = try session.received(header.utf8, at: 1)
    #expect(steps.map(\.part) == [.unreadable(reason: "an element has too many attributes")])
  }
}
