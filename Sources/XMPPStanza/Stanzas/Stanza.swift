/// A stanza of RFC 6120 §8, its addresses prepared and its type known.
package enum Stanza: Hashable, Sendable {
  case iq(IQ)
  case presence(Presence)
  case message(Message)
}

/// What the three kinds of stanza have in common (RFC 6120 §8.1).
package struct StanzaHead: Hashable, Sendable {
  package var id: String?
  package var from: JID?
  package var to: JID?
}

/// A request or its answer (RFC 6120 §8.2.3).
package struct IQ: Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable {
    case get, set, result, error
  }

  package var head: StanzaHead
  package var kind: Kind
  /// The whole stanza; only its direct children count.
  package var node: XMLNode
}

/// Availability, a subscription request or its answer (RFC 6121 §3 and §4).
package struct Presence: Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// No `type` attribute.
    case available = ""
    case unavailable, subscribe, subscribed, unsubscribe, unsubscribed, probe, error
  }

  package var head: StanzaHead
  package var kind: Kind
  package var node: XMLNode
}

/// A message; to the roster only events that a contact publishes matter.
package struct Message: Hashable, Sendable {
  package var head: StanzaHead
  package var node: XMLNode
}

/// Why an element that is named like a stanza cannot be read as one.
package enum StanzaError: Error, Hashable, Sendable {
  /// An address of the stanza itself cannot be prepared.
  case address(attribute: String, text: String, reason: JIDError)
  /// The `type` is none of those that RFC 6120 and RFC 6121 define; case counts.
  case unknownType(element: String, type: String?)
}

extension StanzaError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .address(let attribute, let text, let reason):
      "its '\(attribute)' address “\(text)” cannot be prepared: \(reason)"
    case .unknownType(let element, let type?): "“\(type)” is no type of <\(element)/>"
    case .unknownType(let element, nil): "the <\(element)/> has no type"
    }
  }
}

extension Stanza {
  /// Which stanza an element is, and of which type.
  package enum Kind: Hashable, Sendable {
    case iq(IQ.Kind)
    case presence(Presence.Kind)
    case message

    /// Nil for an element that is no stanza, such as a stream feature.
    package init?(_ node: XMLNode) throws(StanzaError) {
      guard node.name.namespace == Namespace.client else { return nil }
      switch node.name.local {
      case "iq":
        let type = node.attribute("type")
        guard let kind = type.flatMap(IQ.Kind.init) else {
          throw .unknownType(element: "iq", type: type)
        }
        self = .iq(kind)
      case "presence":
        let type = node.attribute("type")
        guard let kind = Presence.Kind(rawValue: type ?? ""), type != "" else {
          throw .unknownType(element: "presence", type: type)
        }
        self = .presence(kind)
      case "message": self = .message
      default: return nil
      }
    }
  }

  /// Reads an element as a stanza; nil where it is none, such as a stream feature.
  package init?(_ node: XMLNode) throws(StanzaError) {
    guard let kind = try Kind(node) else { return nil }
    var addresses = AddressMemo(bits: 0)
    let head = try StanzaHead(node, &addresses)
    switch kind {
    case .iq(let kind): self = .iq(IQ(head: head, kind: kind, node: node))
    case .presence(let kind): self = .presence(Presence(head: head, kind: kind, node: node))
    case .message: self = .message(Message(head: head, node: node))
    }
  }
}

extension StanzaHead {
  /// Reads what an element has of it.
  ///
  /// - Parameter addresses: What those who read many stanzas keep from one to the next.
  package init(_ node: XMLNode, _ addresses: inout AddressMemo) throws(StanzaError) {
    self.init(
      id: node.attribute("id"), from: try Self.address("from", of: node, &addresses),
      to: try Self.address("to", of: node, &addresses))
  }

  private static func address(
    _ name: StaticString, of node: XMLNode, _ addresses: inout AddressMemo
  ) throws(StanzaError) -> JID? {
    do {
      return try addresses.jid(name, of: node)
    } catch {
      throw .address(attribute: "\(name)", text: node.attribute(name) ?? "", reason: error)
    }
  }
}
