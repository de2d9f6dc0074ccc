package import Captures
import EventStore
public import RosterCore

extension RosterSession {
  /// Appends what the user sets and no server keeps, so that it is there after a restart and in the
  /// time machine.
  ///
  ///     try session.annotate(.requestsSeen(session.roster.unseenRequests), at: now)
  ///
  /// - Parameters:
  ///   - annotation: What the user sets.
  ///   - time: Milliseconds since 1970 UTC; nil if not known.
  /// - Returns: A step with the changes; empty if all of it was already set. Preceded by steps for
  ///   what the log contains before it, such as what others have appended.
  /// - Throws: `RollcallError` if the log cannot be written. Nothing has changed then.
  @discardableResult
  public func annotate(
    _ annotation: RosterAnnotation, at time: Int64?
  ) throws(RollcallError) -> [SessionStep] {
    try take(.annotation(AnnotationLine(annotation)), time)
  }

  /// Notes that the user has seen all open requests, so that the badge is 0. See
  /// `annotate(_:at:)`.
  ///
  /// - Parameter time: Milliseconds since 1970 UTC; nil if not known.
  /// - Returns: As `annotate`; empty if all of them were seen.
  /// - Throws: `RollcallError` if the log cannot be written. Nothing has changed then.
  @discardableResult
  public func markAllRequestsSeen(at time: Int64?) throws(RollcallError) -> [SessionStep] {
    let unseen = roster.unseenRequests
    return unseen.isEmpty ? [] : try annotate(.requestsSeen(unseen), at: time)
  }
}

extension AnnotationLine {
  /// The line for an annotation.
  package init(_ annotation: RosterAnnotation) {
    switch annotation {
    case .starred(let jid, let isStarred): self = .starred(jid, isStarred)
    case .reading(let jid, let text): self = .reading(jid, text)
    case .note(let jid, let text): self = .note(jid, text)
    case .requestsSeen(let jids): self = .requestsSeen(jids)
    }
  }

  /// The annotation of the roster; nil for a bookmark.
  package var annotation: RosterAnnotation? {
    switch self {
    case .bookmark: nil
    case .starred(let jid, let isStarred): .starred(jid, isStarred)
    case .reading(let jid, let text): .reading(jid, text)
    case .note(let jid, let text): .note(jid, text)
    case .requestsSeen(let jids): .requestsSeen(jids)
    }
  }

  /// The line's key in the log's index, besides the contacts of its event.
  var subject: String? { Bookmark(self) == nil ? nil : Bookmark.subject }
}
