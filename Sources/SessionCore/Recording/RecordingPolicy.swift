/// What a recorder keeps of a stream.
///
/// The roster and everything about it is the same under every policy. A log whose recorder leaves
/// anything out says so in a record, from which on the policy holds.
public struct RecordingPolicy: Hashable, Sendable {
  /// What is kept of messages.
  public enum Messages: String, Hashable, Sendable, CaseIterable {
    /// Only the nicknames and cards that contacts publish, which are part of the roster.
    case none
    /// The head of each: the addresses, the type, ids, times and the thread, and the names of the
    /// elements in it, without what it says. Nicknames and the names on published cards are kept.
    case heads
    /// All of each.
    case all
  }

  /// What is kept of the acknowledgements of stanzas (XEP-0198 §4).
  public enum Acknowledgements: String, Hashable, Sendable, CaseIterable {
    /// Those that say something new: another count than before, a count that a new stanza did not
    /// change, the first sign of the server after a stanza of ours, and the last one before a
    /// connection ends. Other requests for acknowledgements are left out, too.
    case news
    /// All of them, and the requests.
    case all
  }

  /// What is kept of messages.
  public var messages: Messages
  /// What is kept of the acknowledgements of stanzas, which are about half of a busy stream.
  public var acknowledgements: Acknowledgements

  /// A policy from its parts.
  public init(messages: Messages, acknowledgements: Acknowledgements = .news) {
    self.messages = messages
    self.acknowledgements = acknowledgements
  }

  /// Everything that passes on the stream.
  public static let everything = RecordingPolicy(messages: .all, acknowledgements: .all)

  /// What an application keeps that shows a roster: the heads of messages, and acknowledgements
  /// that say something new.
  public static let heads = RecordingPolicy(messages: .heads)
}
