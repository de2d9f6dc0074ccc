import Captures
import EventStore
import Foundation
import InspectorCore
import Rollcall
import RosterCore
import TestSupport
import Testing
import XMPPStanza

/// A log that is written while it is looked at shows what one shows that was opened later.
@Suite struct GrowingLogTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test(arguments: CaptureCase.all)
  func theIndexOfPartsIsThatOfTheWhole(_ fixture: CaptureCase) throws {
    let whole = try Inspected(fixture, in: folder)
    let head = try whole.head
    var drafts: [RecordDraft] = []
    let reader = RecordReader()
    try whole.log.forEachRecord(in: 1...head) { header, span in
      let bytes = (0..<span.byteCount).map { span.unsafeLoad(fromByteOffset: $0, as: UInt8.self) }
      let parts = reader.decode(header, span)
      drafts.append(
        RecordDraft(
          time: header.time, direction: header.direction, kind: header.kind,
          connection: header.connection, bytes: bytes, event: parts.event,
          contacts: parts.contacts))
    }
    let log = try EventLog.create(
      at: folder.file("\(UUID()).rollcall"), eventVersion: RecordReader.version,
      account: try whole.log.meta.account)
    let growing = Inspected(log)
    var known: UInt64 = 0
    // Pieces that end inside folds, and one record at a time.
    for piece in [1, 2, 3, 5, 7, 64, 100, drafts.count] {
      guard !drafts.isEmpty else { break }
      try log.append(drafts.prefix(piece))
      drafts.removeFirst(min(piece, drafts.count))
      let news = try #require(try growing.inspector.logs[0].news(after: known))
      #expect(news.head == (try growing.head))
      known = news.head
      _ = try growing.get("/api/timeline")
    }
    #expect(try growing.inspector.logs[0].news(after: known) == nil)
    for target in [
      "/api/story?view=story", "/api/story/story/blocks/0", "/api/story?view=findings",
      "/api/timeline?axis=record", "/api/findings",
    ] {
      #expect(try growing.get(target) == whole.get(target), "\(target)")
    }
    let (mine, others) = (try growing.get("/api/log"), try whole.get("/api/log"))
    for key in ["sessions", "devices", "findings", "entries", "first", "last"] {
      #expect(mine[key] == others[key], "\(key)")
    }
  }
}
