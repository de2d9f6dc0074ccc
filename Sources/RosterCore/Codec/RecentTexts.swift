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
    texts.value(bytes, text: { $0 }, make: { $0 })
  }

  /// The address with these bytes, which were prepared before; nil where they are no text.
  mutating func address(_ bytes: UnsafeRawBufferPointer) -> BareJID? {
    addresses.value(bytes, text: \.text, make: BareJID.init(prepared:))
  }
}

private struct Places<Value> {
  /// A power of two, or none.
  private var values: [Value?]
  private var misses = 0

  /// The most places, and the most bytes of a text that gets one.
  private static var limits: (places: Int, bytes: Int) { (1 << 16, 128) }

  init(count: Int) {
    values = Array(repeating: nil, count: count)
  }

  @inline(__always)
  mutating func value(
    _ bytes: UnsafeRawBufferPointer, text: (Value) -> String, make: (String) -> Value
  ) -> Value? {
    guard !values.isEmpty, bytes.count <= Self.limits.bytes else {
      return String(utf8: bytes).map(make)
    }
    let mixed = Int(truncatingIfNeeded: bytes.mixed)
    if let known = values[mixed & (values.count - 1)],
      text(known).withUTF8Bytes({ $0.isSame(as: bytes) })
    {
      return known
    }
    guard let new = String(utf8: bytes).map(make) else { return nil }
    growAfterMiss()
    values[mixed & (values.count - 1)] = new
    return new
  }

  /// Many misses mean that too many texts share a place.
  private mutating func growAfterMiss() {
    misses += 1
    guard misses > values.count / 2, values.count < Self.limits.places else { return }
    values = Array(repeating: nil, count: 4 * values.count)
    misses = 0
  }
}
