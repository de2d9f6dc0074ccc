package import RosterCore
package import XMPPStanza

/// What a shard knows about an account besides its roster.
package struct AccountRow: Hashable, Sendable, CanonicalCodable {
  package let account: BareJID
  /// The number of its records, by which they are counted from 1 as in a log of its own.
  package internal(set) var records: UInt64 = 0
  /// The number of its connections, counted likewise.
  package internal(set) var connections: UInt32 = 0
  /// The newest time of its records, which never runs backwards; nil if none has a time.
  package internal(set) var clock: Int64?
  /// The time of its first record.
  package internal(set) var begin: Int64?
  /// The number of its last record in the shard.
  package internal(set) var last: UInt64 = 0
  /// The account's clock when an end changed last, or was removed; nil if none did.
  package internal(set) var changed: Int64?
  /// Whether the whole roster is known.
  package internal(set) var isComplete = false
  /// Whether the server sends the requests of contacts to a session that is recorded.
  package internal(set) var receivesRequests = false
  /// Whether a record names the account, as in a capture.
  var isAnnounced = false
  /// How many stored rosters of it there were.
  var storedRosters: UInt64 = 0
  /// The names of fields that a form declared secret.
  var privateFields: Set<String> = []

  init(_ account: BareJID) { self.account = account }

  package func encode(to output: inout CanonicalOutput) {
    output.write(account)
    output.write(records)
    output.write(UInt64(connections))
    output.write(time: clock)
    output.write(time: begin)
    output.write(last)
    output.write(time: changed)
    output.write(isComplete)
    output.write(receivesRequests)
    output.write(isAnnounced)
    output.write(storedRosters)
    output.write(UInt64(privateFields.count))
    for field in privateFields.sorted() { output.write(field) }
  }

  package init(from input: inout CanonicalInput) throws(CodecError) {
    account = try input.read(BareJID.self)
    records = try input.readNumber()
    connections = try input.readShortNumber()
    clock = try input.readTime()
    begin = try input.readTime()
    last = try input.readNumber()
    changed = try input.readTime()
    isComplete = try input.readFlag()
    receivesRequests = try input.readFlag()
    isAnnounced = try input.readFlag()
    storedRosters = try input.readNumber()
    for _ in 0..<(try input.readNumber()) { privateFields.insert(try input.readText()) }
  }
}

/// Whose a connection of a shard is.
struct ConnectionRow: Hashable, Sendable, CanonicalCodable {
  let account: AccountNumber
  /// Its number in a log of the account alone.
  let own: UInt32
  let source: SourceNumber
  /// The source's name for it.
  let name: String

  init(account: AccountNumber, own: UInt32, source: SourceNumber, name: String) {
    (self.account, self.own, self.source, self.name) = (account, own, source, name)
  }

  func encode(to output: inout CanonicalOutput) {
    output.write(UInt64(account))
    output.write(UInt64(own))
    output.write(UInt64(source))
    output.write(name)
  }

  init(from input: inout CanonicalInput) throws(CodecError) {
    account = try input.readShortNumber()
    own = try input.readShortNumber()
    source = try input.readShortNumber()
    name = try input.readText()
  }
}

/// A connection that has not ended.
struct OpenRow: Hashable, Sendable, CanonicalCodable {
  let account: BareJID
  let isBinding: Bool

  init(account: BareJID, isBinding: Bool) {
    (self.account, self.isBinding) = (account, isBinding)
  }

  func encode(to output: inout CanonicalOutput) {
    output.write(account)
    output.write(isBinding)
  }

  init(from input: inout CanonicalInput) throws(CodecError) {
    account = try input.read(BareJID.self)
    isBinding = try input.readFlag()
  }
}

/// Up to where a shard has a source, and the run of the server there.
struct PositionRow: Hashable, Sendable, CanonicalCodable {
  var upto: SpoolPosition
  var boot: String

  init(upto: SpoolPosition, boot: String) { (self.upto, self.boot) = (upto, boot) }

  func encode(to output: inout CanonicalOutput) {
    output.write(upto.rawValue)
    output.write(boot)
  }

  init(from input: inout CanonicalInput) throws(CodecError) {
    upto = SpoolPosition(rawValue: try input.readNumber())
    boot = try input.readText()
  }
}

extension CanonicalOutput {
  /// Writes a time, or that there is none.
  mutating func write(time: Int64?) {
    write(time != nil)
    if let time { write(UInt64(bitPattern: time)) }
  }
}

extension CanonicalInput {
  mutating func readTime() throws(CodecError) -> Int64? {
    try readFlag() ? Int64(bitPattern: try readNumber()) : nil
  }

  mutating func readShortNumber() throws(CodecError) -> UInt32 {
    guard let number = UInt32(exactly: try readNumber()) else { throw invalid }
    return number
  }
}
