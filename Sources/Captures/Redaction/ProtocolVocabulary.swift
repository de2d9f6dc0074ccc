import XMPPStanza

/// The words of the protocol: what a redacted capture may say as the original does, because
/// specifications define it and it tells nothing of those who used it.
package enum ProtocolVocabulary {
  /// Everything that is kept as it is.
  package static var all: [String] {
    [names, namespaces] + values.values.flatMap { $0 } + shows
  }

  private static let nameSet = set(names)
  private static let namespaceSet = set(namespaces)

  private static func set(_ list: String) -> Set<[UInt8]> {
    Set(list.utf8.split(whereSeparator: \.isXMLSpace).map { Array($0) })
  }

  /// Whether specifications call an element or an attribute so.
  static func isName(_ local: String) -> Bool { nameSet.contains(Array(local.utf8)) }

  /// Whether it is a namespace of a specification, in whatever version; or none.
  static func isNamespace(_ namespace: String) -> Bool {
    let bytes = Array(namespace.utf8)
    if bytes.isEmpty || namespaceSet.contains(bytes) { return true }
    guard let colon = bytes.lastIndex(of: UInt8(ascii: ":")) else { return false }
    // A longer number is somebody's.
    return (1...2).contains(bytes.count - colon - 1)
      && bytes[(colon + 1)...].allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      && namespaceSet.contains(Array(bytes[..<colon]))
  }

  // MARK: Values

  /// Values that specifications define, by attribute.
  private static let values: [String: Set<String>] = [
    "type": [
      "get", "set", "result", "error", "unavailable", "subscribe", "subscribed", "unsubscribe",
      "unsubscribed", "probe", "chat", "groupchat", "headline", "normal", "cancel", "auth",
      "modify", "wait", "continue", "form", "submit", "hidden",
    ],
    "subscription": ["none", "to", "from", "both", "remove"],
    "ask": ["subscribe"],
    "version": ["1.0"],
    "mechanism": mechanisms,
    "kind": [
      "sasl", "password", "token", "form", "registration", "handshake", "authorization",
      "dialback", "key",
    ],
    "space": ["default", "preserve"],
  ]

  /// Names of SASL's mechanisms.
  private static let mechanisms: Set<String> = [
    "PLAIN", "SCRAM-SHA-1", "SCRAM-SHA-1-PLUS", "SCRAM-SHA-256", "SCRAM-SHA-256-PLUS",
    "SCRAM-SHA-512", "SCRAM-SHA-512-PLUS", "EXTERNAL", "DIGEST-MD5", "ANONYMOUS",
    "HT-SHA-256-NONE", "HT-SHA-256-ENDP", "HT-SHA-256-EXPR", "HT-SHA-256-UNIQ",
  ]

  /// Attributes that are booleans of XML Schema, whose white space collapses.
  private static let booleans: Set<String> = ["approved", "resume"]

  /// What may stay of an attribute's value: all of it, or what it means; nil where it is not the
  /// protocol's.
  static func value(_ attribute: XMLAttribute) -> String? {
    let value = attribute.value
    if values[attribute.name.local]?.contains(value) == true || isNode(value) { return value }
    guard attribute.name.namespace.isEmpty else { return nil }
    switch attribute.name.local {
    // Times tell no more than the records' own.
    case "stamp": return isTime(value) ? value : nil
    case let name where booleans.contains(name):
      let word = value.trimmedOfXMLSpace
      return ["true", "false", "1", "0"].contains(word) ? word : nil
    default: return nil
    }
  }

  /// A namespace, which nodes (XEP-0060, XEP-0163) and features (XEP-0030) are called by.
  private static func isNode(_ value: String) -> Bool {
    let notify = "+notify"
    return !value.isEmpty
      && isNamespace(value.hasSuffix(notify) ? String(value.dropLast(notify.count)) : value)
  }

  /// A time of XEP-0082, or of XEP-0091 before it.
  private static func isTime(_ value: String) -> Bool {
    if Timestamp.parse(value) != nil { return true }
    let bytes = Array(value.utf8)
    let pattern = Array("00000000T00:00:00".utf8)
    return bytes.count == pattern.count
      && zip(bytes, pattern).allSatisfy { byte, shape in
        shape == UInt8(ascii: "0")
          ? (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) : byte == shape
      }
  }

  // MARK: Texts

  private static let shows = ["chat", "away", "xa", "dnd"]

  /// What may stay of the text of an element; nil where it is not the protocol's.
  static func text(_ text: String, of node: XMPPElement) -> String? {
    let word = text.trimmedOfXMLSpace
    let isKept =
      switch (node.name.namespace, node.name.local) {
      case (Namespace.client, "show"): shows.contains(word)
      case (Namespace.client, "priority"): Int8(word) != nil
      case (Namespace.sasl, "mechanism"), (Namespace.sasl2, "mechanism"): mechanisms.contains(word)
      default: false
      }
    return isKept ? word : nil
  }

  /// Whether a word is the name of a mechanism of SASL.
  static func isMechanism(_ word: String) -> Bool { mechanisms.contains(word) }

  /// Whether a word is a version of TLS, as `1.3` or `TLSv1.3`.
  static func isVersionOfTLS(_ word: String) -> Bool {
    ["1.0", "1.1", "1.2", "1.3"].contains {
      word == $0 || word == "TLSv" + $0 || word == "TLS " + $0
    }
  }
}
