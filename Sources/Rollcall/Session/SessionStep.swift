public import RosterCore
public import XMPPStanza

/// What happened with one part of the stream that was handed over.
public struct SessionStep: Hashable, Sendable {
  /// A part of a stream.
  public enum Part: Hashable, Sendable {
    /// A stream began (RFC 6120 §4.2), as it does again after TLS and after SASL.
    case header
    /// A complete top-level element: a stanza, or one that sets the stream up. What lets one log in
    /// is taken out of it.
    case element(XMPPElement)
    /// A stream ended in order (RFC 6120 §4.4).
    case end
    /// The application said that a session was bound, resumed, or is gone; or the one of a recorder
    /// that ended without a word was found to be over.
    case session
    /// What somebody else has appended to the log, found ahead of what was handed over. The outcome
    /// is that of all their records, and the stamp that of the last; what this session recorded
    /// between them is in the outcome once more.
    case others
    /// What the user has set.
    case annotation
    /// Bytes that cannot be read, and why, in a clause for a person that quotes nothing of them. A
    /// client has to close the stream (RFC 6120 §4.9.1); the session goes on after them.
    case unreadable(reason: String)
    /// An element beyond a limit of the session, such as one with too many attributes, and which
    /// limit, in a clause for a person. It was passed over, and the stream goes on after it. A
    /// stanza is to be counted for stream management (XEP-0198 §4) as if it had been taken: a
    /// server that is told less sends it again in each session that is resumed.
    case skipped(isStanza: Bool, reason: String)
  }

  /// What it was.
  public let part: Part
  /// The record that it is in the log, and its time there. Where somebody else appends at the same
  /// time its number may be another: the next `others` step goes by the log again.
  public let stamp: RecordStamp
  /// What it changed, and what is odd about it.
  public let outcome: RosterOutcome
  /// The commands that it answers; more than one where a session ended with several open.
  public let answers: [CommandAnswer]
}

/// An element to send, as it has to be written into the stream.
public struct OutgoingElement: Hashable, Sendable {
  /// The element as UTF-8 XML, to stand in a stream whose default namespace is `jabber:client`.
  public let bytes: [UInt8]

  init(_ node: XMPPElement) {
    bytes = node.serialized()
  }

  /// The same as text.
  public var text: String { String(decoding: bytes, as: UTF8.self) }
}

/// Which command an answer is to. No two of a `RosterSession` are equal.
public struct CommandID: Hashable, Sendable {
  let number: UInt64
}

/// What has to be sent to carry out a command.
public struct DecidedCommand: Hashable, Sendable {
  /// Named by the answer.
  public let id: CommandID
  /// In the order in which they have to be sent; none where nothing is to be done.
  public let elements: [OutgoingElement]
  /// Whether the server answers: it answers requests (`iq`), and no presence. What an acceptance,
  /// a rejection or a cancellation has done, only the roster tells.
  public let isAnswered: Bool
}

/// How a command was answered.
public struct CommandAnswer: Hashable, Sendable {
  /// What the server said.
  public enum Word: Hashable, Sendable {
    /// It was done; the roster changes by the pushes, which may come before or after (RFC 6121
    /// §2.1.6).
    case result
    /// It was refused, at least a part of it: the condition (RFC 6120 §8.3.3), such as
    /// `not-allowed`, and the server's text, where it gives them.
    case error(condition: String?, text: String?)
    /// No answer came within a minute, or before the session was over. It may have been done.
    case timeout
  }

  /// The command.
  public let command: CommandID
  /// What the server said.
  public let word: Word
}
