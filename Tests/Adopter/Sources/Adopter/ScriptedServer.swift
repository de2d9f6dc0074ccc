import Foundation

/// A server for one account with scripted data. It answers the client element by element, and
/// delivers its answers in small pieces.
final class ScriptedServer {
  /// The items of the roster: attributes other than the address, and groups.
  private var items: [String: (attributes: String, groups: String)] = [
    "anna@example.test": ("name='Anna' subscription='both'", ""),
    "zeng@example.test": ("name='曾国藩' subscription='both'", "<group>Work</group>"),
    "li@example.test": ("name='李雷' subscription='both'", "<group>Work</group>"),
  ]
  private var pushes = 0
  private var headers = 0
  /// The texts from the client that await an answer.
  private var inbox: [String] = []
  /// The number of acknowledged pushes.
  private(set) var acknowledged = 0

  func take(_ bytes: [UInt8]) { inbox.append(String(decoding: bytes, as: UTF8.self)) }

  /// The server's answers to everything that was written, in pieces.
  func answers() -> [[UInt8]] {
    let text = inbox.map(answer).joined()
    inbox = []
    let bytes = Array(text.utf8)
    return stride(from: 0, to: bytes.count, by: 37).map {
      Array(bytes[$0..<min($0 + 37, bytes.count)])
    }
  }

  /// A stanza from another user.
  func says(_ xml: String) -> [[UInt8]] { [Array(xml.utf8)] }

  private func answer(_ xml: String) -> String {
    if xml.hasPrefix("<stream:stream") {
      headers += 1
      let features =
        headers == 1
        ? "<mechanisms xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/>"
        : "<bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/>"
      return "<?xml version='1.0'?><stream:stream xmlns='jabber:client' "
        + "xmlns:stream='http://etherx.jabber.org/streams' from='example.test' id='s\(headers)' "
        + "version='1.0'><stream:features>\(features)</stream:features>"
    }
    if xml.hasPrefix("<auth") { return "<success xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/>" }
    if xml.hasPrefix("<presence") { return presence(xml) }
    guard xml.hasPrefix("<iq"), let id = value("id", of: xml) else { return "" }
    if xml.contains("type='result'") || xml.contains("type=\"result\"") {
      acknowledged += 1
      return ""
    }
    if xml.contains("xmpp-bind") {
      return "<iq type='result' id='\(id)'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'>"
        + "<jid>me@example.test/\(between("<resource>", "</resource>", xml) ?? "x")</jid></bind></iq>"
    }
    guard xml.contains("jabber:iq:roster") else { return "" }
    return value("type", of: xml) == "get" ? roster(id) : edit(xml, id)
  }

  private func roster(_ id: String) -> String {
    let all = items.keys.sorted().map(item).joined()
    return
      "<iq type='result' id='\(id)'><query xmlns='jabber:iq:roster' ver='1'>\(all)</query></iq>"
  }

  private func item(_ jid: String) -> String {
    guard let known = items[jid] else { return "<item jid='\(jid)' subscription='remove'/>" }
    return "<item jid='\(jid)' \(known.attributes)>\(known.groups)</item>"
  }

  private func push(_ jid: String) -> String {
    pushes += 1
    return
      "<iq type='set' id='push\(pushes)'><query xmlns='jabber:iq:roster'>\(item(jid))</query></iq>"
  }

  private func edit(_ xml: String, _ id: String) -> String {
    guard let tag = between("<item ", ">", xml), let jid = value("jid", of: tag) else { return "" }
    let name = value("name", of: tag)
    if name == "forbidden" {
      return "<iq type='error' id='\(id)'><error type='cancel'>"
        + "<not-allowed xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></iq>"
    }
    if tag.contains("remove") {
      items[jid] = nil
    } else {
      let before = items[jid].flatMap { value("subscription", of: $0.attributes) } ?? "none"
      let named = name.map { "name='\($0)' " } ?? ""
      let groups = between(tag + ">", "</item>", xml) ?? ""
      items[jid] = ("\(named)subscription='\(before)'", groups)
    }
    return push(jid) + "<iq type='result' id='\(id)'/>"
  }

  private func presence(_ xml: String) -> String {
    guard let jid = value("to", of: xml), let type = value("type", of: xml) else { return "" }
    let known = items[jid]?.attributes ?? "subscription='none'"
    let name = value("name", of: known).map { "name='\($0)' " } ?? ""
    func become(_ subscription: String) -> String {
      items[jid] = ("\(name)\(subscription)", items[jid]?.groups ?? "")
      return push(jid)
    }
    let seesUs = known.contains("'from'") || known.contains("'both'")
    switch type {
    case "subscribe":
      // Every contact accepts at once.
      return become("subscription='\(seesUs ? "from" : "none")' ask='subscribe'")
        + "<presence type='subscribed' from='\(jid)'/>"
        + become("subscription='\(seesUs ? "both" : "to")'")
    case "subscribed":
      return become("subscription='\(known.contains("'to'") ? "both" : "from")'")
    default: return ""
    }
  }

  private func value(_ name: String, of xml: String) -> String? {
    between(" \(name)='", "'", " " + xml) ?? between(" \(name)=\"", "\"", " " + xml)
  }

  private func between(_ start: String, _ end: String, _ text: String) -> String? {
    guard let from = text.range(of: start)?.upperBound,
      let to = text[from...].range(of: end)?.lowerBound
    else { return nil }
    return String(text[from..<to])
  }
}
