import RawBytes
package import XMPPStanza

/// Why stored bytes are not the encoding of a value.
package enum CodecError: Error, Hashable, Sendable {
  /// The bytes end in the middle of a value.
  case truncated(offset: Int)
  /// A tag, number or text is not one that the encoder writes.
  case invalid(offset: Int)
  /// Bytes are left over after the value.
  case excess(offset: Int)
}

extension CodecError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .truncated(let offset): "it ends in the middle of a value, at byte \(offset)"
    case .invalid(let offset): "what stands at byte \(offset) is not a value"
    case .excess(let offset): "bytes are left over at byte \(offset)"
    }
  }
}

/// A value with one encoding: equal values have equal bytes, on every machine and in every run.
package protocol CanonicalCodable {
  func encode(to output: inout CanonicalOutput)
  init(from input: inout CanonicalInput) throws(CodecError)
}

/// Collects the bytes of an encoding: numbers in LEB128, texts as length and UTF-8.
package struct CanonicalOutput {
  package private(set) var bytes: [UInt8] = []

  /// Reserves space for `count` more bytes.
  mutating func reserve(_ count: Int) { bytes.reserveCapacity(count) }

  package mutating func write(tag: UInt8) {
    bytes.append(tag)
  }

  package mutating func write(_ flag: Bool) {
    bytes.append(flag ? 1 : 0)
  }

  package mutating func write(_ number: UInt64) {
    guard number >= 0x80 else { return bytes.append(UInt8(number)) }
    write(atMost: Self.mostNumberBytes) { Self.put(number, into: &$0) }
  }

  /// The most bytes that a number takes.
  private static let mostNumberBytes = 10

  /// Writes a number into a space that is large enough, and returns how many bytes it takes.
  @inline(__always)
  private static func put(_ number: UInt64, into space: inout MutableRawSpan) -> Int {
    var rest = number
    var count = 0
    while rest >= 0x80 {
      space[count] = UInt8(truncatingIfNeeded: rest) | 0x80
      rest >>= 7
      count &+= 1
    }
    space[count] = UInt8(truncatingIfNeeded: rest)
    return count &+ 1
  }

  /// Writes a signed number in zigzag form, so that small values are short.
  mutating func write(signed number: Int64) {
    write(UInt64(bitPattern: (number << 1) ^ (number >> 63)))
  }

  package mutating func write(_ text: String) {
    text.withUTF8Bytes { write(counted: $0) }
  }

  /// Writes bytes, preceded by their count.
  mutating func write(counted piece: RawSpan) {
    write(atMost: Self.mostNumberBytes + piece.byteCount) { space in
      let head = Self.put(UInt64(piece.byteCount), into: &space)
      space.write(piece, at: head)
      return head + piece.byteCount
    }
  }

  /// Writes a text, given as its bytes, like an optional text.
  mutating func write(optional text: RawSpan?) {
    write(text != nil)
    if let text { write(counted: text) }
  }

  /// Removes everything written but keeps the memory.
  mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

  /// Lets `fill` write into a space of the given size; `fill` returns how many bytes it wrote.
  @inline(__always)
  mutating func write(atMost count: Int, _ fill: (inout MutableRawSpan) -> Int) {
    bytes.append(atMost: count, fill)
  }

  /// Writes bytes that are already encoded.
  mutating func write(encoded piece: RawSpan) {
    bytes.append(bytes: piece)
  }

  /// Writes the bytes of another encoding.
  mutating func write(encoded other: CanonicalOutput) { bytes += other.bytes }

  /// Writes a number as eight bytes.
  mutating func write(littleEndian number: UInt64) {
    write(atMost: MemoryLayout<UInt64>.size) { space in
      space.write(littleEndian: number, at: 0)
      return MemoryLayout<UInt64>.size
    }
  }

  package mutating func write(_ text: String?) {
    write(text != nil)
    if let text { write(text) }
  }

  package mutating func write(_ value: some CanonicalCodable) {
    value.encode(to: &self)
  }

  package mutating func write(_ value: (some CanonicalCodable)?) {
    write(value != nil)
    if let value { write(value) }
  }

  package mutating func write(_ values: [some CanonicalCodable]) {
    write(UInt64(values.count))
    for value in values { write(value) }
  }
}

/// Reads an encoding back, never past its end.
package struct CanonicalInput: ~Escapable {
  private let bytes: RawSpan
  /// Between 0 and the number of bytes. Moves only past bytes that were checked to exist, so reads
  /// without a check rely on it.
  private var offset = 0
  /// Whether a checksum vouches for the bytes. Texts in place are then not validated.
  var isSound = false

  /// Begins to read an encoding.
  @_lifetime(copy bytes)
  init(_ bytes: RawSpan) {
    self.bytes = bytes
  }

  @inline(__always)
  package mutating func readTag() throws(CodecError) -> UInt8 {
    guard offset < bytes.byteCount else { throw .truncated(offset: offset) }
    defer { offset &+= 1 }
    return bytes[unchecked: offset]
  }

  @inline(__always)
  package mutating func readFlag() throws(CodecError) -> Bool {
    switch try readTag() {
    case 0: return false
    case 1: return true
    default: throw invalid
    }
  }

  @inline(__always)
  package mutating func readNumber() throws(CodecError) -> UInt64 {
    // Most numbers are small.
    if offset < bytes.byteCount, bytes[unchecked: offset] < 0x80 {
      defer { offset &+= 1 }
      return UInt64(bytes[unchecked: offset])
    }
    return try readLongNumber()
  }

  private mutating func readLongNumber() throws(CodecError) -> UInt64 {
    if let number = readNumberInWord() { return number }
    var number: UInt64 = 0
    for shift in stride(from: 0, to: 64, by: 7) {
      let byte = try readTag()
      let part = UInt64(byte & 0x7F)
      guard shift < 63 || part <= 1 else { throw invalid }
      number |= part << UInt64(shift)
      if byte < 0x80 {
        // A longer form of the same number would be a second encoding of it.
        guard byte != 0 || shift == 0 else { throw invalid }
        return number
      }
    }
    throw invalid
  }

  /// Reads a number of at most eight bytes without checking each byte; needs eight more bytes of
  /// input. Returns nil without reading anything if the number may be longer.
  @inline(__always)
  private mutating func readNumberInWord() -> UInt64? {
    guard rest >= 8 else { return nil }
    let word: UInt64 = bytes.littleEndian(uncheckedAt: offset)
    // The upper bit of a byte says whether another byte follows.
    let ends = ~word & 0x8080_8080_8080_8080
    guard ends != 0 else { return nil }
    let bits = UInt64(ends.trailingZeroBitCount + 1)
    let last = (word &<< (64 &- bits)) >> 56
    // A longer form of the same number would be a second encoding of it.
    guard last != 0 || bits == 8 else { return nil }
    offset &+= Int(truncatingIfNeeded: bits >> 3)
    // Joins the seven bits of each byte, then of each pair, and then of each four.
    var number = word & (.max &>> (64 &- bits)) & 0x7F7F_7F7F_7F7F_7F7F
    number = number & 0x007F_007F_007F_007F | (number & 0x7F00_7F00_7F00_7F00) >> 1
    number = number & 0x0000_3FFF_0000_3FFF | (number & 0x3FFF_0000_3FFF_0000) >> 2
    return number & 0x0000_0000_0FFF_FFFF | (number & 0x0FFF_FFFF_0000_0000) >> 4
  }

  @inline(__always)
  mutating func readSigned() throws(CodecError) -> Int64 {
    let number = try readNumber()
    return Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
  }

  package mutating func readText() throws(CodecError) -> String {
    let bytes = try readCounted()
    guard let text = String(utf8: bytes) else { throw invalid }
    return text
  }

  /// Reads a text as its bytes.
  @_lifetime(copy self)
  mutating func readTextBytes() throws(CodecError) -> RawSpan {
    let bytes = try readCounted()
    guard isSound || bytes.isUTF8 else { throw invalid }
    return bytes
  }

  /// Reads an optional text as its bytes.
  @_lifetime(copy self)
  mutating func readOptionalTextBytes() throws(CodecError) -> RawSpan? {
    try readFlag() ? try readTextBytes() : nil
  }

  /// Reads bytes preceded by their count.
  @inline(__always)
  @_lifetime(copy self)
  mutating func readCounted() throws(CodecError) -> RawSpan {
    try readBytes(try readCount())
  }

  /// Reads `count` bytes.
  @inline(__always)
  @_lifetime(copy self)
  mutating func readBytes(_ count: Int) throws(CodecError) -> RawSpan {
    // As an unsigned number, a negative count is too large.
    guard UInt(bitPattern: count) <= UInt(bitPattern: rest) else {
      throw .truncated(offset: offset)
    }
    defer { offset &+= count }
    return bytes[unchecked: offset..<(offset &+ count)]
  }

  /// The bytes that `read` consumes.
  @_lifetime(copy self)
  mutating func readBytes(
    _ read: (inout CanonicalInput) throws(CodecError) -> Void
  ) throws(CodecError) -> RawSpan {
    let start = offset
    try read(&self)
    return bytes[start..<offset]
  }

  /// Passes the current position to `read`, which may access the given number of bytes from there.
  /// Bytes after the end are zeros.
  ///
  /// - Parameter read: Returns the length of what it has read.
  @inline(__always)
  mutating func read(atMost count: Int, _ read: (RawSpan) -> Int) throws(CodecError) {
    let taken =
      count <= rest ? read(bytes[unchecked: offset..<(offset &+ count)]) : readPadded(count, read)
    guard taken <= rest else { throw .truncated(offset: offset) }
    offset &+= taken
  }

  /// The slow path, for fewer remaining bytes than `read` may access.
  @inline(never)
  private func readPadded(_ count: Int, _ read: (RawSpan) -> Int) -> Int {
    let padded =
      [UInt8](bytes.extracting(droppingFirst: offset)) + repeatElement(0, count: count - rest)
    return read(padded.span.bytes)
  }

  /// Reads the count of elements that take at least one byte each. A larger count is damage and
  /// must not reserve memory.
  @inline(__always)
  mutating func readCount() throws(CodecError) -> Int {
    let count = try readNumber()
    guard count <= UInt64(rest) else { throw .truncated(offset: offset) }
    return Int(count)
  }

  /// Reads a number that is at most `limit`.
  mutating func readNumber(upTo limit: Int) throws(CodecError) -> Int {
    guard let number = Int(exactly: try readNumber()), number <= limit else { throw invalid }
    return number
  }

  /// Reads a value that is stored by its name, which is ASCII, so no other text is equal to it.
  mutating func readName<Name: RawRepresentable<String>>(
    _ type: Name.Type = Name.self
  ) throws(CodecError) -> Name {
    let bytes = try readCounted()
    guard let name = Name(rawValue: String(decoding: bytes)) else { throw invalid }
    return name
  }

  /// Reads a value that is stored by its number.
  mutating func readCode<Value: StoredCode>(
    _ type: Value.Type = Value.self
  ) throws(CodecError) -> Value {
    guard let value = Value(code: try readTag()) else { throw invalid }
    return value
  }

  package mutating func readOptionalText() throws(CodecError) -> String? {
    try readFlag() ? try readText() : nil
  }

  package mutating func read<Value: CanonicalCodable>(
    _ type: Value.Type = Value.self
  ) throws(CodecError) -> Value {
    try Value(from: &self)
  }

  package mutating func readOptional<Value: CanonicalCodable>(
    _ type: Value.Type = Value.self
  ) throws(CodecError) -> Value? {
    try readFlag() ? try Value(from: &self) : nil
  }

  package mutating func readArray<Value: CanonicalCodable>(
    _ type: Value.Type = Value.self
  ) throws(CodecError) -> [Value] {
    let count = try readCount()
    var values: [Value] = []
    values.reserveCapacity(count)
    for _ in 0..<count { values.append(try Value(from: &self)) }
    return values
  }

  /// The number of bytes left.
  var rest: Int { bytes.byteCount - offset }

  /// The error for the value that was just read.
  package var invalid: CodecError { .invalid(offset: offset) }

  /// Throws if bytes are left.
  func finish() throws(CodecError) {
    guard rest == 0 else { throw .excess(offset: offset) }
  }
}

extension CanonicalCodable {
  /// Most events are smaller. Reserving space once is cheaper than growing.
  private static var usualBytes: Int { 96 }

  /// The one encoding of the value. Complexity: linear in its size.
  package var canonicalBytes: [UInt8] {
    var output = CanonicalOutput()
    output.reserve(Self.usualBytes)
    encode(to: &output)
    return output.bytes
  }

  /// Reads a value from exactly these bytes.
  package static func decode(_ span: RawSpan) throws(CodecError) -> Self {
    var input = CanonicalInput(span)
    let value = try Self(from: &input)
    try input.finish()
    return value
  }
}

extension BareJID: CanonicalCodable {
  package func encode(to output: inout CanonicalOutput) {
    output.write(text)
  }

  package init(from input: inout CanonicalInput) throws(CodecError) {
    self.init(prepared: try input.readText())
  }
}

extension JID: CanonicalCodable {
  package func encode(to output: inout CanonicalOutput) {
    output.write(bare)
    output.write(resource)
  }

  package init(from input: inout CanonicalInput) throws(CodecError) {
    let bare = try input.read(BareJID.self)
    self.init(prepared: bare, resource: try input.readOptionalText())
  }
}
