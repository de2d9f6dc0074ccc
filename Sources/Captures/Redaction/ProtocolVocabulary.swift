import RawBytes
import XMPPStanza

/// The words of the protocol, which a redacted capture may keep.
///
/// Specifications define them, so they reveal nothing about the people who used them.
package enum ProtocolVocabulary {
  /// All words that are kept as they are.
  package static var all: [String] {
    [names, namespaces] + typeWords + typeWords.map { "XMPPElement" + $0 }
      + values.values.flatMap { $0 } + showValues
  }

  private static let nameSet = set(names).union(
    typeWords.flatMap { [Array($0.utf8), Array("XMPPElement\($0)".utf8)] })
  private static let namespaceSet = set(namespaces)

  private static func set(_ list: String) -> Set<[UInt8]> {
    Set(list.utf8.split(whereSeparator: \.isXMLSpace).map { Array($0) })
  }

  /// Whether a specification defines an element or an attribute of this name.
  static func isName(_ local: String) -> Bool { nameSet.contains(Array(local.utf8)) }

  /// Whether a namespace is empty or that of a specification, in any version.
  static func isNamespace(_ namespace: String) -> Bool {
    let bytes = Array(namespace.utf8)
    if bytes.isEmpty || namespaceSet.contains(bytes) { return true }
    guard let colon = bytes.lastIndex(of: UInt8(ascii: ":")) else { return false }
    // A longer number may identify a person.
    return (1...2).contains(bytes.count - colon - 1)
      && bytes[(colon + 1)...].allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      && namespaceSet.contains(Array(bytes[..<colon]))
  }

  /// The words with which a widespread demo says in the subject what a message is. Elements of
  /// these names have its content.
  private static let typeWords = ["TextMessage", "ImageMessage", "VoiceMessage"]

  /// Whether a word is one of those for a picture or a recording.
  static func isMediaWord(_ word: String) -> Bool {
    typeWords.dropFirst().contains { $0.hasSameBytes(as: word) }
  }

  // MARK: Values

  /// Values that specifications define, by attribute.
  private static let values: [String: Set<String>] = [
    "type": [
      "get", "set", "result", "error", "unavailable", "subscribe", "subscribed", "unsubscribe",
      "unsubscribed", "probe", "chat", "groupchat", "headline", "normal", "cancel", "auth",
      "modify", "wait", "continue", "form", "submit", "hidden", "data",
    ],
    "subscription": ["none", "to", "from", "both", "remove"],
    "ask": ["subscribe"],
    "version": ["1.0"],
    "mechanism": mechanisms,
    "kind": [
      "sasl", "password", "token", "form", "registration", "handshake", "authorization",
      "dialback", "key", "text", "message",
    ],
    "space": ["default", "preserve"],
    "affiliation": ["owner", "admin", "member", "outcast", "none"],
    "role": ["moderator", "participant", "visitor", "none"],
  ]

  /// The names of SASL mechanisms.
  private static let mechanisms: Set<String> = [
    "PLAIN", "SCRAM-SHA-1", "SCRAM-SHA-1-PLUS", "SCRAM-SHA-256", "SCRAM-SHA-256-PLUS",
    "SCRAM-SHA-512", "SCRAM-SHA-512-PLUS", "EXTERNAL", "DIGEST-MD5", "ANONYMOUS",
    "HT-SHA-256-NONE", "HT-SHA-256-ENDP", "HT-SHA-256-EXPR", "HT-SHA-256-UNIQ",
  ]

  /// Attributes that are XML Schema booleans, in which white space collapses.
  private static let booleans: Set<String> = ["approved", "resume", "complete"]

  /// Returns what may be kept of an attribute's value, or nil if the protocol does not define it.
  ///
  /// That is the value or its canonical form.
  static func value(_ attribute: XMLAttribute) -> String? {
    let value = attribute.value
    if values[attribute.name.local]?.contains(value) == true || isNode(value) { return value }
    guard attribute.name.namespace.isEmpty else { return nil }
    switch attribute.name.local {
    // These times reveal no more than those of the records.
    case "stamp": return isTime(value) ? value : nil
    // The number of stanzas that an end of the stream has handled (XEP-0198).
    case "h": return UInt32(value) == nil ? nil : value
    // What happened in a room (XEP-0045 §15.6), or an error of the old protocol.
    case "code": return (100...999).contains(UInt32(value) ?? 0) ? value : nil
    case let name where booleans.contains(name):
      let word = value.trimmedOfXMLSpace
      return ["true", "false", "1", "0"].contains(word) ? word : nil
    default: return nil
    }
  }

  /// Whether a value is a namespace, as nodes (XEP-0060, XEP-0163) and features (XEP-0030) are.
  private static func isNode(_ value: String) -> Bool {
    let notify = "+notify"
    return !value.isEmpty
      && isNamespace(value.hasSuffix(notify) ? String(value.dropLast(notify.count)) : value)
  }

  /// Whether a value is a time of XEP-0082, or of its predecessor XEP-0091.
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

  private static let showValues = ["chat", "away", "xa", "dnd"]

  /// Returns what may be kept of an element's text, or nil if the protocol does not define it.
  static func text(_ text: String, of node: XMPPElement) -> String? {
    let word = text.trimmedOfXMLSpace
    let isKept =
      switch (node.name.namespace, node.name.local) {
      case (Namespace.client, "show"): showValues.contains(word)
      case (Namespace.client, "priority"): Int8(word) != nil
      case (Namespace.client, "subject"), (Namespace.client, "body"):
        typeWords.contains { $0.hasSameBytes(as: word) }
      case (Namespace.sasl, "mechanism"), (Namespace.sasl2, "mechanism"): mechanisms.contains(word)
      default: false
      }
    return isKept ? word : nil
  }

  /// Whether a word is the name of a SASL mechanism.
  static func isMechanism(_ word: String) -> Bool { mechanisms.contains(word) }

  /// Whether a word is a version of TLS, such as `1.3` or `TLSv1.3`.
  static func isVersionOfTLS(_ word: String) -> Bool {
    ["1.0", "1.1", "1.2", "1.3"].contains {
      word == $0 || word == "TLSv" + $0 || word == "TLS " + $0
    }
  }
}
