/// How large a capture is to be.
public struct CaptureShape: Hashable, Sendable {
  /// How many stanzas and other elements it has; lines about the stream come on top.
  public var stanzas: Int
  /// About how many contacts the roster has.
  public var contacts: Int
  /// Another seed gives another capture of the same kind.
  public var seed: UInt64

  /// A shape from its parts.
  public init(stanzas: Int, contacts: Int, seed: UInt64 = 1) {
    self.stanzas = stanzas
    self.contacts = contacts
    self.seed = seed
  }
}

/// What a capture says at one point, known without reading it: what the answer of a benchmark
/// is compared with.
public struct ModelState: Hashable, Sendable {
  /// One contact as the server last sent it.
  public struct Item: Hashable, Sendable {
    /// The bare address in its prepared form.
    public var jid: String
    /// The name the user gave; nil for none.
    public var name: String?
    /// `none`, `to`, `from` or `both`.
    public var subscription: String
    /// Whether our request waits for an answer.
    public var ask: Bool
    /// Whether a request was approved before it came.
    public var approved: Bool
    /// Sorted.
    public var groups: [String]
  }

  /// The number of the record that this is the state after.
  public var record = 0
  /// By address, sorted.
  public var items: [Item] = []
  /// Who asks to see our presence, sorted.
  public var incoming: [String] = []
  /// Who asked in an earlier session and was not named again, or was removed since, sorted.
  public var unconfirmed: [String] = []
  /// Whom we ask, sorted.
  public var outgoing: [String] = []
  /// How many resources of each contact are available, by address.
  public var resources: [String: Int] = [:]
}

/// A capture, its parts and its answers.
public struct GeneratedCapture: Sendable {
  /// What was asked for.
  public let shape: CaptureShape
  /// The account, a bare address.
  public let account: String
  /// The native capture: a header line, then a line a record.
  public let file: [UInt8]
  /// The stanzas one after the other, as they stand in the capture once its JSON is read.
  public let stanzas: [UInt8]
  /// Where each stanza ends in `stanzas`.
  public let ends: [Int]
  /// How many elements the stanzas have in all, children included.
  public let elements: Int
  /// How many records an import of it has: the header, the words about the stream, the stanzas.
  public let records: Int
  /// The state at the end.
  public let final: ModelState
  /// The states at the records that were asked for, in their order.
  public let checkpoints: [ModelState]
}
