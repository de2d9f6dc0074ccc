#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif
import CLMDB

// The path.
extension EventLogError {
  package static func noSuchFile(path: String) -> EventLogError {
    EventLogError(.noSuchLog, path: path, "there is no file \(path)")
  }

  package static func alreadyExists(path: String) -> EventLogError {
    EventLogError(.alreadyExists, path: path, "\(path) exists already")
  }

  package static func notAFile(path: String) -> EventLogError {
    EventLogError(.unsuitablePath, path: path, "\(path) is not a file")
  }

  /// A link in the place of a log, or of a file beside it: the user who made it chose what is
  /// opened.
  package static func isLink(path: String) -> EventLogError {
    EventLogError(
      .unsuitablePath, path: path, "\(path) is a link; name the file that it leads to")
  }

  /// Other users can replace what is written in the folder.
  package static func writableByOthers(folder: String) -> EventLogError {
    EventLogError(
      .unsuitablePath, path: folder,
      "other users can write to the folder \(folder), so they could replace a log in it; take that "
        + "right from them (chmod go-w), or write to another folder")
  }

  /// A folder that a recorder is to write to, or a lease in it, belongs to another user.
  package static func ofAnotherUser(path: String) -> EventLogError {
    EventLogError(
      .unsuitablePath, path: path,
      "\(path) belongs to another user, who could replace it; record to a folder of your own")
  }

  /// A log, or a lease, of which there are hard links.
  package static func hasOtherNames(path: String) -> EventLogError {
    EventLogError(
      .unsuitablePath, path: path,
      "\(path) has other names (hard links), by which another recorder could write to it; remove "
        + "them, or record to a copy")
  }
}

// The file.
extension EventLogError {
  package static func emptyFile(path: String) -> EventLogError {
    EventLogError(.notALog, path: path, "\(path) is empty")
  }

  /// Not an LMDB file at all.
  package static func notALog(path: String) -> EventLogError {
    EventLogError(.notALog, path: path, "\(path) is not a Rollcall log")
  }

  /// An LMDB file, but some other program's.
  package static func foreignDatabase(path: String) -> EventLogError {
    EventLogError(.notALog, path: path, "\(path) is an LMDB database, but not a Rollcall log")
  }

  package static func unknownLMDBVersion(path: String, version: UInt32) -> EventLogError {
    EventLogError(
      .notALog, path: path,
      "\(path) is an LMDB file of version \(version), which this program does not read")
  }

  package static func truncated(path: String, bytes: UInt64, expected: UInt64) -> EventLogError {
    EventLogError(
      .damaged, path: path,
      "\(path) is cut short: it has \(bytes) bytes of at least \(expected)")
  }

  package static func damaged(path: String, what: String) -> EventLogError {
    EventLogError(.damaged, path: path, "\(path) is damaged: \(what)")
  }

  /// A record or something derived from it cannot be read.
  package static func corrupt(sequence: UInt64, what: String) -> EventLogError {
    EventLogError(.damaged, record: sequence, what)
  }

  /// Something that belongs to no single record cannot be read.
  package static func corrupt(what: String) -> EventLogError {
    EventLogError(.damaged, "the log is damaged: \(what)")
  }

  package static func newerFormat(
    path: String, format: UInt32, supported: UInt32
  ) -> EventLogError {
    EventLogError(
      .newerFormat, path: path,
      "\(path): this log is of format \(format); this program reads up to \(supported)")
  }

  /// A format that no release ever wrote.
  package static func olderFormat(path: String, format: UInt32) -> EventLogError {
    EventLogError(
      .olderFormat, path: path,
      "\(path): this log is of format \(format), which no release wrote and this program does not "
        + "read; import its capture again")
  }
}

// The use of it.
extension EventLogError {
  /// A log that has further databases, opened as if it had none.
  package static func ofManyAccounts(path: String) -> EventLogError {
    EventLogError(
      .notALog, path: path,
      "\(path) is a part of a fleet and has the records of many accounts; rollcall fleet log "
        + "writes the log of one")
  }

  /// A log without the further databases that its opener asks for.
  package static func notOfManyAccounts(path: String) -> EventLogError {
    EventLogError(.notALog, path: path, "\(path) is the log of one account, not a part of a fleet")
  }

  /// Something in a further database cannot be read.
  package static func corruptEntry(_ what: String) -> EventLogError { .corrupt(what: what) }

  package static func readOnly(path: String) -> EventLogError {
    EventLogError(.misuse, path: path, "\(path) is open for reading only")
  }

  /// This process has the log open for reading and now asks to write.
  package static func openForReadingOnly(path: String) -> EventLogError {
    EventLogError(
      .misuse, path: path,
      "\(path) is already open in this process, for reading only; close it before writing")
  }

  /// The file at the path is not the one that this process has open under it.
  package static func replaced(path: String) -> EventLogError {
    EventLogError(
      .misuse, path: path,
      "\(path) was replaced while it was open; close the old log before opening the new one")
  }

  /// Another program is using the log, and this user may not take a lock beside it.
  package static func inUseBeyondLock(path: String) -> EventLogError {
    EventLogError(
      .busy, path: path, "\(path) is in use, and its lock file cannot be written by this user")
  }

  /// The log is in use, which excludes what is to be done with it.
  package static func inUse(path: String) -> EventLogError {
    EventLogError(.busy, path: path, "\(path) is in use; end what is using it first")
  }

  /// Another recorder has the log, or the folder of logs.
  package static func recorded(path: String, by holder: LeaseHolder) -> EventLogError {
    EventLogError(
      .recorded, path: path,
      "\(path) is being recorded to by \(holder); end that first, or record to another place")
  }

  /// The file system has no locks, so nothing would keep a second recorder away.
  package static func noLocks(path: String) -> EventLogError {
    EventLogError(
      .system, path: path,
      "the file system of \(path) has no locks, so nothing would keep a second recorder away; "
        + "record to a disk of this machine")
  }

  /// What was committed is not in the file at the path, which is gone or another one.
  package static func removed(path: String) -> EventLogError {
    EventLogError(
      .removed, path: path,
      "\(path) was removed, moved or replaced while it was being written, so what was written last "
        + "is not in it")
  }

  package static var nestedTransaction: EventLogError {
    EventLogError(.misuse, "a transaction of a log cannot be begun inside another one")
  }

  package static func closed(path: String) -> EventLogError {
    EventLogError(.closed, path: path, "the log \(path) is closed")
  }

  package static func accountDiffers(recorded: String, given: String) -> EventLogError {
    EventLogError(.misuse, "this is the log of \(recorded), not of \(given)")
  }

  package static func payloadTooLong(bytes: Int, limit: Int) -> EventLogError {
    EventLogError(.misuse, "a record of \(bytes) bytes is over the limit of \(limit)")
  }

  package static func markTooLong(bytes: Int, limit: Int) -> EventLogError {
    EventLogError(
      .misuse, "the digest or name of an import has \(bytes) bytes, over the limit of \(limit)")
  }

  package static func stateTooLong(bytes: Int, limit: Int) -> EventLogError {
    EventLogError(.misuse, "a snapshot of \(bytes) bytes is over the limit of \(limit)")
  }

  /// A snapshot is given for a record that the log does not have.
  package static func noRecordOfSnapshot(sequence: UInt64, last: UInt64) -> EventLogError {
    EventLogError(
      .misuse, "there is no record \(sequence) to keep a snapshot of: the last is \(last)")
  }
}

// What the machine refuses.
extension EventLogError {
  /// - Parameters:
  ///   - reason: Why it is unknown, in a clause.
  ///   - underlying: The failed call, if there was one.
  package static func outcomeUnknown(
    path: String, cause reason: String, underlying: Cause? = nil
  ) -> EventLogError {
    EventLogError(
      .outcomeUnknown, path: path, cause: underlying,
      "it is not known whether \(path) has what was written last: \(reason)")
  }

  package static func diskFull(path: String) -> EventLogError {
    EventLogError(.noSpace, path: path, "the disk that holds \(path) is full")
  }

  package static func fileSizeLimit(path: String) -> EventLogError {
    EventLogError(
      .noSpace, path: path, "\(path) has reached the largest size that a file may have")
  }

  package static func addressSpace(path: String, bytes: Int) -> EventLogError {
    EventLogError(
      .system, path: path, "there is no room in memory to map \(bytes) bytes for \(path)")
  }

  package static func tooManyReaders(path: String) -> EventLogError {
    EventLogError(.busy, path: path, "too many readers have \(path) open")
  }

  package static func system(doing: String, path: String, code: Int32) -> EventLogError {
    let text = strerror(code).map { String(cString: $0) } ?? "error \(code)"
    return EventLogError(
      .system, path: path, cause: .system(doing: doing, code: code),
      "cannot \(doing) \(path): \(text)")
  }

  /// An error of LMDB, as it returned it: ``explained(for:)`` says what it means for a log. One
  /// without an explanation, other than an error of the system, comes from a file that is not what
  /// LMDB wrote.
  package static func lmdb(doing: String, code: Int32) -> EventLogError {
    EventLogError(
      code > 0 ? .system : .damaged, cause: .lmdb(doing: doing, code: code),
      "cannot \(doing): \(String(cString: mdb_strerror(code)))")
  }
}
