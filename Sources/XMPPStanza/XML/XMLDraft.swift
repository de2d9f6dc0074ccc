/// Puts elements together, one after the other, in memory that is used again.
///
/// Names are added once and then go by their numbers. Not copyable, as the one who adds names to
/// a list that trees share must be alone.
package struct XMLDraft: ~Copyable {
  private var names = XMLNames()
  private var parts = Scratch<XMLPart>()
  private var bytes = Scratch<UInt8>()
  /// The element that was opened last and is still open; -1 where none is.
  private var innermost = -1
  /// Whether the last part is a text that goes on with the next.
  private var isInText = false

  /// A draft of nothing.
  package init() {}

  // MARK: Names

  /// How many names were added and not forgotten.
  package var nameCount: Int { names.count }

  /// Adds a name.
  ///
  /// - Returns: Its number.
  package mutating func add(_ name: XMLName) -> Int { names.add(name) }

  /// Forgets all names; only while no element is open.
  package mutating func forgetNames() {
    names = XMLNames()
  }

  // MARK: Parts

  /// Adds another element with everything in it to the open one.
  ///
  /// - Parameter known: The numbers of the names that were added.
  mutating func add(_ node: XMLNode, _ known: inout [XMLName: Int]) {
    isInText = false
    let shift = parts.count - node.index
    for number in node.index..<node.end {
      var part = node.tree[number]
      part.next = UInt32(Int(part.next) + shift)
      if !part.isText { part.name = UInt32(add(node.tree.name(of: part), &known)) }
      if part.isElement {
        part.start = UInt32(Int(part.start) + shift)
      } else {
        let start = bytes.count
        node.tree.withBytes(of: part) {
          bytes.append(contentsOf: $0.assumingMemoryBound(to: UInt8.self))
        }
        part.start = UInt32(start)
      }
      parts.append(part)
    }
  }

  /// Adds a name, where it is not known yet.
  mutating func add(_ name: XMLName, _ known: inout [XMLName: Int]) -> Int {
    if let number = known[name] { return number }
    let number = add(name)
    known[name] = number
    return number
  }

  /// Begins an element inside the one that is open.
  package mutating func open(_ name: Int) {
    let number = parts.count
    isInText = false
    // While it is open, `next` is the element that it stands in.
    parts.append(
      XMLPart(
        name: UInt32(name), next: UInt32(bitPattern: Int32(innermost)),
        start: UInt32(number + 1), count: XMLPart.elementCount))
    innermost = number
  }

  /// Adds an attribute to the element that was opened last, before anything else of it.
  package mutating func addAttribute(_ name: Int, _ value: UnsafeBufferPointer<UInt8>) {
    add(value, as: UInt32(name))
    parts[innermost].start = UInt32(parts.count)
  }

  /// Adds character data to the open element; with what was added just before it is one text.
  package mutating func addText(_ text: UnsafeBufferPointer<UInt8>) {
    guard isInText else {
      isInText = true
      return add(text, as: XMLPart.textName)
    }
    bytes.append(contentsOf: text)
    let last = parts.count - 1
    parts[last].count = UInt32(bytes.count) - parts[last].start
  }

  /// Ends the open element.
  package mutating func close() {
    isInText = false
    let parent = Int(Int32(bitPattern: parts[innermost].next))
    parts[innermost].next = UInt32(parts.count)
    innermost = parent
  }

  private mutating func add(_ value: UnsafeBufferPointer<UInt8>, as name: UInt32) {
    let start = bytes.count
    bytes.append(contentsOf: value)
    parts.append(
      XMLPart(
        name: name, next: UInt32(parts.count + 1), start: UInt32(start),
        count: UInt32(bytes.count - start)))
  }

  // MARK: The element

  /// The element that was put together, once it is closed; the draft is of nothing again.
  package mutating func finish() -> XMLNode {
    let tree = XMLTree(names, parts.elements, bytes.elements)
    clear()
    return XMLNode(tree, 0)
  }

  /// Drops the element that is being put together.
  package mutating func clear() {
    parts.clear()
    bytes.clear()
    innermost = -1
    isInText = false
  }
}
