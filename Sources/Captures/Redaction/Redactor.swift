import RawBytes
package import XMPPStanza

/// The position of a name among others.
package struct FiledName: Sendable {
  /// The letter under which it is filed, A to Z or `#`.
  package let letter: Character
  /// Bytes whose order is the order of names.
  package let order: [UInt8]

  package init(letter: Character, order: [UInt8]) {
    self.letter = letter
    self.order = order
  }
}

/// Replaces what identifies people in an element, and what they wrote, with stand-ins.
///
/// Equal originals get equal stand-ins, and different ones get different ones, byte for byte;
/// addresses are equal if they are prepared to the same address. Names and groups keep their letter
/// and their order. What the protocol defines is kept (`ProtocolVocabulary`). Everything else is
/// replaced, even the names of elements, attributes and namespaces, so that unforeseen content is
/// hidden rather than published. The redacted capture gives the same history and the same findings,
/// about other people.
package struct Redactor {
  private let addresses: [BareJID: String]
  private var resources: StandIns
  private var names: StandIns
  private var groups: StandIns
  private var texts = StandIns { "text\($0)" }
  private var media = StandIns { "media\($0)" }
  private let signature: ([UInt8]) -> [UInt8]
  private var values = StandIns { "value\($0)" }
  private var languages = StandIns { "x-lang\($0)" }
  private var malformed = StandIns { "@\($0)" }
  private var bookmarks = StandIns { "bookmark\($0)" }
  private var elementNames = StandIns { "element\($0)" }
  private var attributeNames = StandIns { "attribute\($0)" }
  private var namespaces = StandIns { "urn:rollcall:redacted:namespace\($0)" }

  /// - Parameters:
  ///   - file: Returns the position of a name among others.
  ///   - signature: Returns the bytes with which the stand-in of a picture or a recording begins,
  ///     so that it is recognized as one if the original is.
  package init(
    _ plan: RedactionPlan, file: (String) -> FiledName,
    signature: @escaping ([UInt8]) -> [UInt8]
  ) {
    self.signature = signature
    addresses = Self.addresses(plan, file)
    let resources = plan.resources.sorted { $0.lexicographicallyPrecedes($1) }
    self.resources = StandIns(resources) { "resource\($1)" }
    names = Self.filed(plan.names, as: "name", file)
    groups = Self.filed(plan.groups, as: "group", file)
  }

  /// Returns the stand-ins of accounts and servers, in one order because a contact may be either.
  ///
  /// Each keeps its letter, because a contact without a name is filed under its address.
  private static func addresses(
    _ plan: RedactionPlan, _ file: (String) -> FiledName
  ) -> [BareJID: String] {
    let sorted = plan.bare.sorted()
    let made = zip(sorted, StandIns.numbers(sorted.count)).map { jid, number in
      let text = number + (jid.local == nil ? ".server.example" : ".user")
      return (jid, filed(under: file(jid.local ?? jid.domain).letter, text).lowercased())
    }
    return Dictionary(uniqueKeysWithValues: made)
  }

  private static func filed(
    _ originals: Set<[UInt8]>, as word: String, _ file: (String) -> FiledName
  ) -> StandIns {
    let filed = originals.map { ($0, file(String(decoding: $0, as: UTF8.self))) }
    let letters = Dictionary(uniqueKeysWithValues: filed.map { ($0, $1.letter) })
    let sorted = filed.sorted { one, other in
      one.1.order == other.1.order
        ? one.0.lexicographicallyPrecedes(other.0)
        : one.1.order.lexicographicallyPrecedes(other.1.order)
    }
    return StandIns(sorted.map(\.0)) { original, number in
      Self.filed(under: letters[Array(original.utf8)] ?? "#", word + number)
    }
  }

  /// Returns a stand-in that begins with the letter, or with a digit if it is filed under `#`.
  private static func filed(under letter: Character, _ text: String) -> String {
    letter == "#" ? "0-\(text)" : "\(letter)-\(text)"
  }

  // MARK: Elements

  /// Returns the element with stand-ins.
  package mutating func redacted(_ node: XMPPElement) -> XMPPElement { redacted(node, in: nil) }

  private mutating func redacted(_ node: XMPPElement, in parent: XMPPElement?) -> XMPPElement {
    let attributes = node.attributes.map { attribute in
      let value = standIn(for: RedactedPart(attribute, of: node))
      return XMLAttribute(redacted(attributeName: attribute.name), value)
    }
    // All text of an element is one text, even if children separate its parts.
    var text: String? = standIn(for: RedactedPart(textOf: node, in: parent))
    let content = node.content.compactMap { item -> XMPPElement.Content? in
      switch item {
      case .element(let child): return .element(redacted(child, in: node))
      case .text:
        defer { text = nil }
        return text.map { .text($0) }
      }
    }
    let name = XMLName(
      ProtocolVocabulary.isName(node.name.local) ? node.name.local : elementNames[node.name.local],
      in: redacted(namespace: node.name.namespace))
    return XMPPElement(name, attributes: attributes, content: content)
  }

  private mutating func redacted(attributeName name: XMLName) -> XMLName {
    XMLName(
      ProtocolVocabulary.isName(name.local) ? name.local : attributeNames[name.local],
      in: redacted(namespace: name.namespace))
  }

  private mutating func redacted(namespace: String) -> String {
    ProtocolVocabulary.isNamespace(namespace) ? namespace : namespaces[namespace]
  }

  private mutating func standIn(for part: RedactedPart) -> String {
    switch part {
    case .kept(let text): text
    case .address(let jid): redacted(jid).description
    case .malformedAddress(let text): malformed[text]
    case .name(let name): names[name]
    case .group(let group): groups[group]
    case .resource(let resource): resources[resource]
    case .language(let language): languages[language]
    case .value(let value): values[value]
    case .text(let text): texts[text]
    case .media(let text): standIn(forMedia: text)
    case .unreadableMedia(let text): "!" + texts[text]
    }
  }

  private mutating func standIn(forMedia text: String) -> String {
    let bytes = text.withUTF8Bytes { Base64.decode($0) } ?? []
    return Base64.encode(signature(bytes) + Array(media[text].utf8))
  }

  /// Returns the address with stand-ins.
  package mutating func redacted(_ jid: JID) -> JID {
    let domain = addresses[BareJID(prepared: jid.bare.domain)] ?? "server.example"
    let bare =
      jid.bare.local == nil
      ? domain : "\(addresses[jid.bare] ?? "user")@\(domain)"
    return JID(prepared: BareJID(prepared: bare), resource: jid.resource.map { resources[$0] })
  }

  /// Returns the annotation with stand-ins.
  ///
  /// A reading is treated as a name, because it decides where a name is filed.
  package mutating func redacted(_ line: AnnotationLine) -> AnnotationLine {
    switch line {
    case .bookmark(let name, let back): .bookmark(name: bookmarks[name], back: back)
    case .starred(let jid, let isStarred): .starred(redacted(jid), isStarred)
    // A blank text removes an earlier one.
    case .reading(let jid, let text):
      .reading(redacted(jid), text.map { $0.isBlank ? $0 : names[$0] })
    case .note(let jid, let text):
      .note(redacted(jid), text.map { $0.isBlank ? $0 : texts[$0] })
    case .requestsSeen(let jids): .requestsSeen(jids.map { redacted($0) })
    }
  }

  private mutating func redacted(_ jid: BareJID) -> BareJID {
    redacted(JID(prepared: jid, resource: nil)).bare
  }
}

extension String {
  /// Whether it has nothing visible.
  fileprivate var isBlank: Bool { allSatisfy(\.isWhitespace) }
}
