#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif
import CLMDB

/// Why a log cannot be opened, read or written.
package enum EventLogError: Error, Hashable, Sendable {
  // The path
  case noSuchFile(path: String)
  case alreadyExists(path: String)
  case notAFile(path: String)
  /// A link in the place of a log, or of a file beside it: whoever made it chose what is opened.
  case isLink(path: String)
  /// Other users can replace what is written in the folder.
  case writableByOthers(folder: String)
  /// A folder that a recorder is to write to, or a lease in it, belongs to another user.
  case ofAnotherUser(path: String)
  /// A log, or a lease, of which there are hard links.
  case hasOtherNames(path: String)

  // The file
  case emptyFile(path: String)
  /// Not an LMDB file at all.
  case notALog(path: String)
  /// An LMDB file, but some other program's.
  case foreignDatabase(path: String)
  case truncated(path: String, bytes: UInt64, expected: UInt64)
  case damaged(path: String, what: String)
  /// A record or something derived from it cannot be read; the number is 0 where
  /// it is about no single record.
  case corrupt(sequence: UInt64, what: String)
  case newerFormat(path: String, format: UInt32, supported: UInt32)
  /// A format that no release ever wrote.
  case olderFormat(path: String, format: UInt32)
  case unknownLMDBVersion(path: String, version: UInt32)

  // The use of it
  case readOnly(path: String)
  /// This process has the log open for reading and now asks to write.
  case openForReadingOnly(path: String)
  /// The file at the path is not the one that this process has open under it.
  case replaced(path: String)
  /// Somebody else is using the log, and this user may not take a lock beside it.
  case inUseBeyondLock(path: String)
  /// Somebody is using the log, and what is to be done with it does not bear that.
  case inUse(path: String)
  /// Another recorder has the log, or the folder of logs.
  case recorded(path: String, by: LeaseHolder)
  /// The file system has no locks, so nothing would keep a second recorder away.
  case noLocks(path: String)
  /// What was committed is not in the file at the path, which is gone or another one.
  case removed(path: String)
  case nestedTransaction
  case closed(path: String)
  case accountDiffers(recorded: String, given: String)
  case payloadTooLong(bytes: Int, limit: Int)
  case markTooLong(bytes: Int, limit: Int)
  case stateTooLong(bytes: Int, limit: Int)
  /// A snapshot is handed in for a record that the log does not have.
  case noRecordOfSnapshot(sequence: UInt64, last: UInt64)

  // What the machine refuses
  /// The last write or sync failed: what was to be written may be there or not, and may come or go
  /// with a power cut.
  case outcomeUnknown(path: String, cause: String)
  case diskFull(path: String)
  case fileSizeLimit(path: String)
  case addressSpace(path: String, bytes: Int)
  case tooManyReaders(path: String)
  case system(doing: String, path: String, code: Int32)
  case lmdb(doing: String, code: Int32)
}

extension EventLogError: CustomStringConvertible {
  /// A sentence for a person, without a full stop.
  package var description: String {
    switch self {
    case .noSuchFile(let path): "there is no file \(path)"
    case .alreadyExists(let path): "\(path) exists already"
    case .notAFile(let path): "\(path) is not a file"
    case .isLink(let path): "\(path) is a link; name the file that it leads to"
    case .writableByOthers(let folder):
      "other users can write to the folder \(folder), so they could replace a log in it; take that "
        + "right from them (chmod go-w), or write to another folder"
    case .ofAnotherUser(let path):
      "\(path) belongs to another user, who could replace it; record to a folder of your own"
    case .hasOtherNames(let path):
      "\(path) has other names (hard links), by which another recorder could write to it; remove "
        + "them, or record to a copy"
    case .emptyFile(let path): "\(path) is empty"
    case .notALog(let path): "\(path) is not a Rollcall log"
    case .foreignDatabase(let path):
      "\(path) is an LMDB database, but not a Rollcall log"
    case .truncated(let path, let bytes, let expected):
      "\(path) is cut short: it has \(bytes) bytes of at least \(expected)"
    case .damaged(let path, let what): "\(path) is damaged: \(what)"
    case .corrupt(0, let what): "the log is damaged: \(what)"
    case .corrupt(let sequence, let what): "record \(sequence) is damaged: \(what)"
    case .newerFormat(let path, let format, let supported):
      "\(path): this log is of format \(format); this program reads up to \(supported)"
    case .olderFormat(let path, let format):
      "\(path): this log is of format \(format), which no release wrote and this program does not "
        + "read; import its capture again"
    case .unknownLMDBVersion(let path, let version):
      "\(path) is an LMDB file of version \(version), which this program does not read"
    case .readOnly(let path): "\(path) is open for reading only"
    case .openForReadingOnly(let path):
      "\(path) is already open in this process, for reading only; close it before writing"
    case .replaced(let path):
      "\(path) was replaced while it was open; close the old log before opening the new one"
    case .inUseBeyondLock(let path):
      "\(path) is in use, and its lock file cannot be written by this user"
    case .inUse(let path): "\(path) is in use; end what is using it first"
    case .recorded(let path, let holder):
      "\(path) is being recorded to by \(holder); end that first, or record to another place"
    case .noLocks(let path):
      "the file system of \(path) has no locks, so nothing would keep a second recorder away; "
        + "record to a disk of this machine"
    case .removed(let path):
      "\(path) was removed, moved or replaced while it was being written, so what was written last "
        + "is not in it"
    case .nestedTransaction: "a transaction of a log cannot be begun inside another one"
    case .closed(let path): "the log \(path) is closed"
    case .accountDiffers(let recorded, let given):
      "this is the log of \(recorded), not of \(given)"
    case .payloadTooLong(let bytes, let limit):
      "a record of \(bytes) bytes is over the limit of \(limit)"
    case .markTooLong(let bytes, let limit):
      "the digest or name of an import has \(bytes) bytes, over the limit of \(limit)"
    case .stateTooLong(let bytes, let limit):
      "a snapshot of \(bytes) bytes is over the limit of \(limit)"
    case .noRecordOfSnapshot(let sequence, let last):
      "there is no record \(sequence) to keep a snapshot of: the last is \(last)"
    case .outcomeUnknown(let path, let cause):
      "it is not known whether \(path) has what was written last: \(cause)"
    case .diskFull(let path): "the disk that holds \(path) is full"
    case .fileSizeLimit(let path): "\(path) has reached the largest size that a file may have"
    case .addressSpace(let path, let bytes):
      "there is no room in memory to map \(bytes) bytes for \(path)"
    case .tooManyReaders(let path): "too many readers have \(path) open"
    case .system(let doing, let path, let code):
      "cannot \(doing) \(path): \(Self.text(ofSystemCode: code))"
    case .lmdb(let doing, let code): "cannot \(doing): \(String(cString: mdb_strerror(code)))"
    }
  }

  /// Whether the sentence says which file it is about.
  package var namesPath: Bool {
    switch self {
    case .corrupt, .nestedTransaction, .accountDiffers, .payloadTooLong,
      .markTooLong, .stateTooLong, .noRecordOfSnapshot, .lmdb:
      false
    case .noSuchFile, .alreadyExists, .notAFile, .emptyFile, .notALog, .foreignDatabase,
      .truncated, .damaged, .newerFormat, .olderFormat, .unknownLMDBVersion, .readOnly, .isLink,
      .writableByOthers, .ofAnotherUser, .hasOtherNames, .recorded, .noLocks, .removed,
      .openForReadingOnly, .replaced, .inUseBeyondLock, .inUse, .closed, .outcomeUnknown, .diskFull,
      .fileSizeLimit, .addressSpace, .tooManyReaders, .system:
      true
    }
  }

  private static func text(ofSystemCode code: Int32) -> String {
    strerror(code).map { String(cString: $0) } ?? "error \(code)"
  }
}

extension EventLogError {
  /// What an error code of LMDB, or of the system through it, means for a log.
  func explained(for path: String) -> EventLogError {
    guard case .lmdb(let doing, let code) = self else { return self }
    switch code {
    case ENOSPC, EDQUOT: return .diskFull(path: path)
    case EFBIG: return .fileSizeLimit(path: path)
    case EIO:
      return FileSystem.causeOfShortWrite(path: path)
        ?? .system(doing: doing, path: path, code: code)
    case MDB_READERS_FULL: return .tooManyReaders(path: path)
    case MDB_INVALID: return .notALog(path: path)
    case MDB_CORRUPTED, MDB_PAGE_NOTFOUND:
      return .damaged(path: path, what: String(cString: mdb_strerror(code)))
    default: return code > 0 ? .system(doing: doing, path: path, code: code) : self
    }
  }
}
