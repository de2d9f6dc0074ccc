import XMPPStanza

extension Query: CanonicalCodable {
  package func encode(to output: inout CanonicalOutput) {
    output.write(id)
    output.write(to)
    switch subject {
    case .roster(let version):
      output.write(tag: 0)
      output.write(version)
    case .blockList: output.write(tag: 1)
    case .vCard: output.write(tag: 2)
    case .nickname: output.write(tag: 3)
    }
  }

  package init(from input: inout CanonicalInput) throws(CodecError) {
    let id = try input.readOptionalText()
    let to = try input.readOptional(JID.self)
    switch try input.readTag() {
    case 0: self.init(id: id, to: to, subject: .roster(version: try input.readOptionalText()))
    case 1: self.init(id: id, to: to, subject: .blockList)
    case 2: self.init(id: id, to: to, subject: .vCard)
    case 3: self.init(id: id, to: to, subject: .nickname)
    default: throw input.invalid
    }
  }
}

extension Answer: CanonicalCodable {
  package func encode(to output: inout CanonicalOutput) {
    output.write(id)
    output.write(from)
    switch payload {
    case .nothing: output.write(tag: 0)
    case .other: output.write(tag: 1)
    case .roster(let query):
      output.write(tag: 2)
      output.write(query)
    case .blockList(let jids):
      output.write(tag: 3)
      output.write(jids)
    case .vCard(let names):
      output.write(tag: 4)
      output.write(names)
    case .nickname(let name):
      output.write(tag: 5)
      output.write(name)
    case .error(let condition):
      output.write(tag: 6)
      output.write(condition)
    }
  }

  package init(from input: inout CanonicalInput) throws(CodecError) {
    let id = try input.readOptionalText()
    let from = try input.readOptional(JID.self)
    let payload: Payload
    switch try input.readTag() {
    case 0: payload = .nothing
    case 1: payload = .other
    case 2: payload = .roster(try input.read())
    case 3: payload = .blockList(try input.readArray())
    case 4: payload = .vCard(try input.read())
    case 5: payload = .nickname(try input.readOptionalText())
    case 6: payload = .error(condition: try input.readOptionalText())
    default: throw input.invalid
    }
    self.init(id: id, from: from, payload: payload)
  }
}

extension VCardNames: CanonicalCodable {
  package func encode(to output: inout CanonicalOutput) {
    output.write(nickname)
    output.write(fullName)
  }

  package init(from input: inout CanonicalInput) throws(CodecError) {
    self.init(nickname: try input.readOptionalText(), fullName: try input.readOptionalText())
  }
}

extension SubscriptionStanza: CanonicalCodable {
  package func encode(to output: inout CanonicalOutput) {
    output.write(kind.rawValue)
    output.write(contact)
    output.write(status)
    output.write(nickname)
  }

  package init(from input: inout CanonicalInput) throws(CodecError) {
    self.init(
      kind: try input.readName(), contact: try input.read(), status: try input.readOptionalText(),
      nickname: try input.readOptionalText())
  }
}

extension CanonicalOutput {
  /// What an available presence says, as an `Availability` is encoded.
  mutating func write(_ content: PresenceContent) {
    write(content.show.rawValue)
    write(tag: UInt8(bitPattern: content.priority))
    content.withStatus { write(optional: $0) }
    content.withDelay { write(optional: $0) }
    write(content.malformed)
  }
}

extension Availability: CanonicalCodable {
  package func encode(to output: inout CanonicalOutput) {
    output.write(show.rawValue)
    output.write(tag: UInt8(bitPattern: priority))
    output.write(status)
    output.write(delay)
    output.write(malformed)
  }

  package init(from input: inout CanonicalInput) throws(CodecError) {
    guard let show = Show(name: try input.readCounted()) else { throw input.invalid }
    self.init(
      show: show, priority: Int8(bitPattern: try input.readTag()),
      status: try input.readOptionalText(), delay: try input.readOptionalText(),
      malformed: try input.readOptionalText())
  }
}

extension Show {
  /// The one of a name by its bytes. No text is made to compare them: most events have one.
  fileprivate init?(name: UnsafeRawBufferPointer) {
    let show: Show
    switch name.count {
    case 2: show = .xa
    case 3: show = .dnd
    case 4: show = name[0] == UInt8(ascii: "c") ? .chat : .away
    default: show = .available
    }
    guard show.rawValue.hasBytes(name) else { return nil }
    self = show
  }
}

/// An `Availability` in place.
struct StoredAvailability {
  let show: Show
  let priority: Int8
  let status: UnsafeRawBufferPointer?
  let delay: UnsafeRawBufferPointer?
  let malformed: UnsafeRawBufferPointer?

  init(from input: inout CanonicalInput) throws(CodecError) {
    guard let show = Show(name: try input.readCounted()) else { throw input.invalid }
    self.show = show
    priority = Int8(bitPattern: try input.readTag())
    status = try input.readOptionalTextBytes()
    delay = try input.readOptionalTextBytes()
    malformed = try input.readOptionalTextBytes()
  }
}

extension Availability {
  /// A copy of what stands elsewhere.
  init(_ stored: StoredAvailability) {
    func text(_ bytes: UnsafeRawBufferPointer?) -> String? {
      bytes.map { String(decoding: $0, as: UTF8.self) }
    }
    self.init(
      show: stored.show, priority: stored.priority, status: text(stored.status),
      delay: text(stored.delay), malformed: text(stored.malformed))
  }
}

extension RosterQuery: CanonicalCodable {
  package func encode(to output: inout CanonicalOutput) {
    output.write(version)
    output.write(items)
    output.write(malformed)
  }

  package init(from input: inout CanonicalInput) throws(CodecError) {
    self.init(
      version: try input.readOptionalText(), items: try input.readArray(),
      malformed: try input.readArray())
  }
}

extension RosterQuery.Item: CanonicalCodable {
  package func encode(to output: inout CanonicalOutput) {
    switch change {
    case .set(let item):
      output.write(tag: 0)
      output.write(item)
    case .remove(let jid):
      output.write(tag: 1)
      output.write(jid)
    }
    output.write(unknownSubscription)
  }

  package init(from input: inout CanonicalInput) throws(CodecError) {
    let change: Change
    switch try input.readTag() {
    case 0: change = .set(try input.read())
    case 1: change = .remove(try input.read())
    default: throw input.invalid
    }
    self.init(change: change, unknownSubscription: try input.readOptionalText())
  }
}

extension RosterQuery.Malformed: CanonicalCodable {
  package func encode(to output: inout CanonicalOutput) {
    output.write(jid)
    output.write(reason)
  }

  package init(from input: inout CanonicalInput) throws(CodecError) {
    self.init(jid: try input.readOptionalText(), reason: try input.readText())
  }
}

extension RosterItem: CanonicalCodable {
  package func encode(to output: inout CanonicalOutput) {
    output.write(jid)
    output.write(name)
    output.write(tag: subscription.code | (isPending ? 0x10 : 0) | (isApproved ? 0x20 : 0))
    output.write(UInt64(groups.count))
    for group in groups { output.write(group) }
  }

  package init(from input: inout CanonicalInput) throws(CodecError) {
    let jid = try input.read(BareJID.self)
    let name = try input.readOptionalText()
    let flags = try input.readTag()
    guard flags < 0x40, let subscription = RosterSubscription(code: flags & 0x0F) else {
      throw input.invalid
    }
    var groups: [String] = []
    let count = try input.readCount()
    groups.reserveCapacity(count)
    for _ in 0..<count { groups.append(try input.readText()) }
    // An item keeps no empty name and sorts its groups: anything else was not written by it.
    guard name?.isEmpty != true, groups.isSortedSet else { throw input.invalid }
    self.init(
      checked: jid, name: name, subscription: subscription, isPending: flags & 0x10 != 0,
      isApproved: flags & 0x20 != 0, groups: groups)
  }
}
