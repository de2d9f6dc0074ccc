import EventStore
public import Foundation

/// Why something could not be recorded or read.
public struct RollcallError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Where the fault lies, as far as an application can do something about it.
  public enum Reason: Hashable, Sendable {
    /// The log cannot be opened, read or written for any other reason.
    case log
    /// The disk has no room for the log, or the file may not grow any more. What was handed over is
    /// kept, and is tried again.
    case diskFull
    /// Nobody can say whether what was handed over last is in the log. The session takes nothing
    /// more; a new one on the same log goes by what is there.
    case outcomeUnknown
    /// The session is closed.
    case closed
    /// The log was written by a newer version of Rollcall.
    case newerFormat
    /// The file is no log, or a damaged one.
    case damaged
    /// A capture, or what is expected of it, cannot be read.
    case capture
  }

  /// Where the fault lies.
  public let reason: Reason
  /// A sentence for a person, with the place.
  public let description: String

  package init(_ reason: Reason, _ description: String) {
    self.reason = reason
    self.description = description
  }

  /// What an error of a log is to an application.
  init(_ error: any Error) {
    self = error as? RollcallError ?? RollcallError(Reason(error), "\(error)")
  }
}

extension RollcallError: LocalizedError {
  /// The sentence.
  public var errorDescription: String? { description }
}

extension PointError: LocalizedError {
  /// The sentence.
  public var errorDescription: String? { description }
}

extension RollcallError.Reason {
  fileprivate init(_ error: any Error) {
    guard let error = error as? EventLogError else {
      self = .log
      return
    }
    self =
      switch error {
      case .diskFull, .fileSizeLimit: .diskFull
      case .outcomeUnknown: .outcomeUnknown
      case .closed: .closed
      case .newerFormat: .newerFormat
      case .notALog, .foreignDatabase, .emptyFile, .truncated, .damaged, .corrupt,
        .unknownLMDBVersion:
        .damaged
      default: .log
      }
  }
}
