import DequeModule
import XMPPStanza

// The stored form of states: a snapshot. A change of it must raise `Roster.codecVersion`.
//
// Equal states have equal bytes only where their tables give the same numbers.
extension Roster {
  /// The version of the encoding; snapshots of another version must be derived anew.
  package static let codecVersion: UInt32 = 11

  /// The state in its stored form. Complexity: linear in what is known, and nothing is looked up.
  package var snapshot: [UInt8] {
    var body = RosterOutput(contacts)
    body.write(record: position)
    writeAccount(to: &body.plain)
    body.plain.write(UInt64(sessions.all.count))
    for session in sessions.all { body.write(session) }
    body.write(ownPresence.all)
    body.plain.write(blocked.sorted())
    body.writeContacts()
    var output = CanonicalOutput()
    output.write(UInt64(Self.codecVersion))
    body.finish(into: &output)
    return output.bytes
  }

  /// Reads a state from exactly the bytes of its stored form.
  ///
  /// Complexity: linear in them, and for each address and text one look into its table. Contacts'
  /// details are looked through, and read when they are asked for.
  package init(snapshot: RawSpan) throws(CodecError) {
    self = try CanonicalInput.read(snapshot) { (input) throws(CodecError) in
      guard try input.readNumber() == UInt64(Self.codecVersion) else { throw input.invalid }
      var body = try RosterInput(input)
      defer { input = body.plain }
      return try Roster(from: &body)
    }
  }

  /// The same for equal states, whatever way led to them: the stored form of the state whose
  /// tables were made anew. Complexity: O(n log n).
  package var canonicalBytes: [UInt8] {
    var copy = self
    copy.contacts = contacts.compacted(with: &copy.ownPresence)
    return copy.snapshot
  }

  private init(from body: inout RosterInput) throws(CodecError) {
    self.init()
    position = try body.readRecord()
    try readAccount(from: &body.plain)
    for _ in 0..<(try body.plain.readCount()) { try readSession(from: &body) }
    ownPresence = PresenceRows(try body.readPresence())
    try readBlocked(from: &body.plain)
    try body.readContacts()
    contacts = body.contacts
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
