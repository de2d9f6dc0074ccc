/// A name of at most fifteen bytes, as the two numbers that they make. The last byte is no zero, so
/// different names make different numbers.
struct PlainName: Equatable {
  /// The first eight bytes, the first of them lowest; zeros after the last.
  private let low: UInt64
  private let high: UInt64

  static let xmlns = PlainName(low: 0x73_6E_6C_6D_78, high: 0)

  private init(low: UInt64, high: UInt64) {
    self.low = low
    self.high = high
  }

  /// Passes over what stands before a space, `=`, `/` or `>`; nil where that is nothing or too
  /// long. Whether it is a name at all has still to be asked.
  init?(_ bytes: UnsafeRawBufferPointer, _ index: inout Int) {
    // Most names are shorter than eight bytes, and most have as many after them.
    guard index + 16 <= bytes.count else {
      self.init(atEndOf: bytes, &index)
      return
    }
    let first = EightBytes(bytes, at: index)
    var marks = Self.ends(in: first)
    if marks != 0 {
      let count = EightBytes.firstMark(marks)
      guard count > 0, bytes[index + count - 1] != 0 else { return nil }
      self.init(low: first.first(count), high: 0)
      index += count
      return
    }
    let second = EightBytes(bytes, at: index + 8)
    marks = Self.ends(in: second)
    guard marks != 0 else { return nil }
    let count = EightBytes.firstMark(marks)
    guard bytes[index + 7 + count] != 0 else { return nil }
    self.init(low: first.value, high: second.first(count))
    index += 8 + count
  }

  /// The same where fewer than sixteen bytes are left.
  private init?(atEndOf bytes: UnsafeRawBufferPointer, _ index: inout Int) {
    let start = index
    var low: UInt64 = 0
    var high: UInt64 = 0
    while index < bytes.count, !bytes[index].endsPlainName {
      let byte = UInt64(bytes[index])
      let place = UInt64(index - start)
      if place < 8 { low |= byte << (8 * place) } else { high |= byte << (8 * place - 64) }
      index += 1
    }
    guard index > start, bytes[index - 1] != 0 else { return nil }
    self.init(low: low, high: high)
  }

  private static func ends(in eight: EightBytes) -> UInt64 {
    eight.marks(
      eight.equal(UInt8(ascii: " ")) | eight.equal(UInt8(ascii: "="))
        | eight.equal(UInt8(ascii: "/")) | eight.equal(UInt8(ascii: ">")))
  }

  /// The name, where it is one of ASCII (XML 1.0 §2.3) and has no prefix.
  var text: String? {
    let bytes = [low, high].flatMap { word in
      (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * UInt64($0))) }
    }
    let characters = bytes.prefix { $0 != 0 }
    guard bytes[characters.count...].allSatisfy({ $0 == 0 }), let first = characters.first,
      first.isLetter || first == UInt8(ascii: "_"), characters.allSatisfy(\.isPlainInName)
    else { return nil }
    return String(decoding: characters, as: UTF8.self)
  }

  /// Where a table of a power of two of places may have it, in a namespace.
  func place(bits: Int, _ namespace: Int) -> Int {
    let key = low ^ (high &* 31) &+ UInt64(truncatingIfNeeded: namespace) &* 0x1_0001
    // Fibonacci hashing: the upper bits of a product with 2^64 over the golden ratio.
    return Int(truncatingIfNeeded: (key &* 0x9E37_79B9_7F4A_7C15) >> UInt64(64 - bits))
  }
}

/// Eight bytes that are looked at as one number.
///
/// What `control` and `equal` give has a mark in the upper bit of the lowest byte that is meant.
/// Bytes above it may be marked wrongly, as they can have been borrowed from, and so may bytes
/// beyond ASCII, which `marks` takes out.
struct EightBytes {
  /// The first byte is the lowest.
  let value: UInt64

  private static let ones: UInt64 = 0x0101_0101_0101_0101

  /// Loads eight bytes, all of which are there.
  init(_ bytes: UnsafeRawBufferPointer, at index: Int) {
    value = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
  }

  /// Marks what is below a space.
  var control: UInt64 { value &- 0x20 &* Self.ones }

  /// Marks a byte of ASCII.
  func equal(_ byte: UInt8) -> UInt64 { (value ^ (UInt64(byte) &* Self.ones)) &- Self.ones }

  /// What is left of marks.
  func marks(_ found: UInt64) -> UInt64 { found & ~value & (0x80 &* Self.ones) }

  /// The index of the byte that has the lowest mark; there is one.
  static func firstMark(_ marks: UInt64) -> Int { marks.trailingZeroBitCount / 8 }

  /// The first bytes, fewer than eight, with zeros after them.
  func first(_ count: Int) -> UInt64 { value & ((1 << UInt64(8 * count)) - 1) }
}

extension UInt8 {
  fileprivate var isLetter: Bool {
    let lower = self | 0x20
    return lower >= UInt8(ascii: "a") && lower <= UInt8(ascii: "z")
  }

  fileprivate var endsPlainName: Bool {
    switch self {
    case UInt8(ascii: " "), UInt8(ascii: "="), UInt8(ascii: "/"), UInt8(ascii: ">"): true
    default: false
    }
  }

  /// Whether the byte may stand in a name; a colon would end a prefix.
  fileprivate var isPlainInName: Bool {
    isLetter || (self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9"))
      || "-._".utf8.contains(self)
  }
}
