import DequeModule
import XMPPStanza

// What was counted, the pushes and acceptances that are awaited, and the contacts that leave.
extension RosterOutput {
  mutating func write(_ tallies: [Tally]) {
    plain.write(UInt64(tallies.count))
    for tally in tallies {
      plain.write(tag: tally.kind.code)
      plain.write(UInt64(tally.connection.number))
      plain.write(tally.device)
      plain.write(tally.receiver)
      plain.write(tally.answer != nil)
      if let answer = tally.answer { plain.write(answer) }
      plain.write(tally.contact)
      plain.write(UInt64(tally.count))
      write(record: tally.first)
      write(record: tally.last)
    }
  }

  mutating func write(_ acceptances: [Acceptance]) {
    plain.write(UInt64(acceptances.count))
    for acceptance in acceptances {
      plain.write(acceptance.contact)
      plain.write(acceptance.isOurs)
      write(acceptance.stamp)
      plain.write(UInt64(acceptance.connection.number))
      plain.write(acceptance.device)
      plain.write(acceptance.isOverdue)
    }
  }

  mutating func write(_ leavings: [Leaving]) {
    plain.write(UInt64(leavings.count))
    for leaving in leavings {
      plain.write(leaving.contact)
      plain.write(tag: leaving.effect.code)
      write(record: leaving.stanza)
      plain.write(leaving.other != nil)
      if let other = leaving.other { write(record: other) }
      plain.write(tag: leaving.before.code)
      write(leaving.stamp)
      plain.write(UInt64(leaving.connection.number))
      plain.write(leaving.device)
    }
  }

  mutating func write(_ removals: [UnaskedRemoval]) {
    plain.write(UInt64(removals.count))
    for removal in removals {
      plain.write(removal.contact)
      write(removal.stamp)
      plain.write(UInt64(removal.connection.number))
      plain.write(removal.device)
    }
  }

  mutating func write(_ awaited: Deque<AwaitedPush>) {
    plain.write(UInt64(awaited.count))
    for push in awaited {
      plain.write(push.contact)
      plain.write(push.item)
      write(push.shown)
      write(push.since)
      plain.write(UInt64(push.connection.number))
      plain.write(push.device)
      plain.write(push.waiting.rawValue)
      plain.write(push.overtaken.rawValue)
      plain.write(push.passed.rawValue)
      plain.write(push.passedAt != nil)
      if let passedAt = push.passedAt { write(passedAt) }
    }
  }
}

extension RosterOutput {
  mutating func write(_ push: VersionPush?) {
    plain.write(push != nil)
    guard let push else { return }
    plain.write(push.contact)
    write(push.shown)
    plain.write(UInt64(push.connection.number))
    plain.write(push.device)
  }
}

extension RosterInput {
  mutating func readVersionPush() throws(CodecError) -> VersionPush? {
    guard try plain.readFlag() else { return nil }
    return VersionPush(
      contact: try plain.read(), shown: try readStamp(), connection: try readConnection(),
      device: try plain.readOptionalText())
  }

  mutating func readTallies() throws(CodecError) -> [Tally] {
    var tallies: [Tally] = []
    for _ in 0..<(try plain.readCount()) {
      let kind: Tally.Kind = try plain.readCode()
      let connection = try readConnection()
      let device = try plain.readOptionalText()
      let receiver = try plain.readOptionalText()
      let answer = try plain.readFlag() ? try plain.read(ErrorReport.self) : nil
      let contact: BareJID? = try plain.readOptional()
      guard let count = UInt32(exactly: try plain.readNumber()), count > 0 else {
        throw plain.invalid
      }
      tallies.append(
        Tally(
          kind: kind, connection: connection, device: device, receiver: receiver,
          answer: answer, contact: contact, count: Int(count), first: try readRecord(),
          last: try readRecord()))
    }
    guard tallies.count <= Tally.limit else { throw plain.invalid }
    return tallies
  }

  mutating func readAwaitedPushes() throws(CodecError) -> Deque<AwaitedPush> {
    var awaited: Deque<AwaitedPush> = []
    for _ in 0..<(try plain.readCount()) {
      let push = AwaitedPush(
        contact: try plain.read(), item: try plain.readOptional(), shown: try readStamp(),
        since: try readStamp(),
        connection: try readConnection(), device: try plain.readOptionalText(),
        waiting: SessionSet(rawValue: try plain.readNumber()),
        overtaken: SessionSet(rawValue: try plain.readNumber()),
        passed: SessionSet(rawValue: try plain.readNumber()),
        passedAt: try plain.readFlag() ? try readStamp() : nil)
      guard !push.waiting.isEmpty || !push.passed.isEmpty else { throw plain.invalid }
      awaited.append(push)
    }
    guard awaited.count <= AwaitedPush.limit * SessionTable.limit else { throw plain.invalid }
    return awaited
  }

  mutating func readAcceptances() throws(CodecError) -> [Acceptance] {
    var acceptances: [Acceptance] = []
    for _ in 0..<(try plain.readCount()) {
      acceptances.append(
        Acceptance(
          contact: try plain.read(), isOurs: try plain.readFlag(), stamp: try readStamp(),
          connection: try readConnection(), device: try plain.readOptionalText(),
          isOverdue: try plain.readFlag()))
    }
    guard acceptances.count <= Acceptance.limit else { throw plain.invalid }
    return acceptances
  }

  mutating func readLeavings() throws(CodecError) -> [Leaving] {
    var leavings: [Leaving] = []
    for _ in 0..<(try plain.readCount()) {
      leavings.append(
        Leaving(
          contact: try plain.read(), effect: try plain.readCode(), stanza: try readRecord(),
          other: try plain.readFlag() ? try readRecord() : nil, before: try plain.readCode(),
          stamp: try readStamp(), connection: try readConnection(),
          device: try plain.readOptionalText()))
    }
    guard leavings.count <= Leaving.limit else { throw plain.invalid }
    return leavings
  }

  mutating func readRemovals() throws(CodecError) -> [UnaskedRemoval] {
    var removals: [UnaskedRemoval] = []
    for _ in 0..<(try plain.readCount()) {
      removals.append(
        UnaskedRemoval(
          contact: try plain.read(), stamp: try readStamp(), connection: try readConnection(),
          device: try plain.readOptionalText()))
    }
    guard removals.count <= UnaskedRemoval.limit else { throw plain.invalid }
    return removals
  }

  mutating func readConnection() throws(CodecError) -> ConnectionID {
    guard let number = UInt32(exactly: try plain.readNumber()) else { throw plain.invalid }
    return ConnectionID(number: number)
  }
}

extension Tally.Kind: StoredCode {
  var code: UInt8 {
    switch self {
    case .unacknowledgedPushes: 0
    case .missedPushes: 1
    case .answersToNothing: 2
    case .idlePushes: 3
    case .idlePresence: 4
    case .refusedPushes: 5
    }
  }
}
