import DequeModule
import XMPPStanza

// The stored form of states: a snapshot. A change of it must raise `Roster.codecVersion`.
//
// Equal states have equal bytes only where their tables give the same numbers.
extension Roster {
  /// The version of the encoding; snapshots of another version must be derived anew.
  package static let codecVersion: UInt32 = 22

  /// The state in its stored form: as its table is, which is made anew where much of it is unused.
  /// Complexity: linear in the table, and nothing is looked up, where it is not made anew.
  package var snapshot: [UInt8] {
    var copy = self
    copy.compactToBeWritten()
    return copy.write(.whole, of: Array(copy.contacts.numbers)).bytes
  }

  /// The same, after which the state goes on as it is in the snapshot: its table is the one that
  /// was written, and the details of contacts are held in that form, so that they need not be
  /// encoded again for the next one. Where the table was made anew, there is no base any more.
  package mutating func takeSnapshot() -> [UInt8] {
    compactToBeWritten()
    let (bytes, details) = write(.whole, of: Array(contacts.numbers))
    contacts.goOn(with: details)
    return bytes
  }

  private mutating func compactToBeWritten() {
    if contacts.isWrittenBestCompacted(with: ownPresence) { compact() }
  }

  /// Makes the table of contacts anew, without what nothing refers to. Complexity: O(n log n).
  mutating func compact() {
    contacts = contacts.compacted(with: &ownPresence)
    // The contacts have other numbers.
    peopleWaiting = nil
  }

  /// The state as the difference to what it was at its base: the contacts of whom something else is
  /// known since `beginIncrement`, and all that is no contact's.
  ///
  /// Nil where the difference is not known.
  package var increment: [UInt8]? {
    guard let base = contacts.base, let changes = contacts.changes else { return nil }
    let isPresenceWhole = contacts.areAll(.presence, in: changes.presences)
    let numbers = changes.named(isPresenceWhole: isPresenceWhole)
    return write(.increment(base), changes, of: numbers, isPresenceWhole: isPresenceWhole).bytes
  }

  /// The snapshot on which increments to this state are put; nil where they cannot be.
  package var base: SnapshotBase? {
    get { contacts.base }
    set { contacts.base = newValue }
  }

  /// From now on, the next increment is the difference to what the state is now.
  ///
  /// - Parameter base: Where it is kept so, with the same numbers: it was read from there, or is an
  ///   increment of this one.
  package mutating func beginIncrement(to base: SnapshotBase) {
    self.base = base
    contacts.noteChanges()
  }

  /// - Parameter isPresenceWhole: Whether nobody but these contacts is available.
  private func write(
    _ kind: SnapshotKind, _ changes: ContactChanges? = nil, of numbers: [ContactNumber],
    isPresenceWhole: Bool = true
  ) -> (bytes: [UInt8], details: StoredDetails) {
    var body = RosterOutput(contacts, changes)
    kind.encode(to: &body.plain)
    if kind != .whole { body.plain.write(isPresenceWhole) }
    body.writeTables()
    body.write(record: position)
    writeAccount(to: &body.plain)
    body.plain.write(UInt64(sessions.all.count))
    for session in sessions.all { body.write(session) }
    body.write(ownPresence.all.span)
    body.plain.write(blocked.sorted())
    let details = body.write(numbers)
    return (body.plain.bytes, details)
  }

  /// Reads a state from exactly the bytes of its stored form.
  ///
  /// Complexity: linear in them, and for each address and text one look into its table. Contacts'
  /// details are looked through, and read when they are asked for.
  ///
  /// - Parameter isSound: Whether a checksum says that the bytes are what was written; then details
  ///   and texts are not looked through.
  package init(snapshot: RawSpan, isSound: Bool = false) throws(CodecError) {
    var input = CanonicalInput(snapshot)
    guard try SnapshotKind(from: &input) == .whole else { throw input.invalid }
    var body = try RosterInput(input, isSound: isSound)
    try self.init(from: &body)
    try body.plain.finish()
  }

  /// Takes the state on by exactly the bytes of an increment to the snapshot that it is of, or was
  /// reduced from: who has changed since then is all the more who has changed since now.
  ///
  /// Complexity: linear in them, and in what is copied where others refer to the state.
  /// - Parameter isSound: As where a whole state is read.
  /// - Throws: `CodecError` where they are none to this state's base; it is then an empty one.
  package mutating func add(_ increment: RawSpan, isSound: Bool = false) throws(CodecError) {
    var earlier = Roster()
    swap(&earlier, &self)
    var input = CanonicalInput(increment)
    guard let base = try SnapshotKind(from: &input).base, base == earlier.base,
      base.sequence <= earlier.position
    else { throw input.invalid }
    let isPresenceWhole = try input.readFlag()
    // Only who alone refers to it changes it without copying it.
    var table = ContactTable()
    swap(&table, &earlier.contacts)
    if isPresenceWhole { table.forgetPresence() }
    var body = try RosterInput(input, to: consume table, isSound: isSound)
    let roster = try Roster(from: &body)
    try body.plain.finish()
    guard roster.position >= earlier.position else { throw body.plain.invalid }
    self = roster
  }

  /// The same for equal states, whatever way led to them: the stored form of the state whose
  /// tables were made anew. Complexity: O(n log n).
  package var canonicalBytes: [UInt8] {
    var copy = self
    copy.compact()
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
    swap(&contacts, &body.contacts)
  }

  private func writeAccount(to output: inout CanonicalOutput) {
    output.write(account)
    output.write(version)
    output.write(tag: completeness.code)
    output.write(isBlockListKnown)
    output.write(isInboundOnly)
    output.write(hasReceived)
    output.write(hasVerifiedStream)
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
    hasVerifiedStream = try input.readFlag()
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
