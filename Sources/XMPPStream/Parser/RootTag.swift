import CShims
import XMPPStanza

/// The start tag with which a context is opened.
struct RootTag {
  /// The tag as XML.
  let bytes: [UInt8]
  /// Declarations on which elements below may rely and which the standard root lacks.
  let foreign: [Declaration]

  /// A namespace declaration.
  struct Declaration: Hashable {
    /// The prefix; nil for the default namespace.
    let prefix: String?
    /// The namespace; empty to undeclare the default namespace.
    let uri: String

    init(prefix: String?, uri: String) {
      self.prefix = prefix
      self.uri = uri
    }

    /// Copies a declaration; nil if a name is not UTF-8.
    init?(_ declaration: xml_push_namespace) {
      var prefix: String?
      if let bytes = declaration.prefix {
        guard let text = String(interned: bytes) else { return nil }
        prefix = text
      }
      guard let uri = declaration.uri.map(String.init(interned:)) ?? "" else { return nil }
      self.init(prefix: prefix, uri: uri)
    }
  }

  /// The root that contains every record.
  static let standard = RootTag(
    bytes: Array(
      "<stream:stream xmlns='\(Namespace.client)' xmlns:stream='\(Namespace.streams)'>".utf8),
    foreign: [])

  private init(bytes: [UInt8], foreign: [Declaration]) {
    self.bytes = bytes
    self.foreign = foreign
  }

  /// The root that a stream header opens.
  init(header bytes: [UInt8], declarations: [Declaration]) {
    self.bytes = bytes
    var foreign = declarations.filter { declaration in
      declaration.prefix != nil
        && declaration != Declaration(prefix: "stream", uri: Namespace.streams)
    }
    let content = declarations.first { $0.prefix == nil }?.uri ?? ""
    if content != Namespace.client {
      foreign.append(Declaration(prefix: nil, uri: content))
    }
    self.foreign = foreign
  }

  /// The bytes of an element with declarations inserted after the name in its start tag.
  static func insert(_ declarations: [Declaration], into bytes: ArraySlice<UInt8>) -> [UInt8] {
    guard !declarations.isEmpty,
      let nameEnd = bytes.firstIndex(where: {
        $0.isXMLSpace || $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: ">")
      })
    else { return Array(bytes) }
    var output = Array(bytes[..<nameEnd])
    for declaration in declarations {
      output += " xmlns\(declaration.prefix.map { ":" + $0 } ?? "")=\"".utf8
      output.appendEscaped(declaration.uri, inAttribute: true)
      output.append(UInt8(ascii: "\""))
    }
    output += bytes[nameEnd...]
    return output
  }
}

extension xml_push_start {
  /// The namespace declarations of a start tag.
  func declarations() throws(StreamError.Kind) -> [RootTag.Declaration] {
    var found: [RootTag.Declaration] = []
    // libxml2 gives the number of declarations.
    for raw in UnsafeBufferPointer(start: namespaces, count: Int(namespace_count)) {
      guard let declaration = RootTag.Declaration(raw) else { throw .unsupportedEncoding }
      found.append(declaration)
    }
    return found
  }
}
