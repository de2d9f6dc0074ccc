import XMPPStanza

/// The texts and addresses that were read last: what a log says again and again is made once, and
/// its copies are found equal at a glance.
///
/// A text has one place, where it displaces the one before. So the size is bounded, and texts that
/// were chosen to share a place cost next to nothing: their places need no seed.
package struct RecentTexts {
  private var texts: Places<String>
  private var addresses: Places<BareJID>

  /// With places for some texts, and for more as more come.
  package init() {
    self.init(places: 64)
  }

  private init(places: Int) {
    texts = Places(count: places)
    addresses = Places(count: places)
  }

  /// Without a place for any text.
  static var none: RecentTexts { RecentTexts(places: 0) }

  /// The text that these bytes are, nil where they are none.
  mutating func text(_ bytes: UnsafeRawBufferPointer) -> String? {
    texts.value(bytes)
  }

  /// The address with these bytes, which were prepared before; nil where they are no text.
  mutating func address(_ bytes: UnsafeRawBufferPointer) -> BareJID? {
    addresses.value(bytes)
  }
}

/// What is kept by its text.
private protocol MadeOfText {
  var text: String { get }
  init(prepared text: String)
}

extension BareJID: MadeOfText {}

extension String: MadeOfText {
  fileprivate var text: String { self }
  fileprivate init(prepared text: String) { self = text }
}

private struct Places<Value: MadeOfText> {
  /// Their number is a power of two, or 0.
  private var values: [Value?]
  private var misses = 0

  /// The most places, and the most bytes of a text that gets one.
  private static var limits: (places: Int, bytes: Int) { (1 << 16, 128) }

  init(count: Int) {
    values = Array(repeating: nil, count: count)
  }

  mutating func value(_ bytes: UnsafeRawBufferPointer) -> Value? {
    guard !values.isEmpty, bytes.count <= Self.limits.bytes else {
      return String(utf8: bytes).map { Value(prepared: $0) }
    }
    let place = place(of: bytes)
    if let known = values[place], known.text.hasBytes(bytes) {
      return known
    }
    guard let text = String(utf8: bytes) else { return nil }
    let value = Value(prepared: text)
    values[place] = value
    misses += 1
    if misses > values.count / 4, values.count < Self.limits.places { grow() }
    return value
  }

  @inline(__always)
  private func place(of bytes: UnsafeRawBufferPointer) -> Int {
    Int(truncatingIfNeeded: bytes.quickHash >> 20) & (values.count - 1)
  }

  /// Many misses mean that too many texts share a place.
  private mutating func grow() {
    let old = values
    values = Array(repeating: nil, count: 4 * old.count)
    misses = 0
    for case let value? in old { values[value.text.withUTF8Bytes { place(of: $0) }] = value }
  }
}
