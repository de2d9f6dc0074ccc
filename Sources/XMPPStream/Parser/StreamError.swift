/// The reason why a stream cannot be read further.
package struct StreamError: Error, Hashable, Sendable {
  /// The rule that was broken.
  package let kind: Kind
  /// The stream offset of the first byte of the invalid element, or of the byte between elements
  /// that is not allowed there.
  package let offset: Int

  /// An error at an offset.
  package init(_ kind: Kind, offset: Int) {
    self.kind = kind
    self.offset = offset
  }

  /// The rules of a stream.
  package enum Kind: Error, Hashable {
    /// XML 1.0 or its namespaces; with libxml2's error number if known.
    case notWellFormed(code: Int32)
    /// A part of XML that RFC 6120 §11.1 forbids.
    case restrictedXML(RestrictedXML)
    /// RFC 6120 §11.6: a declared encoding, or bytes, other than UTF-8.
    case unsupportedEncoding
    /// A namespace prefix that nothing declares (RFC 6120 §4.8).
    case undeclaredPrefix
    /// A limit of `StreamLimits`.
    case limit(StreamLimit)
    /// The stream begins with something other than a stream header (RFC 6120 §4.2).
    case badRoot
    /// Something other than white space between two elements.
    case textBetweenElements
    /// The bytes end inside an element.
    case truncated
    /// libxml2 could not allocate memory.
    case noMemory
  }
}

/// The parts of XML that XMPP forbids.
package enum RestrictedXML: String, Hashable, Sendable {
  /// `<!-- -->`
  case comment = "a comment"
  /// `<? ?>`
  case processingInstruction = "a processing instruction"
  /// `<!DOCTYPE>`
  case documentType = "a document type declaration"
  /// `&name;` with a name that XML does not predefine.
  case entityReference = "a reference to an entity other than the five of XML"
}

/// The fields of `StreamLimits`.
package enum StreamLimit: Hashable, Sendable {
  case depth
  case attributesPerElement
  case elementsPerStanza
  case bytesPerElement
  case bytesPerName
}

extension StreamError: CustomStringConvertible {
  /// The reason as a sentence without its full stop; it does not quote the stream.
  package var description: String { "\(kind) (byte \(offset) of the stream)" }
}

extension StreamError.Kind: CustomStringConvertible {
  /// The reason as a clause, for a person.
  package var description: String {
    switch self {
    case .notWellFormed(let code):
      Self.wellKnown[code] ?? "the XML is not well formed (libxml2 error \(code))"
    case .restrictedXML(let part): "\(part.rawValue), which XMPP forbids"
    case .unsupportedEncoding: "the text is not UTF-8"
    case .undeclaredPrefix: "a namespace prefix is not declared"
    case .limit(.depth): "elements are nested too deeply"
    case .limit(.attributesPerElement): "an element has too many attributes"
    case .limit(.elementsPerStanza): "a stanza has too many elements"
    case .limit(.bytesPerElement): "a stanza has too many bytes"
    case .limit(.bytesPerName): "a name has too many bytes"
    case .badRoot: "a stream header was expected"
    case .textBetweenElements: "there is text between elements"
    case .truncated: "the text ends inside an element"
    case .noMemory: "there is not enough memory for an XML parser"
    }
  }

  /// libxml2's numbers (`xmlParserErrors`) for the errors that occur in real logs.
  private static let wellKnown: [Int32: String] = [
    9: "a character that XML does not allow",
    38: "a `<` inside an attribute value",
    39: "an attribute value without quotes",
    41: "an attribute without a value",
    42: "an attribute occurs twice",
    62: "`]]>` in text",
    68: "a name was expected",
    73: "a `>` was expected",
    76: "an end tag does not fit its start tag",
  ]
}
