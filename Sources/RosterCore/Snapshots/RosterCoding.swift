import DequeModule
import XMPPStanza

// The stored form of a state: a snapshot. Raise `Roster.codecVersion` with every change.
//
// Equal states have equal bytes only if their tables assign the same numbers.
extension Roster {
  /// The version of the encoding. Snapshots of another version must be derived again.
  package static let codecVersion: UInt32 = 28

  /// The state in its stored form. If much of the table is unused, the table is rebuilt first.
  /// Complexity: linear in the table without look-ups, unless it is rebuilt.
  package var snapshot: [UInt8] {
    var copy = self
    copy.compactToBeWritten()
    return copy.write(.whole, of: Array(copy.contacts.numbers)).bytes
  }

  /// Returns `snapshot` and continues from it: the state keeps the table that was written, and
  /// refers to the details in their stored form, so that they need not be encoded again for the
  /// next snapshot. If the table was rebuilt, the state no longer has a base.
  package mutating func takeSnapshot() -> [UInt8] {
    compactToBeWritten()
    let (bytes, details) = write(.whole, of: Array(contacts.numbers))
    contacts.continueFrom(details)
    return bytes
  }

  private mutating func compactToBeWritten() {
    if contacts.isWrittenBestCompacted(with: ownPresence) { compact() }
  }

  /// Rebuilds the contact table without unused entries. Complexity: O(n log n).
  mutating func compact() {
    contacts = contacts.compacted(with: &ownPresence)
    // The contacts have been renumbered.
    peopleWaiting = nil
  }

  /// The difference from the state at the base: the contacts that have changed since
  /// `beginIncrement`, and all state that does not belong to a contact.
  ///
  /// Nil if the changes were not noted.
  package var increment: [UInt8]? {
    guard let base = contacts.base, let changes = contacts.changes else { return nil }
    let isPresenceWhole = contacts.areMembers(of: .presence, in: changes.presences)
    let numbers = changes.named(isPresenceWhole: isPresenceWhole)
    return write(.increment(base), changes, of: numbers, isPresenceWhole: isPresenceWhole).bytes
  }

  /// The snapshot that increments of this state refer to; nil if there can be none.
  package var base: SnapshotBase? {
    get { contacts.base }
    set { contacts.base = newValue }
  }

  /// Makes the next increment the difference from the current state.
  ///
  /// - Parameter base: A stored snapshot of this state with the same numbers: the state was read
  ///   from it, or it is an increment of this state.
  package mutating func beginIncrement(to base: SnapshotBase) {
    self.base = base
    contacts.noteChanges()
  }

  /// - Parameter isPresenceWhole: Whether all available contacts are among these.
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
    body.write(lostItems)
    body.write(abandonedEdits)
    body.write(awaitedPushes)
    body.write(lastVersionPush)
    body.write(tallies)
    body.write(acceptances)
    body.write(leavings)
    body.write(removals)
    body.write(putBacks)
    let details = body.write(numbers)
    return (body.plain.bytes, details)
  }

  /// Reads a state from exactly the bytes of its stored form.
  ///
  /// A checksum vouches for the bytes: only what keeps the tables consistent is checked, and
  /// contacts' details are decoded on access. Whether a snapshot has the right contents, only a
  /// replay can say.
  ///
  /// Complexity: linear in the bytes, with one look-up for each address and text.
  package init(snapshot: RawSpan) throws(CodecError) {
    var input = CanonicalInput(snapshot)
    guard try SnapshotKind(from: &input) == .whole else { throw input.invalid }
    var body = try RosterInput(input)
    try self.init(from: &body)
    try body.plain.finish()
  }

  /// Applies an increment, given as exactly its bytes, to the state of its base or to a state
  /// reduced from that. Contacts that have changed since a later state have also changed since the
  /// base.
  ///
  /// Complexity: linear in the bytes, and in the chunks that must be copied because they are
  /// shared.
  /// - Throws: `CodecError` if the bytes are not an increment to this state's base. The state is
  ///   then empty.
  package mutating func add(_ increment: RawSpan) throws(CodecError) {
    var earlier = Roster()
    swap(&earlier, &self)
    var input = CanonicalInput(increment)
    guard let base = try SnapshotKind(from: &input).base, base == earlier.base,
      base.sequence <= earlier.position
    else { throw input.invalid }
    let isPresenceWhole = try input.readFlag()
    // Clear the other reference first, so that the mutation does not copy.
    var table = ContactTable()
    swap(&table, &earlier.contacts)
    if isPresenceWhole { table.forgetPresence() }
    var body = try RosterInput(input, to: consume table)
    let roster = try Roster(from: &body)
    try body.plain.finish()
    guard roster.position >= earlier.position else { throw body.plain.invalid }
    self = roster
  }

  /// An encoding that is equal for equal states, regardless of their history: the stored form with
  /// rebuilt tables. Complexity: O(n log n).
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
    lostItems = try body.readLostItems()
    abandonedEdits = try body.readAbandonedEdits()
    awaitedPushes = try body.readAwaitedPushes()
    lastVersionPush = try body.readVersionPush()
    tallies = try body.readTallies()
    acceptances = try body.readAcceptances()
    leavings = try body.readLeavings()
    removals = try body.readRemovals()
    putBacks = try body.readPutBacks()
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
    output.write(hasJudgedVersionUse)
    output.write(hasVerifiedStream)
    output.write(eventsSince)
    output.write(signed: nextTimeout)
    output.write(signed: nextNeglect)
    output.write(UInt64(knownVersions.count))
    for version in knownVersions { output.write(version) }
    output.write(UInt64(streamErrors.count))
    for errors in streamErrors { errors.encode(to: &output) }
  }

  private mutating func readAccount(from input: inout CanonicalInput) throws(CodecError) {
    account = try input.readOptional()
    version = try input.readOptionalText()
    completeness = try input.readCode()
    isBlockListKnown = try input.readFlag()
    isInboundOnly = try input.readFlag()
    hasReceived = try input.readFlag()
    hasJudgedVersionUse = try input.readFlag()
    hasVerifiedStream = try input.readFlag()
    eventsSince = try input.readNumber()
    nextTimeout = try input.readSigned()
    nextNeglect = try input.readSigned()
    for _ in 0..<(try input.readCount()) { knownVersions.append(try input.readText()) }
    for _ in 0..<(try input.readCount()) { streamErrors.append(try input.read()) }
    guard streamErrors.count <= StreamErrors.limit else { throw input.invalid }
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
