import XMPPStanza

/// Finds the names that a `PlainReader` has met.
///
/// A name is looked up by its characters and the number of its namespace, in the two slots that
/// they lead to, as in a `NameTable`.
struct PlainNames {
  private struct Slot {
    /// Nil where the slot is empty.
    var name: PlainName?
    var namespace = 0
    var entry = NameTable.Entry()
  }

  /// The number of no namespace.
  static let none = 0
  /// The number of the one that everything stands in.
  static let client = 1

  private static let bits = 10
  private static let maximumNamespaces = 256
  /// What a plain element may not be in: XML forbids it, or it may be a stream's own.
  private static let refused = [
    Namespace.xml, "http://www.w3.org/2000/xmlns/", Namespace.streams,
  ]

  private var slots = Array(repeating: Slot(), count: 1 << bits)
  private var namespaces = ["", Namespace.client]
  /// The number of the namespace that was found last, of those that a place is for.
  private var numbers = Array(repeating: 0, count: 1 << bits)

  /// Whether there are as many namespaces as there should be when an element begins.
  var isFull: Bool { namespaces.count > Self.maximumNamespaces }

  /// The number of a namespace, valid until the next `forget`; nil for an unusual one.
  mutating func namespace(_ uri: UnsafeRawBufferPointer) -> Int? {
    guard !uri.isEmpty else { return nil }
    let place = Int(truncatingIfNeeded: uri.quickHash >> UInt64(64 - Self.bits))
    if namespaces[numbers[place]].hasBytes(uri) { return numbers[place] }
    guard let number = namespaces.firstIndex(where: { $0.hasBytes(uri) }) ?? add(uri) else {
      return nil
    }
    numbers[place] = number
    return number
  }

  private mutating func add(_ uri: UnsafeRawBufferPointer) -> Int? {
    guard uri.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
    let text = String(decoding: uri, as: UTF8.self)
    guard !Self.refused.contains(text) else { return nil }
    namespaces.append(text)
    return namespaces.count - 1
  }

  /// The entry of a name in a namespace; nil where it is no plain name.
  mutating func entry(
    _ name: PlainName, in namespace: Int, _ interest: ElementInterest, _ draft: inout XMLDraft
  ) -> NameTable.Entry? {
    let first = name.place(bits: Self.bits, namespace)
    if slots[first].name == name, slots[first].namespace == namespace {
      return slots[first].entry
    }
    let second = first ^ 1
    if slots[second].name == name, slots[second].namespace == namespace {
      return slots[second].entry
    }
    guard let text = name.text else { return nil }
    let place = slots[first].name == nil ? first : second
    let entry = NameTable.Entry(XMLName(text, in: namespaces[namespace]), interest, &draft)
    slots[place] = Slot(name: name, namespace: namespace, entry: entry)
    return entry
  }
}
