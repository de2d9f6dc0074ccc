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
    /// Another recorder has the log, in this process or another one, which the sentence names.
    case inUse
    /// The log, or its folder, was removed, moved or replaced while it was being recorded to. The
    /// session takes nothing more.
    case removed
    /// The session is closed.
    case closed
    /// The task that waited for the disk was cancelled. What was handed over is written all the
    /// same.
    case cancelled
    /// The log was written by a newer version of Rollcall.
    case newerFormat
    /// The file is no log, or a damaged one.
    case damaged
    /// A capture, or what is expected of it, cannot be read.
    case capture
    /// The log has no such point.
    case point(PointError)
  }

  /// Where the fault lies.
  public let reason: Reason
  /// A sentence for a person, with the place.
  public let description: String

  /// The error of a log that this one was converted from, if there is one.
  private let log: EventLogError?

  package init(_ reason: Reason, _ description: String) {
    (self.reason, self.description, log) = (reason, description, nil)
  }

  /// Converts an error of a log, or of a point in one, to one for an application.
  package init(_ error: any Error) {
    if let error = error as? RollcallError {
      self = error
      return
    }
    (reason, description) = (Reason(error), sentence(of: error))
    log = error as? EventLogError
  }

  /// The error that this one was converted from, or else this one.
  package var underlying: any Error {
    if case .point(let error) = reason { return error }
    if let log { return log }
    return self
  }
}

extension RollcallError {
  /// Converts every error that `body` throws.
  static func converting<R>(_ body: () throws -> R) throws(RollcallError) -> R {
    do {
      return try body()
    } catch {
      throw RollcallError(error)
    }
  }

  /// Converts the errors of a log that `body` throws, and passes on all others.
  static func convertingLogErrors<R>(_ body: () throws -> R) throws -> R {
    do {
      return try body()
    } catch let error as EventLogError {
      throw RollcallError(error)
    }
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
    if let error = error as? PointError {
      self = .point(error)
      return
    }
    guard let error = error as? EventLogError else {
      self = .log
      return
    }
    self =
      switch error.code {
      case .noSpace: .diskFull
      case .outcomeUnknown: .outcomeUnknown
      case .recorded: .inUse
      case .removed: .removed
      case .closed: .closed
      case .newerFormat: .newerFormat
      case .notALog, .damaged: .damaged
      default: .log
      }
  }
}

/// What an error says to a person: of one of the system, the system's own words, without what
/// Foundation makes of it for programmers.
package func sentence(of error: any Error) -> String {
  // What has words of its own is no error of Foundation's.
  guard error is POSIXError || error is CocoaError || type(of: error) is NSError.Type else {
    return "\(error)"
  }
  // By its domain: a cast can take an error of one domain for one of another.
  let system = error as NSError
  if system.domain == NSPOSIXErrorDomain { return text(ofSystemCode: Int32(system.code)) }
  return (system.userInfo[NSUnderlyingErrorKey] as? any Error).map(sentence)
    ?? system.localizedDescription
}

/// What an error of the system is called.
package func text(ofSystemCode code: Int32) -> String {
  strerror(code).map { String(cString: $0) } ?? "error \(code)"
}
