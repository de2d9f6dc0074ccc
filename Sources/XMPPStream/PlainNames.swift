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
  /// Where the namespaces are in `bytes`, by their numbers.
  private var namespaces: [Range<Int>] = []
  private var bytes: [UInt8] = []
  /// The number of the namespace that was found last, of those that a place is for.
  private var numbers = Array(repeating: 0, count: 1 << bits)

  init() {
    for known in ["", Namespace.client] { add(known) }
  }

  /// Whether there are as many namespaces as there should be when an element begins.
  var isFull: Bool { namespaces.count > Self.maximumNamespaces }

  /// The number of a namespace, valid as long as this table is; nil for an unusual one.
  mutating func namespace(_ uri: UnsafeRawBufferPointer) -> Int? {
    guard !uri.isEmpty else { return nil }
    let place = Int(truncatingIfNeeded: uri.quickHash >> UInt64(64 - Self.bits))
    if isNamespace(numbers[place], uri) { return numbers[place] }
    let known = namespaces.indices.first { isNamespace($0, uri) }
    guard let number = known ?? addUnknown(uri) else { return nil }
    numbers[place] = number
    return number
  }

  private func isNamespace(_ number: Int, _ uri: UnsafeRawBufferPointer) -> Bool {
    let range = namespaces[number]
    guard range.count == uri.count else { return false }
    // The range is one of `bytes`.
    return bytes.withUnsafeBytes { UnsafeRawBufferPointer(rebasing: $0[range]).isSame(as: uri) }
  }

  private mutating func addUnknown(_ uri: UnsafeRawBufferPointer) -> Int? {
    // They are searched one after the other, so one element may not have any number of them.
    guard namespaces.count < 2 * Self.maximumNamespaces,
      uri.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
    else { return nil }
    let text = String(decoding: uri, as: UTF8.self)
    guard !Self.refused.contains(text) else { return nil }
    add(text)
    return namespaces.count - 1
  }

  private mutating func add(_ namespace: String) {
    let start = bytes.count
    bytes += namespace.utf8
    namespaces.append(start..<bytes.count)
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
    let uri = String(decoding: bytes[namespaces[namespace]], as: UTF8.self)
    let entry = NameTable.Entry(XMLName(text, in: uri), interest, &draft)
    slots[place] = Slot(name: name, namespace: namespace, entry: entry)
    return entry
  }
}
