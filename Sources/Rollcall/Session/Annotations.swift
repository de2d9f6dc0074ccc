package import Captures
import EventStore
public import RosterCore

extension RosterSession {
  /// Appends what the user says and no server keeps, so that it is there after a restart and in the
  /// time machine.
  ///
  ///     try session.annotate(.requestsSeen(session.roster.unseenRequests), at: now)
  ///
  /// - Parameters:
  ///   - annotation: What the user says.
  ///   - time: Milliseconds since 1970 UTC; nil where it is not known.
  /// - Returns: A step that says what it changed, nothing where all of it was said before; ahead of
  ///   it steps for what is in the log before it, such as what others have appended.
  /// - Throws: `RollcallError` where the log cannot be written, and then nothing has changed.
  @discardableResult
  public func annotate(
    _ annotation: RosterAnnotation, at time: Int64?
  ) throws(RollcallError) -> [SessionStep] {
    try take(.annotation(AnnotationLine(annotation)), time)
  }
}

extension AnnotationLine {
  /// The line for what the user says.
  package init(_ annotation: RosterAnnotation) {
    switch annotation {
    case .starred(let jid, let isStarred): self = .starred(jid, isStarred)
    case .reading(let jid, let text): self = .reading(jid, text)
    case .note(let jid, let text): self = .note(jid, text)
    case .requestsSeen(let jids): self = .requestsSeen(jids)
    }
  }

  /// What it means to the roster: nothing where it is a bookmark.
  package var annotation: RosterAnnotation? {
    switch self {
    case .bookmark: nil
    case .starred(let jid, let isStarred): .starred(jid, isStarred)
    case .reading(let jid, let text): .reading(jid, text)
    case .note(let jid, let text): .note(jid, text)
    case .requestsSeen(let jids): .requestsSeen(jids)
    }
  }

  /// Under what the log's index has it besides the contacts of its event.
  var subject: String? { Bookmark(self) == nil ? nil : Bookmark.subject }
}
