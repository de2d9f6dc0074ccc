import RawBytes

/// The kind and type of a stanza (RFC 6120 §8).
package enum StanzaKind: Hashable, Sendable {
  case iq(IQ.Kind)
  case presence(PresenceKind)
  case message
}

/// The `type` of a presence: availability, a subscription request or its answer (RFC 6121 §3 and
/// §4).
package enum PresenceKind: String, Hashable, Sendable, CaseIterable {
  /// No `type` attribute.
  case available = ""
  case unavailable, subscribe, subscribed, unsubscribe, unsubscribed, probe, error
}

/// A request or its answer (RFC 6120 §8.2.3).
package struct IQ: Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    case get, set, result, error
  }

  package var id: String?
  package var from: JID?
  package var to: JID?
  package var kind: Kind
  /// The whole stanza; only its direct children count.
  package var node: XMPPElement
}

/// The reason why an element named like a stanza cannot be read as one.
package enum StanzaFault: Error, Hashable, Sendable {
  /// An address of the stanza itself cannot be prepared.
  case address(attribute: String, text: String, reason: JIDError)
  /// The `type` is not defined by RFC 6120 or RFC 6121; case matters.
  case unknownType(element: String, type: String?)
}

extension StanzaFault: CustomStringConvertible {
  package var description: String {
    switch self {
    case .address(let attribute, let text, let reason):
      "its '\(attribute)' address “\(text)” cannot be prepared: \(reason)"
    case .unknownType(let element, let type?): "“\(type)” is no type of <\(element)/>"
    case .unknownType(let element, nil): "the <\(element)/> has no type"
    }
  }
}

extension StanzaKind {
  private static let iqTypes = Words(IQ.Kind.self)
  private static let presenceTypes = Words(PresenceKind.self)

  /// Reads the kind of an element; nil if it is not a stanza, such as a stream feature.
  package init?(_ node: borrowing XMPPElement) throws(StanzaFault) {
    let name = node.word
    if name == "message", node.isInClient {
      self = .message
    } else if name == "presence", node.isInClient {
      let type = node.word("type")
      guard let kind = Self.presenceTypes[type ?? XMLPackedName()], type != XMLPackedName()
      else {
        throw .unknownType(element: "presence", type: node.attribute("type"))
      }
      self = .presence(kind)
    } else if name == "iq", node.isInClient {
      guard let kind = node.word("type").flatMap({ Self.iqTypes[$0] }) else {
        throw .unknownType(element: "iq", type: node.attribute("type"))
      }
      self = .iq(kind)
    } else {
      return nil
    }
  }
}

extension IQ {
  /// Reads an element; nil if it is no IQ, or none that can be read.
  package init?(_ node: XMPPElement) {
    guard case .iq(let kind)? = try? StanzaKind(node) else { return nil }
    self.init(id: node.attribute("id"), kind: kind, node: node)
    do {
      try node.withStanzaAddress("from") { from = $0?.jid }
      try node.withStanzaAddress("to") { to = $0?.jid }
    } catch {
      return nil
    }
  }
}

extension XMPPElement {
  /// Whether this is a stanza (RFC 6120 §8).
  package var isStanza: Bool {
    let name = word
    return (name == "message" || name == "presence" || name == "iq") && isInClient
  }

  /// Calls `body` with the address in an attribute of a stanza, as `withAddress` does.
  ///
  /// - Throws: `StanzaFault.address` if it cannot be prepared.
  package func withStanzaAddress(
    _ attribute: WantedName, _ body: (PreparedAddress?) -> Void
  ) throws(StanzaFault) {
    do {
      try withAddress(attribute, body)
    } catch {
      let text = attributePart(attribute).map { tree.string(of: $0) }
      throw .address(attribute: attribute.description, text: text ?? "", reason: error)
    }
  }
}

/// The words for the cases of an enumeration.
struct Words<Value: Sendable>: Sendable {
  private let all: [(word: XMLPackedName, value: Value)]

  init(_ values: Value.Type) where Value: CaseIterable & RawRepresentable<String> {
    all = values.allCases.map { value in
      (value.rawValue.withUTF8Bytes { XMLPackedName($0) }, value)
    }
  }

  subscript(word: XMLPackedName) -> Value? {
    // Iterating over the array itself would retain it.
    for index in all.indices where all[index].word == word { return all[index].value }
    return nil
  }
}
