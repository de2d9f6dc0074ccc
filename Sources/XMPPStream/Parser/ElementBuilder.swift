import CXMLPush
import XMPPStanza

/// Puts one top-level element together from what a parser finds.
///
/// Values and text are taken to be UTF-8; the parser checks the bytes of the element as a whole.
struct ElementBuilder: ~Copyable {
  private let limits: StreamLimits
  private let interest: ElementInterest
  private var names = NameTable()
  private var plainNames = PlainNames()
  private var draft = XMLDraft()
  /// How many elements are open, but for those that nobody wants.
  private var depth = 0
  /// How many elements are open that nobody wants; they are inside the last of the others.
  private var unwanted = 0
  private var elements = 0
  private var isPruned = false
  private var isAskedForAll = false

  /// How many names the draft may have when an element begins.
  private static let maximumNames = 1 << 10

  /// The top-level element, once its end has come.
  struct Result {
    let node: XMLNode
    /// Whether something was left out.
    let isPruned: Bool
    /// Whether there is a name in it that asks for everything.
    let asksForAll: Bool
  }

  init(limits: StreamLimits, interest: ElementInterest) {
    self.limits = limits
    self.interest = interest
  }

  /// Whether no element is open.
  var isEmpty: Bool { depth == 0 }

  /// Drops a half-built element, and the addresses of names, which go with their context.
  mutating func reset() {
    abandon()
    names = NameTable()
  }

  /// Drops a half-built element.
  mutating func abandon() {
    draft.clear()
    depth = 0
    unwanted = 0
    clearNotes()
  }

  /// Sees to it that there is room for an element's names, before any of them is looked up.
  mutating func makeRoomForNames() {
    if draft.nameCount > Self.maximumNames || plainNames.isFull { forgetNames() }
  }

  private mutating func forgetNames() {
    names = NameTable()
    plainNames = PlainNames()
    draft.forgetNames()
  }

  /// Nothing is noted of the element that comes next.
  private mutating func clearNotes() {
    elements = 0
    isPruned = false
    isAskedForAll = false
  }

  // MARK: From the callbacks of libxml2

  /// A start tag as a node without content.
  mutating func node(_ element: xml_push_start) throws(StreamError.Kind) -> XMLNode {
    try start(element)
    draft.close()
    let node = draft.finish()
    abandon()
    return node
  }

  /// A start tag.
  mutating func start(_ element: xml_push_start) throws(StreamError.Kind) {
    let count = Int(element.attribute_count)
    if elements == 0 { makeRoomForNames() }
    try admit(attributes: count + Int(element.namespace_count))
    open(try name(element.local, element.uri))
    for attribute in UnsafeBufferPointer(start: element.attributes, count: count) {
      let value = UnsafeBufferPointer(
        start: attribute.value, count: attribute.value_end - attribute.value)
      add(try name(attribute.local, attribute.uri), value)
    }
  }

  private mutating func name(
    _ local: UnsafePointer<UInt8>, _ uri: UnsafePointer<UInt8>?
  ) throws(StreamError.Kind) -> NameTable.Entry {
    guard let name = names.entry(local, uri, interest, &draft) else { throw .unsupportedEncoding }
    return name
  }

  // MARK: From a plain element

  /// A start tag, whose attributes follow; false where it is beyond a limit, or no plain one.
  mutating func start(plain name: PlainName, in namespace: Int, attributes: Int) -> Bool {
    guard let entry = plainNames.entry(name, in: namespace, interest, &draft) else { return false }
    do {
      try admit(attributes: attributes)
    } catch {
      return false
    }
    open(entry)
    return true
  }

  /// An attribute of the start tag; false where it is no plain one.
  mutating func addAttribute(
    plain name: PlainName, _ value: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    guard let entry = plainNames.entry(name, in: PlainNames.none, interest, &draft) else {
      return false
    }
    add(entry, value)
    return true
  }

  /// The number of a namespace; nil where no plain element may be in it.
  mutating func namespace(plain uri: UnsafeRawBufferPointer) -> Int? {
    plainNames.namespace(uri)
  }

  // MARK: From either

  /// Character data of the innermost open element.
  mutating func append(text bytes: UnsafeBufferPointer<UInt8>) {
    guard unwanted == 0, depth > 0 else { return }
    draft.addText(bytes)
  }

  /// An end tag: gives the top-level element where it was that element's.
  mutating func end() -> Result? {
    guard unwanted == 0 else {
      unwanted -= 1
      return nil
    }
    guard depth > 0 else { return nil }
    draft.close()
    depth -= 1
    guard depth == 0 else { return nil }
    let result = Result(node: draft.finish(), isPruned: isPruned, asksForAll: isAskedForAll)
    clearNotes()
    return result
  }

  /// Checks a start tag by the limits.
  private mutating func admit(attributes: Int) throws(StreamError.Kind) {
    guard depth + unwanted < limits.depth else { throw .limit(.depth) }
    guard elements < limits.elementsPerStanza else { throw .limit(.elementsPerStanza) }
    guard attributes <= limits.attributesPerElement else { throw .limit(.attributesPerElement) }
    elements += 1
  }

  /// Begins an element, or leaves it out where nobody wants it.
  private mutating func open(_ name: NameTable.Entry) {
    if name.asksForAll { isAskedForAll = true }
    if unwanted == 0, depth != 1 || name.isKept {
      draft.open(name.number)
      depth += 1
      return
    }
    unwanted += 1
    if !isPruned {
      isPruned = true
      draft.open(name.number)
      draft.close()
    }
  }

  private mutating func add(_ name: NameTable.Entry, _ value: UnsafeBufferPointer<UInt8>) {
    if name.asksForAll { isAskedForAll = true }
    if unwanted == 0 { draft.addAttribute(name.number, value) }
  }
}
