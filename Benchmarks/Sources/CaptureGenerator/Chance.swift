/// A seeded random generator with equal results on every machine: SplitMix64.
struct Chance {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A number in `0..<bound`; the bound must be at least 1.
  mutating func below(_ bound: Int) -> Int {
    Int(truncatingIfNeeded: next() >> 11) % bound
  }

  /// True with a probability of `share` in a thousand.
  mutating func perMille(_ share: Int) -> Bool {
    below(1000) < share
  }

  /// A random element of an array, which must not be empty.
  mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[below(elements.count)]
  }

  /// Random hexadecimal digits, as in the ids that clients make up.
  mutating func hex(_ digits: Int) -> String {
    var text = ""
    while text.utf8.count < digits {
      let part = String(next() | 1 << 63, radix: 16)
      text += part.prefix(digits - text.utf8.count)
    }
    return text
  }

  /// Random base64 text of the length that encodes a number of bytes.
  mutating func base64(bytes: Int) -> [UInt8] {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var text: [UInt8] = []
    text.reserveCapacity((bytes + 2) / 3 * 4)
    while text.count < (bytes + 2) / 3 * 4 {
      var bits = next()
      for _ in 0..<10 {
        text.append(alphabet[Int(bits & 63)])
        bits >>= 6
      }
    }
    text.removeLast(text.count - (bytes + 2) / 3 * 4)
    if !bytes.isMultiple(of: 3) { text[text.count - 1] = UInt8(ascii: "=") }
    return text
  }
}
