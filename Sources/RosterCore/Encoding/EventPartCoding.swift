import RawBytes
import XMPPStanza

extension Query: CanonicalCodable {
  package func encode(to output: inout CanonicalOutput) {
    output.write(id)
    output.write(to)
    switch subject {
    case .roster(let version):
      output.write(QueryTag.roster)
      output.write(version)
    case .blockList: output.write(QueryTag.blockList)
    case .vCard: output.write(QueryTag.vCard)
    case .nickname: output.write(QueryTag.nickname)
    }
  }

  package init(from input: inout CanonicalInput) throws(CodecError) {
    let head = try StoredHead(from: &input)
    let (id, to) = (String?(decoding: head.id), head.peer?.jid)
    switch QueryTag(rawValue: try input.readTag()) {
    case .roster:
      self.init(id: id, to: to, subject: .roster(version: try input.readOptionalText()))
    case .blockList: self.init(id: id, to: to, subject: .blockList)
    case .vCard: self.init(id: id, to: to, subject: .vCard)
    case .nickname: self.init(id: id, to: to, subject: .nickname)
    case nil: throw input.invalid
    }
  }
}

/// What a query asks for.
enum QueryTag: UInt8 {
  case roster = 0
  case blockList = 1
  case vCard = 2
  case nickname = 3
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

extension VCardNames: CanonicalCodable {
  package func encode(to output: inout CanonicalOutput) {
    output.write(nickname)
    output.write(fullName)
  }

  package init(from input: inout CanonicalInput) throws(CodecError) {
    self.init(nickname: try input.readOptionalText(), fullName: try input.readOptionalText())
  }
}

extension ErrorReport: CanonicalCodable {
  package func encode(to output: inout CanonicalOutput) {
    output.write(condition)
    output.write(text)
  }

  package init(from input: inout CanonicalInput) throws(CodecError) {
    self.init(condition: try input.readOptionalText(), text: try input.readOptionalText())
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
  /// The name in the text of an element's child, none if there is no such child or no such element.
  mutating func write(
    nameIn child: WantedName, _ namespace: String, of element: XMPPElement?
  ) {
    guard let element else { return write(false) }
    element.withFilledText(ofChild: child, in: namespace, isTrimmed: true) {
      write(optional: $0)
    }
  }

  /// The names in a vCard (XEP-0292 and RFC 6351): the texts of `nickname` and `fn`.
  mutating func write(namesInVCard4 card: XMPPElement) {
    for property: WantedName in ["nickname", "fn"] {
      write(nameIn: "text", Namespace.vCard4, of: card.child(property, in: Namespace.vCard4))
    }
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
  mutating func write(_ tag: QueryTag) { write(tag: tag.rawValue) }
  mutating func write(_ tag: AnswerTag) { write(tag: tag.rawValue) }
  mutating func write(_ tag: ItemTag) { write(tag: tag.rawValue) }
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

  /// What an item of a query says of a contact.
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
    write(content.unknownSubscription)
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
