public import RosterCore
public import XMPPStanza

/// The result of one part of the stream that was passed to a session.
public struct SessionStep: Hashable, Sendable {
  /// A part of a stream.
  public enum Part: Hashable, Sendable {
    /// A stream began (RFC 6120 §4.2), which happens again after TLS and after SASL.
    case header
    /// A complete top-level element: a stanza, or one for stream negotiation. Credentials are
    /// removed.
    case element(XMPPElement)
    /// A stream ended cleanly (RFC 6120 §4.4).
    case end
    /// The application reported that a session was bound, resumed or lost; or a session was closed
    /// that an earlier recorder had left open.
    case session
    /// What others have appended to the log, found before the part that was passed. The outcome is
    /// that of all their records, and the stamp that of the last one. What this session recorded
    /// between them is included in the outcome again.
    case others
    /// What the user has set.
    case annotation
    /// Bytes that cannot be read, with the reason as a clause for people that quotes none of them.
    /// A client must close the stream (RFC 6120 §4.9.1); the session continues after them.
    case unreadable(reason: String)
    /// An element that was skipped because it exceeds a limit of the session, for example with too
    /// many attributes; the reason is a clause for people. The stream continues after it. For
    /// stream management (XEP-0198 §4), count a stanza as if it had been handled. Otherwise the
    /// server sends it again in each resumed session.
    case skipped(isStanza: Bool, reason: String)
  }

  /// The part.
  public let part: Part
  /// The part's record number and time in the log. If others append at the same time, the number
  /// may be wrong; the next `others` step follows the log again.
  ///
  /// If the recording policy leaves the part out, this is the last record before it.
  public let stamp: RecordStamp
  /// Whether the part is in the log. It may have lost text there; see `RecordingPolicy`.
  public let isRecorded: Bool
  /// What it changed, with its findings.
  public let outcome: RosterOutcome
  /// The commands that it answers; several if a session ended with several open.
  public let answers: [CommandAnswer]
}

/// An element to send, in the form in which it must be written to the stream.
public struct OutgoingElement: Hashable, Sendable {
  /// The element as UTF-8 XML, for a stream whose default namespace is `jabber:client`.
  public let bytes: [UInt8]

  init(_ node: XMPPElement) {
    bytes = node.serialized()
  }

  /// The element as text.
  public var text: String { String(decoding: bytes, as: UTF8.self) }
}

/// Identifies a command; unique in a `RosterSession`.
public struct CommandID: Hashable, Sendable {
  let number: UInt64
}

/// What must be sent to carry out a command.
public struct DecidedCommand: Hashable, Sendable {
  /// The id that the answer refers to.
  public let id: CommandID
  /// The elements in the order in which they must be sent; empty if there is nothing to do.
  public let elements: [OutgoingElement]
  /// Whether the server answers. It answers requests (`iq`), but not presence. The effect of an
  /// acceptance, a rejection or a cancellation is visible only in the roster.
  public let isAnswered: Bool
}

/// How a command was answered.
public struct CommandAnswer: Hashable, Sendable {
  /// What became of a command.
  public enum Outcome: Hashable, Sendable {
    /// Done. The pushes that change the roster may come before or after this (RFC 6121 §2.1.6).
    case result
    /// The server refused at least a part.
    case refused(StanzaError)
    /// No answer came within a minute or before the end of the session. The command may have been
    /// carried out.
    case timeout
  }

  /// The command.
  public let command: CommandID
  /// What became of it.
  public let outcome: Outcome
}
