import XMPPStanza

extension ContactDetails {
  /// The parts that the details have. Further resources are stored with the first one, as presence.
  var parts: ContactParts {
    var parts: ContactParts = []
    switch request {
    case .open: parts.insert(.openRequest)
    case .unconfirmed: parts.insert(.unconfirmedRequest)
    case nil: break
    }
    if !$lastEnded.isNone { parts.insert(.lastEnded) }
    if !$outgoing.isNone { parts.insert(.outgoing) }
    if !$names.isNone { parts.insert(.names) }
    if !expected.isEmpty { parts.insert(.expected) }
    if !deliveries.isEmpty { parts.insert(.deliveries) }
    if !$rounds.isNone || !$ownRounds.isNone { parts.insert(.rounds) }
    if !$confirmedEdit.isNone { parts.insert(.confirmedEdit) }
    if !$returnedError.isNone { parts.insert(.returnedError) }
    if !$annotations.isNone { parts.insert(.annotations) }
    if !$lastOutgoingEnd.isNone { parts.insert(.lastOutgoingEnd) }
    return parts
  }
}

// Stored details do not depend on their surroundings, so those that were never decoded are copied
// from snapshot to snapshot.

/// Collects the details of contacts, each preceded by its length in bytes.
struct DetailsOutput: StampOutput {
  /// Everything written so far.
  private(set) var all = CanonicalOutput()
  var plain = CanonicalOutput()
  var base = (record: UInt64(0), time: Int64(0))

  /// Writes details in their stored form, including their length.
  mutating func write(stored details: RawSpan) { all.write(encoded: details) }

  /// Writes the details of a contact.
  mutating func write(_ details: borrowing ContactDetails) {
    plain.removeAll()
    base = (0, 0)
    writeParts(details)
    let bytes = plain.bytes
    all.write(counted: bytes.span.bytes)
  }

  private mutating func writeParts(_ details: borrowing ContactDetails) {
    let parts = details.parts
    plain.write(UInt64(parts.rawValue))
    if let request = details.request?.request { write(request) }
    if let end = details.lastEnded {
      plain.write(tag: end.way.code)
      write(end.at)
      write(end.since)
      plain.write(details.endIsConfirmedByRoster)
    }
    if let request = details.outgoing {
      write(request.since)
      plain.write(request.isReflected)
      plain.write(request.isReportedAsNeglected)
      plain.write(request.answeredBy != nil)
      if let answer = request.answeredBy { write(answer) }
    }
    if let names = details.names { write(names) }
    let expected = details.expected
    if !expected.isEmpty { write(expected) }
    if !details.deliveries.isEmpty { write(details.deliveries) }
    if let annotations = details.annotations { write(annotations) }
    if parts.contains(.rounds) {
      let end = details.lastEnded
      if let rounds = details.rounds, rounds.areImplied(by: end) {
        plain.write(tag: Rounds.impliedTag)
      } else {
        write(details.rounds)
      }
      write(details.ownRounds)
    }
    if let edit = details.confirmedEdit { write(edit) }
    if let end = details.lastOutgoingEnd {
      plain.write(tag: end.way.code)
      write(end.at)
      write(end.since)
    }
    if let error = details.returnedError {
      write(record: error.record)
      plain.write(error.cause != nil)
      if let cause = error.cause { write(record: cause) }
      plain.write(error.report)
    }
  }

  private mutating func write(_ request: IncomingRequest) {
    write(request.since)
    write(request.last)
    write(request.asked)
    plain.write(signed: Int64(request.count))
    plain.write(request.status)
    plain.write(request.nickname)
    plain.write(request.isReportedAsNeglected)
    plain.write(request.isReportedAsWronglyRefused)
    plain.write(request.seen != nil)
    if let record = request.seen { write(record: record) }
  }

  private mutating func write(_ rounds: Rounds?) {
    plain.write(tag: rounds == nil ? Rounds.noneTag : Rounds.tag)
    guard let rounds else { return }
    plain.write(UInt64(rounds.count))
    write(rounds.first)
    plain.write(rounds.ended != nil)
    if let ended = rounds.ended { write(ended) }
  }

  private mutating func write(_ names: OwnNames) {
    plain.write(names.nickname)
    plain.write(names.nicknameRecord != nil)
    if let record = names.nicknameRecord { write(record: record) }
    plain.write(names.vCard)
    plain.write(names.vCardRecord != nil)
    if let record = names.vCardRecord { write(record: record) }
  }
}

/// Reads the stored details of exactly one contact.
struct DetailsInput: StampInput, ~Escapable {
  var plain: CanonicalInput
  var base = (record: UInt64(0), time: Int64(0))

  /// - Parameter input: Details without their length.
  @_lifetime(copy input)
  init(_ input: CanonicalInput) {
    plain = input
  }

  /// Reads the details.
  mutating func read() throws(CodecError) -> ContactDetails {
    var details = ContactDetails()
    let parts = try ContactParts(from: &plain)
    guard !parts.isEmpty, !parts.isSuperset(of: .request) else { throw plain.invalid }
    if parts.contains(.openRequest) { details.request = .open(try readRequest()) }
    if parts.contains(.unconfirmedRequest) { details.request = .unconfirmed(try readRequest()) }
    if parts.contains(.lastEnded) {
      details.lastEnded = EndedRequest(
        way: try plain.readCode(), at: try readStamp(), since: try readStamp())
      details.endIsConfirmedByRoster = try plain.readFlag()
    }
    if parts.contains(.outgoing) {
      details.outgoing = OutgoingRequest(
        since: try readStamp(), isReflected: try plain.readFlag(),
        isReportedAsNeglected: try plain.readFlag(),
        answeredBy: try plain.readFlag() ? try readStamp() : nil)
    }
    if parts.contains(.names) { details.names = try readNames() }
    if parts.contains(.expected) { details.expected = try readExpected() }
    if parts.contains(.deliveries) { details.deliveries = try readDeliveries() }
    if parts.contains(.annotations) { details.annotations = try readAnnotations() }
    if parts.contains(.rounds) {
      details.rounds = try readRounds(after: details.lastEnded)
      details.ownRounds = try readRounds(after: nil)
      guard details.rounds != nil || details.ownRounds != nil else { throw plain.invalid }
    }
    if parts.contains(.confirmedEdit) { details.confirmedEdit = try readConfirmedEdit() }
    if parts.contains(.lastOutgoingEnd) {
      details.lastOutgoingEnd = EndedOutgoing(
        way: try plain.readCode(), at: try readStamp(), since: try readStamp())
    }
    if parts.contains(.returnedError) {
      details.returnedError = ReturnedError(
        record: try readRecord(), cause: try plain.readFlag() ? try readRecord() : nil,
        report: try plain.read())
    }
    guard plain.rest == 0 else { throw plain.invalid }
    return details
  }

  private mutating func readRequest() throws(CodecError) -> IncomingRequest {
    IncomingRequest(
      since: try readStamp(), last: try readStamp(), asked: try readStamp(),
      count: Int(try plain.readSigned()),
      status: try plain.readOptionalText(), nickname: try plain.readOptionalText(),
      isReportedAsNeglected: try plain.readFlag(),
      isReportedAsWronglyRefused: try plain.readFlag(),
      seen: try plain.readFlag() ? try readRecord() : nil)
  }

  /// - Parameter end: The end of the last request, which the rounds may be about.
  private mutating func readRounds(after end: EndedRequest?) throws(CodecError) -> Rounds? {
    switch (try plain.readTag(), end) {
    case (Rounds.noneTag, _): return nil
    case (Rounds.impliedTag, let end?): return Rounds(first: end.since, ended: end.at)
    case (Rounds.tag, _):
      guard let count = Int(exactly: try plain.readNumber()) else { throw plain.invalid }
      let rounds = Rounds(
        count: count, first: try readStamp(), ended: try plain.readFlag() ? try readStamp() : nil)
      // Rounds that follow from the last ended request would be a second encoding.
      guard !rounds.areImplied(by: end) else { throw plain.invalid }
      return rounds
    default: throw plain.invalid
    }
  }

  private mutating func readNames() throws(CodecError) -> OwnNames {
    var names = OwnNames()
    names.nickname = try plain.readOptionalText()
    if try plain.readFlag() { names.nicknameRecord = try readRecord() }
    names.vCard = try plain.readOptional()
    if try plain.readFlag() { names.vCardRecord = try readRecord() }
    return names
  }
}

extension Rounds {
  fileprivate static let noneTag: UInt8 = 0
  fileprivate static let tag: UInt8 = 1
  /// The rounds follow from the last ended request.
  fileprivate static let impliedTag: UInt8 = 2

  /// Whether the rounds follow from that request, so that nothing else needs to be written.
  fileprivate func areImplied(by end: EndedRequest?) -> Bool {
    guard let end else { return false }
    return self == Rounds(first: end.since, ended: end.at)
  }
}
