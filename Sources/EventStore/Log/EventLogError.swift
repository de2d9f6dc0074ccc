#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif
import CLMDB

/// Why a log cannot be opened, read or written.
///
/// The code is what a program can act on, and the description is the sentence for a person. Errors
/// are made by the functions that are named after what happened, such as ``noSuchFile(path:)``.
package struct EventLogError: Error, Sendable {
  /// What a caller can do something about. A new code breaks no caller, because a switch over codes
  /// always has a default.
  package struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The code's name.
    package let description: String

    private init(_ name: String) {
      description = name
    }

    /// There is no file at the path.
    package static let noSuchLog = Code("noSuchLog")
    /// There is a file where one is to be made.
    package static let alreadyExists = Code("alreadyExists")
    /// There cannot be a log at the path, or none that is safe from other users.
    package static let unsuitablePath = Code("unsuitablePath")
    /// The file is not a log.
    package static let notALog = Code("notALog")
    /// The log, or one of its records, is damaged.
    package static let damaged = Code("damaged")
    /// A newer version of Rollcall wrote the log.
    package static let newerFormat = Code("newerFormat")
    /// The log's format was never released.
    package static let olderFormat = Code("olderFormat")
    /// The caller asks for what cannot be done with this log.
    package static let misuse = Code("misuse")
    /// Other programs are using the log in a way that excludes this use.
    package static let busy = Code("busy")
    /// Another recorder has the log, or the folder of logs.
    package static let recorded = Code("recorded")
    /// The log is not at its path any more.
    package static let removed = Code("removed")
    /// The log is closed.
    package static let closed = Code("closed")
    /// The last write or sync failed, so the commit may or may not be in the file, and a power cut
    /// can still add or remove it.
    package static let outcomeUnknown = Code("outcomeUnknown")
    /// The disk is full, or the file may not grow any more.
    package static let noSpace = Code("noSpace")
    /// The machine refuses something else.
    package static let system = Code("system")
  }

  /// The failed call that an error results from.
  package enum Cause: Hashable, Sendable {
    /// A call of LMDB, which also passes on error codes of the system; those are positive.
    case lmdb(doing: String, code: Int32)
    /// A system call, with its `errno`.
    case system(doing: String, code: Int32)
  }

  /// What kind of error it is.
  package let code: Code
  /// The file or folder that the sentence names; nil if it names none.
  package let path: String?
  /// The damaged record; nil if the error is not about a single one.
  package let record: UInt64?
  /// What is wrong, in a sentence without a full stop; of a damaged record, in a clause without the
  /// record.
  package let detail: String
  /// The failed call that the error results from, if there was one.
  package let cause: Cause?

  init(
    _ code: Code, path: String? = nil, record: UInt64? = nil, cause: Cause? = nil, _ detail: String
  ) {
    (self.code, self.path, self.record) = (code, path, record)
    (self.cause, self.detail) = (cause, detail)
  }
}

extension EventLogError: CustomStringConvertible {
  /// A sentence for a person, without a full stop.
  package var description: String {
    record.map { "record \($0) is damaged: \(detail)" } ?? detail
  }
}

extension EventLogError: Hashable {
  /// Whether both say the same; what caused them may differ.
  package static func == (a: EventLogError, b: EventLogError) -> Bool {
    (a.code, a.path, a.record, a.detail) == (b.code, b.path, b.record, b.detail)
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(code)
    hasher.combine(detail)
  }
}

extension EventLogError {
  /// The code that LMDB returned, if the error comes from one of its calls.
  var lmdbCode: Int32? {
    if case .lmdb(_, let code)? = cause { code } else { nil }
  }

  /// What an error code of LMDB, or of the system through it, means for a log.
  func explained(for path: String) -> EventLogError {
    guard self.path == nil, case .lmdb(let doing, let code)? = cause else { return self }
    let error: EventLogError? =
      switch code {
      case ENOSPC, EDQUOT: .diskFull(path: path)
      case EFBIG: .fileSizeLimit(path: path)
      case EIO: FileSystem.causeOfShortWrite(path: path)
      case MDB_READERS_FULL: .tooManyReaders(path: path)
      case MDB_INVALID: .notALog(path: path)
      case MDB_CORRUPTED, MDB_PAGE_NOTFOUND:
        .damaged(path: path, what: String(cString: mdb_strerror(code)))
      default: nil
      }
    guard let error = error ?? (code > 0 ? .system(doing: doing, path: path, code: code) : nil)
    else { return self }
    return EventLogError(
      error.code, path: path, cause: cause, error.detail)
  }
}
