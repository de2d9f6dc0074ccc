import DequeModule
import XMPPStanza

// The stored form of states. A change of it must raise `Roster.codecVersion`.
//
// Equal states have equal bytes, whatever numbers their tables give: contacts stand in the order
// of their addresses, texts in that of their bytes.
extension Roster: CanonicalCodable {
  /// The version of the encoding; kept states of another version must be derived anew.
  package static let codecVersion: UInt32 = 5

  /// Reads a state from exactly the bytes of its encoding. Complexity: linear in their number.
  package init(canonicalBytes: RawSpan) throws(CodecError) {
    self = try Self.decode(canonicalBytes)
  }

  package func encode(to output: inout CanonicalOutput) {
    output.write(UInt64(Self.codecVersion))
    var body = RosterOutput(contacts)
    body.write(record: position)
    writeAccount(to: &body.plain)
    body.plain.write(UInt64(sessions.all.count))
    for session in sessions.all { body.write(session) }
    body.write(ownPresence.all)
    body.plain.write(blocked.sorted())
    body.writeContacts()
    body.finish(into: &output)
  }

  package init(from input: inout CanonicalInput) throws(CodecError) {
    guard try input.readNumber() == UInt64(Self.codecVersion) else { throw input.invalid }
    self.init()
    var body = try RosterInput(input)
    position = try body.readRecord()
    try readAccount(from: &body.plain)
    for _ in 0..<(try body.plain.readCount()) { try readSession(from: &body) }
    ownPresence = PresenceRows(try body.readPresence(into: &contacts))
    try readBlocked(from: &body.plain)
    try body.readContacts(into: &contacts)
    input = try body.finish()
  }

  private func writeAccount(to output: inout CanonicalOutput) {
    output.write(account)
    output.write(version)
    output.write(tag: completeness.code)
    output.write(isBlockListKnown)
    output.write(isInboundOnly)
    output.write(hasReceived)
    output.write(signed: nextTimeout)
    output.write(signed: nextNeglect)
    output.write(UInt64(knownVersions.count))
    for version in knownVersions { output.write(version) }
  }

  private mutating func readAccount(from input: inout CanonicalInput) throws(CodecError) {
    account = try input.readOptional()
    version = try input.readOptionalText()
    completeness = try input.readCode()
    isBlockListKnown = try input.readFlag()
    isInboundOnly = try input.readFlag()
    hasReceived = try input.readFlag()
    nextTimeout = try input.readSigned()
    nextNeglect = try input.readSigned()
    for _ in 0..<(try input.readCount()) { knownVersions.append(try input.readText()) }
  }

  private mutating func readSession(from input: inout RosterInput) throws(CodecError) {
    let session = try input.readSession()
    guard sessions.all.count < SessionTable.limit,
      sessions.place(of: session.connection) == nil
    else { throw input.plain.invalid }
    sessions[sessions.add(session.connection)] = session
  }

  private mutating func readBlocked(from input: inout CanonicalInput) throws(CodecError) {
    var last: JID?
    for _ in 0..<(try input.readCount()) {
      let jid = try input.read(JID.self)
      guard last.map({ $0 < jid }) ?? true else { throw input.invalid }
      blocked.insert(jid)
      last = jid
    }
  }
}
