/// The expanded name of an element or attribute: what names are compared by, whatever prefix a
/// program chose for it.
public struct XMLName: Hashable, Sendable {
  /// The namespace URI; empty for an attribute without a prefix.
  public var namespace: String
  /// The local part of the qualified name.
  public var local: String

  /// A name in a namespace.
  public init(_ local: String, in namespace: String) {
    self.namespace = namespace
    self.local = local
  }
}

/// One attribute of an element, entity references already replaced.
public struct XMLAttribute: Hashable, Sendable {
  /// The expanded name; its namespace is empty for an attribute without a prefix.
  public var name: XMLName
  /// The value as XML 1.0 §3.3.3 normalises it.
  public var value: String

  /// An attribute from its parts.
  public init(_ name: XMLName, _ value: String) {
    self.name = name
    self.value = value
  }
}

/// An XML element as a value: what a stream parser gives and the serialiser takes.
///
/// Namespace prefixes are not kept, for they carry no meaning; a record keeps the bytes.
public struct XMLNode: Hashable, Sendable {
  /// What stands between the tags of an element.
  public enum Content: Hashable, Sendable {
    /// A child element.
    case element(XMLNode)
    /// Character data; adjacent pieces are joined, so no two texts stand side by side.
    case text(String)
  }

  /// The expanded name of the element.
  public var name: XMLName
  /// The attributes in document order, namespace declarations left out.
  public var attributes: [XMLAttribute]
  /// Children and text in document order.
  public var content: [Content]

  /// An element from its parts.
  public init(_ name: XMLName, attributes: [XMLAttribute] = [], content: [Content] = []) {
    self.name = name
    self.attributes = attributes
    self.content = content
  }
}

extension XMLNode {
  /// Whether the element has this expanded name.
  package func `is`(_ local: String, in namespace: String) -> Bool {
    name.local == local && name.namespace == namespace
  }

  /// The value of an attribute without a prefix, or nil where there is none.
  package func attribute(_ local: String) -> String? {
    for attribute in attributes
    where attribute.name.local == local && attribute.name.namespace.isEmpty {
      return attribute.value
    }
    return nil
  }

  /// The child elements, text left out.
  package var children: some Sequence<XMLNode> {
    content.lazy.compactMap { (item) -> XMLNode? in
      switch item {
      case .element(let child): child
      case .text: nil
      }
    }
  }

  /// The first direct child of this expanded name.
  package func child(_ local: String, in namespace: String) -> XMLNode? {
    for item in content {
      guard case .element(let child) = item, child.is(local, in: namespace) else { continue }
      return child
    }
    return nil
  }

  /// The text directly inside the element, the text of its children left out.
  package var text: String {
    var joined = ""
    for case .text(let piece) in content { joined += piece }
    return joined
  }
}

extension StringProtocol {
  /// The text without the white space of XML 1.0 §2.3 at its two ends.
  package var trimmedOfXMLSpace: String {
    var bytes = Substring(self).utf8
    while let byte = bytes.first, byte.isXMLSpace { bytes.removeFirst() }
    while let byte = bytes.last, byte.isXMLSpace { bytes.removeLast() }
    return String(Substring(bytes))
  }
}

extension UInt8 {
  /// Space, tab, carriage return or line feed: the white space of XML 1.0 §2.3.
  package var isXMLSpace: Bool {
    self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D
  }
}
