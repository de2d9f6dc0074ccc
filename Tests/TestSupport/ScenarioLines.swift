import RosterCore
package import XMPPStanza

// The lines that most dialogues share, for the account alice@example.test/phone.
extension Scenario {
  package static let account = "alice@example.test"

  /// A scenario in which Alice has bound a session and fetched this roster.
  package static func alice(_ items: String = "", version: String? = nil) -> Scenario {
    var scenario = Scenario()
    scenario.opened("\(account)/phone")
    scenario.fetches(items, version: version)
    return scenario
  }

  /// A roster get and its result.
  @discardableResult
  package mutating func fetches(
    _ items: String = "", id: String = "fetch", version: String? = nil
  ) -> Outcome {
    gets(id: id)
    return receivesResult(items, id: id, version: version)
  }

  /// A roster get with a version.
  @discardableResult
  package mutating func gets(id: String = "fetch", version: String? = nil) -> Outcome {
    sent("<iq id='\(id)' type='get'><query xmlns='jabber:iq:roster'\(ver(version))/></iq>")
  }

  @discardableResult
  package mutating func receivesResult(
    _ items: String = "", id: String = "fetch", version: String? = nil, from: String? = nil
  ) -> Outcome {
    received(
      "<iq id='\(id)' type='result'\(attribute("from", from))>"
        + "<query xmlns='jabber:iq:roster'\(ver(version))>\(items)</query></iq>")
  }

  /// A roster push without an acknowledgement.
  @discardableResult
  package mutating func pushed(
    _ items: String, id: String = "push", version: String? = nil, from: String? = nil
  ) -> Outcome {
    received(
      "<iq id='\(id)' type='set'\(attribute("from", from))>"
        + "<query xmlns='jabber:iq:roster'\(ver(version))>\(items)</query></iq>")
  }

  /// A roster set by the client.
  @discardableResult
  package mutating func sets(_ items: String, id: String = "set", at time: Int64? = nil) -> Outcome
  {
    sent(
      "<iq id='\(id)' type='set'><query xmlns='jabber:iq:roster'>\(items)</query></iq>", at: time)
  }

  /// An empty result from the server.
  @discardableResult
  package mutating func receivesEmptyResult(id: String, at time: Int64? = nil) -> Outcome {
    received("<iq id='\(id)' type='result'/>", at: time)
  }

  /// A stream error (RFC 6120 §4.9).
  @discardableResult
  package mutating func failed(
    _ direction: Direction, _ condition: String, _ text: String? = nil, at time: Int64? = nil
  ) -> Outcome {
    let namespace = "xmlns='urn:ietf:params:xml:ns:xmpp-streams'"
    let words = text.map { "<text \(namespace)>\($0)</text>" } ?? ""
    let error = "<stream:error><\(condition) \(namespace)/>\(words)</stream:error>"
    return direction == .inbound ? received(error, at: time) : sent(error, at: time)
  }

  /// A presence stanza from another address: a type, or nil for available presence.
  @discardableResult
  package mutating func receives(
    _ type: String? = nil, from: String, _ content: String = "", at time: Int64? = nil
  ) -> Outcome {
    received("<presence from='\(from)'\(attribute("type", type))>\(content)</presence>", at: time)
  }

  /// A presence stanza from the client.
  @discardableResult
  package mutating func sends(
    _ type: String? = nil, to: String? = nil, at time: Int64? = nil
  ) -> Outcome {
    sent("<presence\(attribute("type", type))\(attribute("to", to))/>", at: time)
  }

  private func ver(_ version: String?) -> String { attribute("ver", version) }

  private func attribute(_ name: String, _ value: String?) -> String {
    value.map { " \(name)='\($0)'" } ?? ""
  }

  // MARK: Displayed state

  package func item(_ jid: String) -> RosterItem? { roster.item(bare(jid)) }

  package func subscription(_ jid: String) -> RosterSubscription? { item(jid)?.subscription }

  /// The addresses of the items, sorted.
  package var contacts: [String] { roster.sortedItems.map(\.jid.text) }

  package var incoming: [String] { roster.incoming.keys.map(\.text).sorted() }

  package var unconfirmed: [String] { roster.unconfirmed.keys.map(\.text).sorted() }

  package var outgoing: [String] { roster.outgoing.keys.map(\.text).sorted() }

  /// The contact's available resources, sorted.
  package func online(_ jid: String) -> [String] {
    roster.presence(of: bare(jid)).resources.keys.sorted()
  }
}

/// The error of a stanza as XML (RFC 6120 §8.3).
package func stanzaError(_ condition: String, _ text: String? = nil) -> String {
  let namespace = "xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'"
  let words = text.map { "<text \(namespace)>\($0)</text>" } ?? ""
  return "<error type='cancel'><\(condition) \(namespace)/>\(words)</error>"
}

/// An item as XML.
package func item(_ jid: String, _ attributes: String = "", groups: [String] = []) -> String {
  let children = groups.map { "<group>\($0)</group>" }.joined()
  return "<item jid='\(jid)' \(attributes)>\(children)</item>"
}
