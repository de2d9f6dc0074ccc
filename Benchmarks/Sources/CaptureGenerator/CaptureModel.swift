/// The size of a capture to generate.
public struct CaptureShape: Hashable, Sendable {
  /// The number of stanzas and other elements, not counting lines about the stream.
  public var stanzas: Int
  /// The approximate number of contacts in the roster.
  public var contacts: Int
  /// The seed of the random generator; another seed gives another capture of the same kind.
  public var seed: UInt64

  /// Creates a shape from its parts.
  public init(stanzas: Int, contacts: Int, seed: UInt64 = 1) {
    self.stanzas = stanzas
    self.contacts = contacts
    self.seed = seed
  }
}

/// The expected state at one point of a capture, known without reading the capture.
public struct ModelState: Hashable, Sendable {
  /// One contact as the server last sent it.
  public struct Item: Hashable, Sendable {
    /// The bare address in its prepared form.
    public var jid: String
    /// The name that the user gave; nil if there is none.
    public var name: String?
    /// `none`, `to`, `from` or `both`.
    public var subscription: String
    /// Whether our request awaits an answer.
    public var ask: Bool
    /// Whether a request was approved before it arrived.
    public var approved: Bool
    /// The names of the contact's groups, sorted.
    public var groups: [String]
  }

  /// The record after which the account has this state.
  public var record = 0
  /// The roster's items, sorted by address.
  public var items: [Item] = []
  /// The contacts that ask to see our presence, sorted.
  public var incoming: [String] = []
  /// The contacts that asked in an earlier session only, or were removed since, sorted.
  public var unconfirmed: [String] = []
  /// The contacts whose presence we ask to see, sorted.
  public var outgoing: [String] = []
  /// The number of available resources of each contact, by address.
  public var resources: [String: Int] = [:]
}

/// A generated capture with its parts and expected states.
public struct GeneratedCapture: Sendable {
  /// The requested shape.
  public let shape: CaptureShape
  /// The account, a bare address.
  public let account: String
  /// The native capture: a header line, then one line per record.
  public let file: [UInt8]
  /// The concatenated stanzas, without JSON escapes.
  public let stanzas: [UInt8]
  /// The end of each stanza in `stanzas`.
  public let ends: [Int]
  /// The number of elements in all stanzas, children included.
  public let elements: Int
  /// The number of records that an import has: the header, stream events and stanzas.
  public let records: Int
  /// The state at the end.
  public let final: ModelState
  /// The states at the requested checkpoints, in their order.
  public let checkpoints: [ModelState]
}
