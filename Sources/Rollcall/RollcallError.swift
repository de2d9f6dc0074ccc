import EventStore
public import Foundation

/// Why something could not be recorded or read.
public struct RollcallError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of problem, as far as an application can do something about it.
  public enum Reason: Hashable, Sendable {
    /// The log cannot be opened, read or written for any other reason.
    case log
    /// The disk has no room for the log, or the file must not grow any more. The records that were
    /// handed over are kept, and writing them is tried again.
    case diskFull
    /// It is not known whether the last records that were handed over are in the log. The session
    /// accepts nothing more; a new session on the same log continues from what is there.
    case outcomeUnknown
    /// Another recorder has the log, in this process or another one, which the sentence names.
    case inUse
    /// The log or its folder was removed, moved or replaced while the session recorded to it. The
    /// session accepts nothing more.
    case removed
    /// The session is closed.
    case closed
    /// The task that waited for the disk was cancelled. The records that were handed over are
    /// written all the same.
    case cancelled
    /// The log was written by a newer version of Rollcall.
    case newerFormat
    /// The file is not a log, or the log is damaged.
    case damaged
    /// A capture, the file with its expected results, or a sample for tests cannot be read.
    case capture
    /// The log has no such point.
    case point(PointError)
  }

  /// The kind of problem.
  public let reason: Reason
  /// A sentence for people that names the file.
  public let description: String

  /// The error of a log that this one was converted from, if there is one.
  private let log: EventLogError?

  package init(_ reason: Reason, _ description: String) {
    (self.reason, self.description, log) = (reason, description, nil)
  }

  /// Converts an error of a log, or of a point in one, to one for applications.
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
  /// The sentence for people.
  public var errorDescription: String? { description }
}

extension PointError: LocalizedError {
  /// The sentence for people.
  public var errorDescription: String? { description }
}

extension CommandRefusal: LocalizedError {
  /// The sentence for people.
  public var errorDescription: String? { description }
}

extension JIDError: LocalizedError {
  /// The clause for people.
  public var errorDescription: String? { description }
}

extension StanzaError: LocalizedError {
  /// The clause for people.
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

/// The sentence that describes an error to people. For an error of the system, it is the system's
/// own text, without what Foundation adds for programmers.
package func sentence(of error: any Error) -> String {
  // Errors other than Foundation's have descriptions for people.
  guard error is POSIXError || error is CocoaError || type(of: error) is NSError.Type else {
    return "\(error)"
  }
  // Compare domains, because a cast can convert an error of one domain to one of another.
  let system = error as NSError
  if system.domain == NSPOSIXErrorDomain { return text(ofSystemCode: Int32(system.code)) }
  return (system.userInfo[NSUnderlyingErrorKey] as? any Error).map(sentence)
    ?? system.localizedDescription
}

/// The system's text for an error code.
package func text(ofSystemCode code: Int32) -> String {
  strerror(code).map { String(cString: $0) } ?? "error \(code)"
}
