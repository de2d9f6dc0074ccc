package import EventStore
import RawBytes

/// What a record holds, by the name of its element: which of the stream's three kinds of stanza, or
/// what else.
package enum RecordContent: UInt8, Hashable, Sendable, CaseIterable {
  /// A stanza.
  case iq, presence, message
  /// An element of the stream itself, its header or its end, or what a capture says of it.
  case stream
  /// Another element, such as an acknowledgement.
  case other
  /// Bytes that cannot be read.
  case unreadable
  /// What the user noted in the log.
  case note

  /// The content in a word, as filters and documents name it.
  package var name: String {
    switch self {
    case .iq: "iq"
    case .presence: "presence"
    case .message: "message"
    case .stream: "stream"
    case .other: "other"
    case .unreadable: "unreadable"
    case .note: "note"
    }
  }

  /// The content with a name; nil if there is none.
  package init?(name: String) {
    guard let content = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = content
  }

  /// The content of a record.
  ///
  /// Looks only at the element's name: a stanza has no prefix, because its namespace is the
  /// stream's (RFC 6120 §4.8.3).
  package init(_ header: RecordHeader, _ bytes: RawSpan) {
    switch header.kind {
    case .element: self = Self(elementNamed: bytes)
    case .annotation: self = .note
    case .unreadable: self = .unreadable
    default: self = .stream
    }
  }

  private init(elementNamed bytes: RawSpan) {
    let text = String(decoding: [UInt8](bytes.extracting(first: 32)), as: UTF8.self)
    let name = text.dropFirst().prefix { !$0.isWhitespace && $0 != "/" && $0 != ">" }
    switch name {
    case "iq": self = .iq
    case "presence": self = .presence
    case "message": self = .message
    default: self = name.hasPrefix("stream:") ? .stream : .other
    }
  }
}
