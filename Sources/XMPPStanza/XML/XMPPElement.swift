import RawBytes

/// The expanded name of an element or attribute, which identifies it whatever prefix is used.
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

/// An attribute of an element, with entity references replaced.
public struct XMLAttribute: Hashable, Sendable {
  /// The expanded name; its namespace is empty for an attribute without a prefix.
  public var name: XMLName
  /// The value as normalized by XML 1.0 §3.3.3.
  public var value: String

  /// An attribute from its parts.
  public init(_ name: XMLName, _ value: String) {
    self.name = name
    self.value = value
  }
}

/// An XML element as a value, which a stream parser produces and the serializer writes.
///
/// An element of a stream shares the memory of its top-level element, and strings for names, values
/// and texts are created only when requested. Namespace prefixes are not kept, because they carry
/// no meaning; a record keeps the original bytes.
public struct XMPPElement: Sendable {
  /// The content between the tags of an element.
  public enum Content: Hashable, Sendable {
    /// A child element.
    case element(XMPPElement)
    /// Character data; adjacent pieces are joined, so that no two texts are adjacent.
    case text(String)
  }

  let tree: XMLTree
  /// The number of the element's part in the tree.
  let index: Int

  /// An element from its parts in document order; names and values are ranges of bytes, which must
  /// be UTF-8.
  init(
    _ parts: Span<XMLPart>, _ namespaces: Span<XMLRange>,
    of bytes: RawSpan
  ) {
    self.init(XMLTree(parts, namespaces, of: bytes), 0)
  }

  /// An element that borrows its parts and bytes. It and its descendants are valid only as long as
  /// this memory; to keep one, keep its `owned` copy.
  package init(
    borrowing parts: Span<XMLPart>, _ namespaces: Span<XMLRange>,
    of bytes: RawSpan
  ) {
    self.init(XMLTree(borrowing: parts, namespaces, of: bytes), 0)
  }

  /// The element in memory of its own, which can be kept.
  package var owned: XMPPElement { XMPPElement(tree.owned, index) }

  /// The bytes to which the names and values of the top-level element refer.
  package var treeBytes: [UInt8] { tree.withBytes { [UInt8]($0) } }

  /// Calls `body` with the bytes of the top-level element, which are valid during the call.
  package func withTreeBytes(_ body: (RawSpan) -> Void) { tree.withBytes(body) }

  init(_ tree: XMLTree, _ index: Int) {
    self.tree = tree
    self.index = index
  }

  /// An element from its parts. Complexity: linear in the parts and everything in them.
  public init(_ name: XMLName, attributes: [XMLAttribute] = [], content: [Content] = []) {
    var draft = XMLDraft()
    let namespace = name.namespace.withUTF8Bytes { draft.namespace($0) }
    name.local.withUTF8Bytes { draft.open($0, in: namespace) }
    for attribute in attributes {
      let namespace = attribute.name.namespace.withUTF8Bytes { draft.namespace($0) }
      attribute.name.local.withUTF8Bytes { local in
        attribute.value.withUTF8Bytes { draft.addAttribute(local, in: namespace, $0) }
      }
    }
    for item in content {
      switch item {
      case .element(let child): draft.add(child)
      // A parser makes no part of an empty text.
      case .text(let text): if !text.isEmpty { text.withUTF8Bytes { draft.addText($0) } }
      }
    }
    draft.close()
    self = draft.finish()
  }

  var part: XMLPart { tree[index] }
  /// The number of the part after the element.
  var end: Int { Int(part.next) }

  /// The expanded name of the element.
  public var name: XMLName { tree.name(of: part) }

  /// The attributes in document order, without namespace declarations.
  public var attributes: [XMLAttribute] {
    ((index + 1)..<Int(part.start)).map { number in
      let part = tree[number]
      return XMLAttribute(tree.name(of: part), tree.string(of: part))
    }
  }

  /// The children and texts in document order.
  public var content: [Content] {
    XMLContent(self).map { number in
      let part = tree[number]
      return part.kind == .text ? .text(tree.string(of: part)) : .element(XMPPElement(tree, number))
    }
  }
}

/// The numbers of the parts in the content of an element.
private struct XMLContent: Sequence, IteratorProtocol {
  let tree: XMLTree
  private var number: Int
  private let end: Int

  init(_ node: XMPPElement) {
    let part = node.tree[node.index]
    tree = node.tree
    number = Int(part.start)
    end = Int(part.next)
  }

  mutating func next() -> Int? {
    guard number < end else { return nil }
    defer { number = Int(tree[number].next) }
    return number
  }
}

/// The child elements of an element, without texts.
package struct XMLChildren: Sequence, IteratorProtocol {
  private var content: XMLContent

  fileprivate init(_ node: XMPPElement) {
    content = XMLContent(node)
  }

  package mutating func next() -> XMPPElement? {
    while let number = content.next() {
      if content.tree[number].kind == .element { return XMPPElement(content.tree, number) }
    }
    return nil
  }
}

extension XMPPElement: Hashable {
  /// Whether names, attributes, values, texts and their order are equal, byte for byte.
  public static func == (a: XMPPElement, b: XMPPElement) -> Bool {
    if a.index == b.index, a.tree.isSame(as: b.tree) { return true }
    guard a.end - a.index == b.end - b.index else { return false }
    return zip(a.index..<a.end, b.index..<b.end).allSatisfy { one, other in
      let (mine, theirs) = (a.tree[one], b.tree[other])
      guard mine.kind == theirs.kind, Int(mine.next) - a.index == Int(theirs.next) - b.index,
        mine.kind == .text || a.tree.has(mine, nameOf: theirs, in: b.tree)
      else { return false }
      return mine.kind == .element
        || a.tree.withBytes(of: mine) { bytes in
          b.tree.withBytes(of: theirs) { bytes.isSame(as: $0) }
        }
    }
  }

  /// Feeds everything that equality compares into a hasher.
  public func hash(into hasher: inout Hasher) {
    for number in index..<end {
      let part = tree[number]
      hasher.combine(Int(part.next) - index)
      if part.kind != .text {
        tree.withName(of: part) { hasher.combine(bytes: $0) }
        tree.withNamespace(of: part) { hasher.combine(bytes: $0) }
      }
      if part.kind != .element { tree.withBytes(of: part) { hasher.combine(bytes: $0) } }
    }
  }
}

extension XMPPElement {
  /// Whether the element has this expanded name.
  package func `is`(_ local: WantedName, in namespace: String) -> Bool {
    tree.has(part, local, in: namespace)
  }

  /// Whether the element is in `jabber:client`.
  var isInClient: Bool { part.namespace == 1 || tree.isIn(part, Namespace.client) }

  /// The local name for comparisons; all long names are equal.
  var word: XMLPackedName { part.name.isLong ? .long : part.name }

  /// The value of an attribute without a prefix, or nil if it is missing.
  package func attribute(_ local: WantedName) -> String? {
    attributePart(local).map { tree.string(of: $0) }
  }

  /// Calls `body` with the value of an attribute without a prefix, or with nil if it is missing;
  /// the bytes are valid during the call.
  package func withAttribute(_ local: WantedName, _ body: (RawSpan?) -> Void) {
    guard let part = attributePart(local) else { return body(nil) }
    tree.withBytes(of: part) { body($0) }
  }

  /// The packed value of an attribute without a prefix, for comparisons; all long values are equal.
  func word(_ wanted: WantedName) -> XMLPackedName? {
    attributePart(wanted).map { part in tree.withBytes(of: part) { XMLPackedName($0) } }
  }

  /// The part of an attribute without a prefix.
  func attributePart(_ wanted: WantedName) -> XMLPart? {
    for number in (index + 1)..<Int(part.start) {
      let part = tree[number]
      if tree.has(part, wanted), part.namespace == 0 { return part }
    }
    return nil
  }

  /// The child elements, without texts.
  package var children: XMLChildren { XMLChildren(self) }

  /// The first child with this expanded name.
  package func child(_ local: WantedName, in namespace: String) -> XMPPElement? {
    tree.child(of: index, local, in: namespace).map { XMPPElement(tree, $0) }
  }

  /// Whether there is a child with this expanded name.
  package func hasChild(_ local: WantedName, in namespace: String) -> Bool {
    tree.child(of: index, local, in: namespace) != nil
  }

  /// Calls `body` with the text directly inside the first child with this expanded name, if there
  /// is one; the bytes are valid during the call.
  package func withText(
    ofChild local: WantedName, in namespace: String, _ body: (RawSpan) -> Void
  ) {
    guard let child = tree.child(of: index, local, in: namespace) else { return }
    withText(of: child, body)
  }

  /// The text directly inside the element, without the text of its children.
  package var text: String {
    var text = ""
    withText { text = String(decoding: $0) }
    return text
  }

  /// Calls `body` with the text directly inside the element; the bytes are valid during the call.
  package func withText(_ body: (RawSpan) -> Void) { withText(of: index, body) }

  /// Whether a condition holds for one of the texts in the element, at any depth.
  ///
  /// - Parameters:
  ///   - count: The minimum length of a text in bytes; shorter ones are skipped.
  ///   - isWanted: The condition; its argument is valid during the call.
  ///
  /// Complexity: linear in the parts of the element, not counting `isWanted`.
  package func hasText(ofAtLeast count: Int, where isWanted: (RawSpan) -> Bool) -> Bool {
    for number in index..<end {
      let part = tree[number]
      guard part.kind == .text, part.count >= count else { continue }
      if tree.withBytes(of: part, isWanted) { return true }
    }
    return false
  }

  /// Whether text other than white space is directly inside the element.
  ///
  /// Complexity: linear in its children and its text.
  package var hasOwnText: Bool {
    XMLContent(self).contains { number in
      let part = tree[number]
      return part.kind == .text && tree.withBytes(of: part) { !$0.trimmedOfXMLSpace.isEmpty }
    }
  }

  /// Calls `body` with the text directly inside an element of the tree.
  private func withText(of number: Int, _ body: (RawSpan) -> Void) {
    let part = tree[number]
    guard part.start < part.next else { return body(RawSpan()) }
    let first = tree[Int(part.start)]
    // The common case: a single text.
    if first.kind == .text, first.next == part.next {
      return tree.withBytes(of: first) { body($0) }
    }
    var joined = ""
    for number in XMLContent(XMPPElement(tree, number)) where tree[number].kind == .text {
      joined += tree.string(of: tree[number])
    }
    joined.withUTF8Bytes(body)
  }
}

extension String {
  /// The text without leading and trailing white space of XML 1.0 §2.3.
  package var trimmedOfXMLSpace: String {
    guard utf8.first?.isXMLSpace == true || utf8.last?.isXMLSpace == true else { return self }
    return Substring(self).trimmedOfXMLSpace
  }
}

extension Substring {
  /// The text without leading and trailing white space of XML 1.0 §2.3.
  package var trimmedOfXMLSpace: String {
    var bytes = utf8
    while let byte = bytes.first, byte.isXMLSpace { bytes.removeFirst() }
    while let byte = bytes.last, byte.isXMLSpace { bytes.removeLast() }
    return String(Substring(bytes))
  }
}

extension RawSpan {
  /// The bytes without leading and trailing white space of XML 1.0 §2.3.
  package var trimmedOfXMLSpace: RawSpan {
    @_lifetime(copy self)
    get {
      var (start, end) = (0, byteCount)
      while start < end, self[start].isXMLSpace { start += 1 }
      while start < end, self[end - 1].isXMLSpace { end -= 1 }
      return self[start..<end]
    }
  }
}

extension UInt8 {
  /// Space, tab, carriage return or line feed: the white space of XML 1.0 §2.3.
  package var isXMLSpace: Bool {
    self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D
  }
}
