import XMPPStanza

extension Credentials {
  /// Passes a reader's output to `sink`, without its credentials.
  mutating func pass(
    _ output: CaptureOutput, to sink: (CaptureOutput) throws -> Void
  ) rethrows {
    // Nearly all outputs have no secrets and are not copied.
    guard let clean = removed(from: output) else { return try sink(output) }
    try sink(clean)
  }

  /// Returns the output without its secrets, or nil if it has none.
  private mutating func removed(from output: CaptureOutput) -> CaptureOutput? {
    switch output {
    case .problem: return nil
    case .record(let record):
      guard let content = removed(from: record.content) else { return nil }
      var clean = record
      clean.content = content
      return .record(clean)
    }
  }

  /// Returns the content of a record without its secrets, or nil if it has none.
  package mutating func removed(
    from content: CapturedRecord.Content
  ) -> CapturedRecord.Content? {
    switch content {
    case .element(let direction, let node, _):
      scrubbed(node).map { .element(direction, $0, bytes: $0.serialized()) }
    case .streamHeader(let direction, let node, _):
      Self.scrubbedAttributes(of: node).map { attributes in
        let clean = XMPPElement(node.name, attributes: attributes)
        return .streamHeader(direction, clean, bytes: Self.startTag(clean))
      }
    case .lifecycle(.connected(let host?)):
      SecretParameters.withoutSecrets(host).map { .lifecycle(.connected(to: $0)) }
    case .lifecycle(.closed(let reason?)):
      SecretParameters.withoutSecrets(reason).map { .lifecycle(.closed(reason: $0)) }
    case .lifecycle, .streamEnd, .annotation, .unreadable: nil
    }
  }

  /// The start tag of a client's stream with these attributes.
  private static func startTag(_ header: XMPPElement) -> [UInt8] {
    var tag = Array(
      "<stream:stream xmlns='\(Namespace.client)' xmlns:stream='\(Namespace.streams)'".utf8)
    func append(_ name: String, _ value: String) {
      // A value may have an apostrophe, and its quotation marks are escaped.
      tag += " \(name)=\"".utf8
      tag.appendEscaped(value, inAttribute: true)
      tag.append(UInt8(ascii: "\""))
    }
    for (number, attribute) in header.attributes.enumerated() {
      switch attribute.name.namespace {
      case "": append(attribute.name.local, attribute.value)
      case Namespace.xml: append("xml:" + attribute.name.local, attribute.value)
      case let namespace:
        append("xmlns:a\(number)", namespace)
        append("a\(number):" + attribute.name.local, attribute.value)
      }
    }
    return tag + ">".utf8
  }
}
