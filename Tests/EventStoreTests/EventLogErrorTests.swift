import CLMDB
@testable import EventStore
import Foundation
import Testing

@Suite("Errors of a log") struct EventLogErrorTests {
  @Test("What an error code means for a log is explained once, and the failed call is kept")
  func explained() {
    let cases: [(Int32, EventLogError, EventLogError.Code)] = [
      (ENOSPC, .diskFull(path: "a"), .noSpace), (EFBIG, .fileSizeLimit(path: "a"), .noSpace),
      (MDB_READERS_FULL, .tooManyReaders(path: "a"), .busy),
      (MDB_INVALID, .notALog(path: "a"), .notALog),
      (EACCES, .system(doing: "commit", path: "a", code: EACCES), .system),
    ]
    for (code, meaning, kind) in cases {
      let error = EventLogError.lmdb(doing: "commit", code: code).explained(for: "a")
      #expect(error == meaning && error.code == kind && error.path == "a")
      #expect(error.cause == .lmdb(doing: "commit", code: code))
      #expect(error.explained(for: "b") == error)
    }
    let other = EventLogError.lmdb(doing: "commit", code: MDB_BAD_TXN)
    #expect(other.explained(for: "a") == other && other.code == .damaged && other.path == nil)
  }

  @Test("A damaged record is named in the sentence, and not in the detail")
  func record() {
    let error = EventLogError.corrupt(sequence: 3, what: "it is missing")
    #expect(error.description == "record 3 is damaged: it is missing")
    #expect(error.detail == "it is missing" && error.record == 3)
    let whole = EventLogError.corrupt(what: "a key of 3 bytes")
    #expect(whole.description == "the log is damaged: a key of 3 bytes" && whole.record == nil)
  }
}
