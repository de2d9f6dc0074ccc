import DequeModule
import XMPPStanza

// What was taken out of the roster, and what sets put back.
extension RosterOutput {
  mutating func write(_ lost: Deque<LostItem>) {
    plain.write(UInt64(lost.count))
    for item in lost {
      plain.write(item.contact)
      plain.write(item.fields)
      plain.write(tag: item.subscription.code)
      write(record: item.at)
      plain.write(item.isByRoster)
      write(edit: item.edit)
      plain.write(item.device)
    }
  }

  mutating func write(_ restoration: Restoration?) {
    plain.write(restoration != nil)
    if let restoration { write(known: restoration) }
  }

  private mutating func write(known restoration: Restoration) {
    plain.write(restoration.fields != nil)
    if let fields = restoration.fields { write(fields) }
    plain.write(tag: restoration.subscription.code)
    write(edit: restoration.edit)
    plain.write(restoration.device)
    write(edit: restoration.lostAt)
    plain.write(tag: restoration.evidence.rawValue)
  }

  private mutating func write(_ fields: RestoredFields) {
    plain.write(fields.from)
    plain.write(fields.to)
  }

  private mutating func write(edit record: UInt64?) {
    plain.write(record != nil)
    if let record { write(record: record) }
  }

  mutating func writeLastSet(of session: Session) {
    plain.write(session.lastSet != nil)
    if let last = session.lastSet {
      plain.write(last.contact)
      write(last.sent)
    }
  }

  mutating func write(_ putBacks: [HeldPutBack]) {
    plain.write(UInt64(putBacks.count))
    for held in putBacks {
      plain.write(held.contact)
      write(held.sent)
      write(known: held.restoration)
      plain.write(tag: held.subscription.code)
      plain.write(UInt64(held.connection.number))
      plain.write(held.device)
      plain.write(UInt64(held.count))
      write(held.last)
      plain.write(held.rival)
    }
  }
}

extension RosterInput {
  mutating func readLostItems() throws(CodecError) -> Deque<LostItem> {
    var lost: Deque<LostItem> = []
    for _ in 0..<(try plain.readCount()) {
      lost.append(
        LostItem(
          contact: try plain.read(), fields: try plain.read(), subscription: try plain.readCode(),
          at: try readRecord(), isByRoster: try plain.readFlag(), edit: try readEdit(),
          device: try plain.readOptionalText()))
    }
    guard lost.count <= LostItem.limit else { throw plain.invalid }
    return lost
  }

  mutating func readRestoration() throws(CodecError) -> Restoration? {
    try plain.readFlag() ? try readKnownRestoration() : nil
  }

  private mutating func readKnownRestoration() throws(CodecError) -> Restoration {
    var restoration = Restoration(
      fields: try readRestoredFields(), subscription: try plain.readCode(),
      edit: try readEdit(), device: try plain.readOptionalText(), lostAt: try readEdit())
    let evidence = PutBack.Evidence(rawValue: try plain.readTag())
    guard evidence.isSubset(of: .all) else { throw plain.invalid }
    restoration.evidence = evidence
    return restoration
  }

  private mutating func readRestoredFields() throws(CodecError) -> RestoredFields? {
    guard try plain.readFlag() else { return nil }
    return RestoredFields(from: try plain.read(), to: try plain.read())
  }

  private mutating func readEdit() throws(CodecError) -> UInt64? {
    try plain.readFlag() ? try readRecord() : nil
  }

  mutating func readLastSet() throws(CodecError) -> LastSet? {
    guard try plain.readFlag() else { return nil }
    return LastSet(contact: try plain.read(), sent: try readStamp())
  }

  mutating func readPutBacks() throws(CodecError) -> [HeldPutBack] {
    var putBacks: [HeldPutBack] = []
    for _ in 0..<(try plain.readCount()) {
      let contact: BareJID = try plain.read()
      let sent = try readStamp()
      let restoration = try readKnownRestoration()
      let subscription: RosterSubscription = try plain.readCode()
      let connection = try readConnection()
      let device = try plain.readOptionalText()
      guard let count = UInt32(exactly: try plain.readNumber()), count > 0 else {
        throw plain.invalid
      }
      putBacks.append(
        HeldPutBack(
          contact: contact, sent: sent, restoration: restoration, subscription: subscription,
          connection: connection, device: device, count: Int(count), last: try readStamp(),
          rival: try plain.readOptionalText()))
    }
    guard putBacks.count <= HeldPutBack.limit else { throw plain.invalid }
    return putBacks
  }
}
