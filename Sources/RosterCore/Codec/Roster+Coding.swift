import HashTreeCollections
import XMPPStanza

// The stored form of states. A change of it must raise `Roster.codecVersion`.
//
// The same events give the same bytes, and what is read back prints as what was written: texts
// are kept, compared and ordered by their bytes. Swift takes canonically equivalent texts for
// equal, so equal states have equal bytes but where a name, group, resource or text of theirs
// came in two normal forms, which only different records can bring about.
extension Roster: CanonicalCodable {
  /// The version of the encoding; kept states of another version must be derived anew.
  package static let codecVersion: UInt32 = 2

  /// Reads a state from exactly the bytes of its encoding. Complexity: linear in their number.
  package init(canonicalBytes: RawSpan) throws(CodecError) {
    self = try Self.decode(canonicalBytes)
  }

  package func encode(to output: inout CanonicalOutput) {
    output.write(UInt64(Self.codecVersion))
    var body = RosterOutput()
    body.write(record: position)
    writeSession(to: &body.plain)
    writeWaiting(to: &body)
    body.write(ownPresences)
    body.plain.write(blocked.sorted())
    writeContacts(to: &body)
    body.finish(into: &output)
  }

  package init(from input: inout CanonicalInput) throws(CodecError) {
    guard try input.readNumber() == UInt64(Self.codecVersion) else { throw input.invalid }
    self.init()
    var body = try RosterInput(input)
    position = try body.readRecord()
    try readSession(from: &body.plain)
    try readWaiting(from: &body)
    ownPresences = try body.readPresence()
    try readBlocked(from: &body.plain)
    try readContacts(from: &body)
    input = try body.finish()
  }

  private func writeSession(to output: inout CanonicalOutput) {
    output.write(account)
    output.write(resource)
    output.write(version)
    output.write(tag: completeness.code)
    output.write(tag: stream.phase.code)
    output.write(stream.openedAt)
    output.write(stream.features.versioning)
    output.write(stream.features.preApproval)
    output.write(stream.sentInitialPresence)
    output.write(stream.reportedUnusedVersion)
    output.write(stream.isInboundOnly)
    output.write(UInt64(knownVersions.count))
    for version in knownVersions { output.write(version) }
  }

  private mutating func readSession(from input: inout CanonicalInput) throws(CodecError) {
    account = try input.readOptional()
    resource = try input.readOptionalText()
    version = try input.readOptionalText()
    guard let completeness = Completeness(code: try input.readTag()),
      let phase = StreamState.Phase(code: try input.readTag())
    else { throw input.invalid }
    self.completeness = completeness
    stream.phase = phase
    stream.openedAt = try input.readNumber()
    stream.features.versioning = try input.readFlag()
    stream.features.preApproval = try input.readFlag()
    stream.sentInitialPresence = try input.readFlag()
    stream.reportedUnusedVersion = try input.readFlag()
    stream.isInboundOnly = try input.readFlag()
    for _ in 0..<(try input.readCount()) { knownVersions.append(try input.readText()) }
  }

  private mutating func readBlocked(from input: inout CanonicalInput) throws(CodecError) {
    var last: JID?
    for _ in 0..<(try input.readCount()) {
      let jid = try input.read(JID.self)
      guard last.map({ $0 < jid }) ?? true, blocked.insert(jid).inserted else {
        throw input.invalid
      }
      last = jid
    }
  }
}

extension Completeness {
  fileprivate var code: UInt8 {
    switch self {
    case .neverFetched: 0
    case .baseUnknown: 1
    case .complete: 2
    }
  }

  fileprivate init?(code: UInt8) {
    switch code {
    case 0: self = .neverFetched
    case 1: self = .baseUnknown
    case 2: self = .complete
    default: return nil
    }
  }
}

extension StreamState.Phase {
  fileprivate var code: UInt8 {
    switch self {
    case .unseen: 0
    case .negotiating: 1
    case .open: 2
    case .closed: 3
    case .foreign: 4
    }
  }

  fileprivate init?(code: UInt8) {
    switch code {
    case 0: self = .unseen
    case 1: self = .negotiating
    case 2: self = .open
    case 3: self = .closed
    case 4: self = .foreign
    default: return nil
    }
  }
}
