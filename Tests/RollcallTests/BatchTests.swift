import Captures
import EventStore
import Foundation
@testable import Rollcall
import RosterCore
import TestSupport
import Testing
import XMPPStanza

/// An import appends on a thread of its own, with the same result as on the reading thread.
@Suite("Importing in batches") struct BatchTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func newLog() throws -> EventLog {
    try EventLog.create(
      at: folder.file("\(UUID()).rollcall"), eventVersion: RecordReader.version)
  }

  private func imported(_ test: CaptureCase, batch: Int) throws -> EventLog {
    let log = try newLog()
    let account = try BareJID(parsing: test.account)
    var reading = CaptureImport(ImportOptions(account: account), batch: batch)
    let file = try FileHandle(forReadingFrom: URL(filePath: test.path))
    let summary = try reading.run(file, into: log)
    #expect(UInt64(summary.records) == (try log.read { try $0.lastSequence }))
    return log
  }

  /// The contents of the log, regardless of how it is packed.
  private func records(_ log: EventLog) throws -> [RecordHeader: LogDigest] {
    var records: [RecordHeader: LogDigest] = [:]
    try log.forEachRecord(in: 1...UInt64.max) { header, bytes in
      records[header] = LogDigest(of: bytes)
    }
    return records
  }

  @Test("The size of the batches does not affect an import", arguments: CaptureCase.all)
  func sizes(_ test: CaptureCase) throws {
    let whole = try imported(test, batch: CaptureImport.batch)
    let expected = try records(whole)
    #expect(!expected.isEmpty)
    for batch in [1, 7] {
      let log = try imported(test, batch: batch)
      #expect(try records(log) == expected, "batches of \(batch)")
      let (one, other) = (Timeline(log), Timeline(whole))
      #expect(
        try one.state(at: .head(minus: 0)).roster == other.state(at: .head(minus: 0)).roster)
    }
  }

  private func file(_ text: String) throws -> FileHandle {
    let path = folder.file("\(UUID()).jsonl")
    try Data(text.utf8).write(to: URL(filePath: path))
    return try FileHandle(forReadingFrom: URL(filePath: path))
  }

  private func pushes(_ count: Int) -> String {
    var text = #"{"rollcall-capture":1,"account":"alice@example.test/a"}"# + "\n"
    for number in 1..<max(1, count) {
      text += #"{"dir":"in","xml":"<presence from='c\#(number)@example.test/x'/>"}"# + "\n"
    }
    return text
  }

  @Test("Whole batches from before an error are in the log")
  func lateErrors() throws {
    let log = try newLog()
    let wanted = try BareJID(parsing: "alice@example.test")
    var options = ImportOptions(account: wanted)
    options.connection = "none such"
    var reading = CaptureImport(options, batch: 10)
    #expect(throws: ImportError.otherConnections(wanted: "none such", found: [""])) {
      try reading.run(try file(pushes(35)), into: log)
    }
    #expect(try log.read { try $0.lastSequence } == 0, "no record was wanted")

    // After three batches and a part, another account.
    let bob = try BareJID(parsing: "bob@example.test")
    var lines = [#"{"rollcall-capture":1}"#, #"{"stream":"opened","jid":"alice@example.test/a"}"#]
    lines += pushes(35).split(separator: "\n").dropFirst().map(String.init)
    lines += [#"{"stream":"closed"}"#, #"{"stream":"opened","jid":"bob@example.test/b"}"#]
    var late = CaptureImport(ImportOptions(), batch: 10)
    #expect(throws: ImportError.severalAccounts([wanted, bob])) {
      try late.run(try file(lines.joined(separator: "\n") + "\n"), into: log)
    }
    #expect(try log.read { try $0.lastSequence } == 30, "three batches")
    #expect(try Timeline(log).state(at: .head(minus: 0)).roster.position == 30)
  }

  @Test(
    "An error of the log ends the import, whatever is read meanwhile", arguments: [1, 35, 5000])
  func logErrors(records: Int) throws {
    let path = folder.file("a.rollcall")
    do { _ = try EventLog.create(at: path, eventVersion: RecordReader.version) }
    let log = try EventLog.open(
      at: path, access: .readOnly, eventVersion: RecordReader.version)
    var reading = CaptureImport(ImportOptions(), batch: 10)
    #expect(throws: EventLogError.readOnly(path: log.path)) {
      try reading.run(try file(pushes(records)), into: log)
    }
    #expect(try log.read { try $0.lastSequence } == 0)
  }

  @Test("If the log refuses a batch, no later batch is appended")
  func refusedBatch() throws {
    let log = try EventLog.create(
      at: folder.file("b.rollcall"), eventVersion: RecordReader.version,
      account: "bob@example.test")
    var reading = CaptureImport(ImportOptions(), batch: 10)
    #expect(
      throws: EventLogError.accountDiffers(
        recorded: "bob@example.test", given: "alice@example.test")
    ) {
      try reading.run(try file(pushes(35)), into: log)
    }
    #expect(try log.read { try $0.lastSequence } == 30, "the account goes with the last batch")
  }

  @Test("If a batch fails, later ones that already wait are not appended")
  func afterAFailure() throws {
    let log = try EventLog.create(
      at: folder.file("c.rollcall"), eventVersion: RecordReader.version,
      account: "bob@example.test")
    func batch(_ records: Int, account: String?) -> RecordBatch {
      var batch = RecordBatch()
      for _ in 0..<records { batch.records.add(.closed) }
      batch.marks = LogMarks(account: account)
      return batch
    }
    #expect(throws: EventLogError.self) {
      try LogWriter.run(log) { writer in
        // While the first is written, the others wait for their turn.
        var first = batch(3000, account: nil)
        var refused = batch(1, account: "alice@example.test")
        try writer.put(&first)
        try writer.put(&refused)
        var last = batch(1, account: nil)
        try writer.put(&last)
      }
    }
    #expect(try log.read { try $0.lastSequence } == 3000)
  }
}

extension RecordDraft {
  /// The end of a connection.
  fileprivate static var closed: RecordDraft {
    RecordDraft(
      time: nil, direction: .none, kind: .lifecycle, bytes: Lifecycle.closed(reason: nil).bytes,
      decoded: RecordReader().decode(.lifecycle, .none, Lifecycle.closed(reason: nil).bytes))
  }
}
