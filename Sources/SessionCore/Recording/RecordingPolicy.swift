/// What a recorder keeps of a stream.
///
/// The roster and everything about it is the same under every policy. A log whose recorder leaves
/// anything out says so in a record, from which on the policy holds.
public struct RecordingPolicy: Hashable, Sendable {
  /// What is kept of the acknowledgements of stanzas (XEP-0198 §4).
  public enum Acknowledgements: String, Hashable, Sendable, CaseIterable {
    /// Those that say something new; see `AcknowledgementNews`. Requests for them are left out.
    case news
    /// All of them, and the requests.
    case all
  }

  /// What is kept of the acknowledgements of stanzas, which are about half of a busy stream.
  public var acknowledgements: Acknowledgements

  /// A policy from its parts.
  public init(acknowledgements: Acknowledgements) {
    self.acknowledgements = acknowledgements
  }

  /// Everything that passes on the stream.
  public static let everything = RecordingPolicy(acknowledgements: .all)
}
