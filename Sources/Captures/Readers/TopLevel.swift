import XMPPStanza

/// Recognizes the top level of a stream by the first bytes of its parts.
enum TopLevel {
  /// Elements of RFC 6120, XEP-0198, XEP-0352, XEP-0388 and XEP-0114.
  private static let names: Set<[UInt8]> = Set(
    [
      "iq", "message", "presence", "features", "error", "starttls", "proceed", "failure", "auth",
      "challenge", "response", "success", "abort", "authenticate", "continue", "r", "a", "enable",
      "enabled", "resume", "resumed", "failed", "active", "inactive", "handshake",
    ].map { Array($0.utf8) })

  /// Whether the bytes begin with an XML declaration or the start tag of a stream.
  static func isStreamHeader(_ bytes: ArraySlice<UInt8>) -> Bool {
    let text = bytes.withoutLeadingSpace
    return text.starts(with: "<?xml".utf8)
      || (text.first == UInt8(ascii: "<") && name(text).ends(with: Array(":stream".utf8)))
  }

  /// Whether the bytes begin with an element of a kind that occurs at the top level.
  static func isElement(_ bytes: ArraySlice<UInt8>) -> Bool {
    let text = bytes.withoutLeadingSpace
    guard text.first == UInt8(ascii: "<") else { return false }
    return names.contains(Array(localName(text).utf8))
  }

  /// The name, without its prefix, of the element that the bytes begin with; empty if there is
  /// none.
  static func localName(_ bytes: ArraySlice<UInt8>) -> String {
    let text = bytes.withoutLeadingSpace
    guard text.first == UInt8(ascii: "<") else { return "" }
    let name = name(text)
    let local = name.split(separator: UInt8(ascii: ":"), maxSplits: 1).last ?? name
    return String(decoding: local, as: UTF8.self)
  }

  /// The value of an attribute as written in a tag; nil if the tag has no attribute of this name.
  static func attribute(_ name: String, in tag: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    guard let start = tag.position(of: Array(" \(name)=".utf8)) else { return nil }
    let value = tag[start...].dropFirst(name.utf8.count + 2)
    guard let quote = value.first, "'\"".utf8.contains(quote) else { return nil }
    return value.dropFirst().prefix { $0 != quote }
  }

  /// Whether a stream header has an address or an id.
  static func isHeader(_ node: XMPPElement) -> Bool {
    ["to", "from", "id"].contains { node.attribute($0) != nil }
  }

  /// Whether the bytes begin with a stanza.
  static func isStanza(_ bytes: ArraySlice<UInt8>) -> Bool {
    let text = bytes.withoutLeadingSpace
    return ["<iq", "<message", "<presence"].contains { name in
      guard text.starts(with: name.utf8) else { return false }
      guard let next = text.dropFirst(name.utf8.count).first else { return true }
      return next.isXMLSpace || next == UInt8(ascii: ">") || next == UInt8(ascii: "/")
    }
  }

  /// Whether an element occurs only in streams, by its name and namespace.
  static func isStreamOnly(_ node: XMPPElement) -> Bool {
    switch node.name.namespace {
    case Namespace.client: ["iq", "message", "presence"].contains(node.name.local)
    case Namespace.streams, Namespace.sasl, Namespace.sasl2, Namespace.streamManagement,
      Namespace.streamManagement2:
      names.contains(Array(node.name.local.utf8))
    default: false
    }
  }

  /// Whether an element occurs only in streams, or is a BOSH envelope (XEP-0124) or a WebSocket
  /// frame (RFC 7395 §3.3) of a stream.
  static func isOfStream(_ node: XMPPElement) -> Bool {
    switch node.name.namespace {
    case "http://jabber.org/protocol/httpbind": node.name.local == "body"
    case "urn:ietf:params:xml:ns:xmpp-framing": ["open", "close"].contains(node.name.local)
    case "urn:ietf:params:xml:ns:xmpp-tls": names.contains(Array(node.name.local.utf8))
    case "urn:xmpp:csi:0": names.contains(Array(node.name.local.utf8))
    default: isStreamOnly(node)
    }
  }

  private static func name(_ tag: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    tag.dropFirst().prefix(64).prefix {
      !$0.isXMLSpace && $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "/")
    }
  }
}
