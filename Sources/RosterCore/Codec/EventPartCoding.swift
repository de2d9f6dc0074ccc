import RawBytes
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

/// What an answer holds.
enum AnswerTag: UInt8 {
  case nothing = 0
  case other = 1
  case roster = 2
  case blockList = 3
  case vCard = 4
  case nickname = 5
  case error = 6

  init(from input: inout CanonicalInput) throws(CodecError) {
    guard let tag = Self(rawValue: try input.readTag()) else { throw input.invalid }
    self = tag
  }
}

extension Answer {
  func encode(to output: inout CanonicalOutput) {
    output.write(id)
    output.write(from)
    switch payload {
    case .nothing: output.write(AnswerTag.nothing)
    case .other: output.write(AnswerTag.other)
    case .roster(let query):
      output.write(AnswerTag.roster)
      query.encode(to: &output)
    case .blockList(let jids):
      output.write(AnswerTag.blockList)
      output.write(jids)
    case .vCard(let names):
      output.write(AnswerTag.vCard)
      output.write(names)
    case .nickname(let name):
      output.write(AnswerTag.nickname)
      output.write(name)
    case .error(let condition):
      output.write(AnswerTag.error)
      output.write(condition)
    }
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
    self = try StoredSubscription(from: &input).value
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
    self.init(try StoredAvailability(from: &input))
  }
}

extension Show {
  /// The one of a name by its bytes. No text is made to compare them: most events have one.
  init?(name: RawSpan) {
    let show: Show
    switch name.byteCount {
    case 2: show = .xa
    case 3: show = .dnd
    case 4: show = name[0] == UInt8(ascii: "c") ? .chat : .away
    default: show = .available
    }
    guard show.rawValue.hasBytes(name) else { return nil }
    self = show
  }
}

extension CanonicalInput {
  mutating func readShow() throws(CodecError) -> Show {
    guard let show = Show(name: try readCounted()) else { throw invalid }
    return show
  }
}

extension RosterQuery {
  func encode(to output: inout CanonicalOutput) {
    output.write(version)
    output.write(UInt64(items.count))
    for item in items { item.encode(to: &output) }
    output.write(malformed)
  }
}

/// What an item of a query asks for.
enum ItemTag: UInt8 {
  case set = 0
  case remove = 1

  init(from input: inout CanonicalInput) throws(CodecError) {
    guard let tag = Self(rawValue: try input.readTag()) else { throw input.invalid }
    self = tag
  }
}

extension CanonicalOutput {
  mutating func write(_ tag: AnswerTag) { write(tag: tag.rawValue) }
  fileprivate mutating func write(_ tag: ItemTag) { write(tag: tag.rawValue) }
}

extension RosterQuery.Item {
  fileprivate func encode(to output: inout CanonicalOutput) {
    switch change {
    case .set(let item):
      output.write(ItemTag.set)
      output.write(item)
    case .remove(let jid):
      output.write(ItemTag.remove)
      output.write(jid)
    }
    output.write(unknownSubscription)
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
    output.write(subscription, isPending: isPending, isApproved: isApproved)
    output.write(UInt64(groups.count))
    for group in groups { output.write(group) }
  }

  package init(from input: inout CanonicalInput) throws(CodecError) {
    let jid = try input.read(BareJID.self)
    self = try StoredFields(from: &input).item(of: jid)
  }
}

extension CanonicalOutput {
  fileprivate mutating func write(
    _ subscription: RosterSubscription, isPending: Bool, isApproved: Bool
  ) {
    write(tag: subscription.code | (isPending ? 0x10 : 0) | (isApproved ? 0x20 : 0))
  }

  /// What an item of a query says of a contact, and no unknown subscription, as its value is
  /// encoded.
  mutating func write(_ content: RosterItemContent, of address: PreparedAddress) {
    if let subscription = content.subscription {
      write(ItemTag.set)
      write(counted: address.bare)
      content.withName { write(optional: $0) }
      write(subscription, isPending: content.isPending, isApproved: content.isApproved)
      writeGroups(of: content)
    } else {
      write(ItemTag.remove)
      write(counted: address.bare)
    }
    write(false)
  }

  /// In the order of their bytes, each once.
  private mutating func writeGroups(of content: RosterItemContent) {
    var count = 0
    content.forEachGroup { _ in count += 1 }
    guard count > 1 else {
      write(UInt64(count))
      return content.forEachGroup { write(counted: $0) }
    }
    var groups: [String] = []
    content.forEachGroup { groups.append(String(decoding: $0)) }
    groups = groups.sortedSet
    write(UInt64(groups.count))
    for group in groups { write(group) }
  }
}
