import Crypto
import RawBytes

/// The key of an entry of the database `meta` (`LogFormat` has the layout).
struct MetaKey: StoredKey, Hashable {
  let bytes: [UInt8]

  private static let checksumPrefix = Array("seal ".utf8)
  private static let importWord = Array("import".utf8)
  private static let connectionWord = Array("connection".utf8)

  init(_ bytes: some Sequence<UInt8>) {
    self.bytes = Array(bytes)
  }

  init(_ bytes: RawSpan) {
    self.bytes = [UInt8](bytes)
  }

  /// The key of an import, counted from 0.
  init(imported number: UInt32) {
    bytes = Self.importWord + number.bigEndianBytes
  }

  /// The key of the name of a connection.
  init(connection number: UInt32) {
    bytes = Self.connectionWord + number.bigEndianBytes
  }

  /// The key of the checksum of this entry.
  var ofChecksum: MetaKey { MetaKey(Self.checksumPrefix + bytes) }

  /// The key of the entry whose checksum this key is of; nil where it is of no checksum.
  var checkedKey: MetaKey? {
    guard bytes.starts(with: Self.checksumPrefix) else { return nil }
    return MetaKey(bytes.dropFirst(Self.checksumPrefix.count))
  }

  /// Nil where it is not the key of an import.
  var importNumber: UInt32? { number(after: Self.importWord) }

  /// Nil where it is not the key of the name of a connection.
  var connectionNumber: UInt32? { number(after: Self.connectionWord) }

  private func number(after word: [UInt8]) -> UInt32? {
    guard bytes.count == word.count + 4, bytes.starts(with: word) else { return nil }
    return bytes.dropFirst(word.count).reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// What tells a value that was written under this key from any other: nothing else in a log says
  /// what an account or the name of an import has to be.
  func checksum(of value: RawSpan) -> LogDigest {
    LogDigest { hash in
      hash.update(data: Array(LogFormat.metaChecksumLabel.utf8))
      hash.update(data: [UInt8(truncatingIfNeeded: bytes.count)])
      hash.update(data: bytes)
      hash.update(value)
    }
  }

  func withStoredBytes<R, E: Error>(
    _ body: (RawSpan) throws(E) -> R
  ) throws(E) -> R {
    try body(bytes.span.bytes)
  }
}

extension MetaKey: CustomStringConvertible {
  /// What a person calls the entry.
  var description: String {
    if let importNumber { return "import \(importNumber)" }
    if let connectionNumber { return "connection \(connectionNumber)" }
    return "“\(String(decoding: bytes, as: UTF8.self))”"
  }
}

/// A value of the database `meta`.
protocol MetaValue {
  /// Nil where the bytes are no such value.
  init?(stored value: RawSpan)
  var stored: [UInt8] { get }
}

/// An entry of the database `meta`: its key, and the type of its value.
struct MetaEntry<Value: MetaValue> {
  /// What an error calls it.
  let name: String
  let key: MetaKey

  fileprivate init(_ name: String) {
    self.name = name
    key = MetaKey(name.utf8)
  }
}

extension MetaEntry<UInt32> {
  static var format: Self { Self("format") }
  static var eventVersion: Self { Self("events") }
}

extension MetaEntry<UInt64> {
  /// The number of the transaction that wrote last.
  static var transaction: Self { Self("transaction") }
}

extension MetaEntry<String> {
  private init(connection number: UInt32) {
    name = "connection"
    key = MetaKey(connection: number)
  }

  static var account: Self { Self("account") }
  /// The name of a connection.
  static func connection(_ number: UInt32) -> Self { Self(connection: number) }
}

extension MetaEntry<RebuildProgress> {
  static var rebuild: Self { Self("rebuild") }
}

extension MetaEntry<ImportedSource> {
  private init(number: UInt32) {
    name = "import"
    key = MetaKey(imported: number)
  }

  /// One of the imports, counted from 0.
  static func imported(_ number: UInt32) -> Self { Self(number: number) }
}

extension MetaKey {
  /// Whether it is of an entry that this program writes.
  var isKnown: Bool {
    importNumber != nil || connectionNumber != nil
      || [
        MetaEntry<UInt32>.format.key, MetaEntry<UInt32>.eventVersion.key,
        MetaEntry<UInt64>.transaction.key, MetaEntry<String>.account.key,
        MetaEntry<RebuildProgress>.rebuild.key,
      ].contains(self)
  }
}

// MARK: Values

extension UInt32: MetaValue {
  init?(stored value: RawSpan) {
    guard value.byteCount == 4 else { return nil }
    self = value.bigEndian(at: 0)
  }

  var stored: [UInt8] { bigEndianBytes }
}

extension UInt64: MetaValue {
  init?(stored value: RawSpan) {
    guard value.byteCount == 8 else { return nil }
    self = value.bigEndian(at: 0)
  }

  var stored: [UInt8] { bigEndianBytes }
}

extension String: MetaValue {
  init?(stored value: RawSpan) {
    self.init(decoding: value)
  }

  var stored: [UInt8] { Array(utf8) }
}

extension RebuildProgress: MetaValue {
  init?(stored value: RawSpan) {
    guard value.byteCount == 12 else { return nil }
    eventVersion = value.bigEndian(at: 0)
    next = value.bigEndian(at: 4)
  }

  var stored: [UInt8] { eventVersion.bigEndianBytes + next.bigEndianBytes }
}

/// Digest, name and length, how many ranges of records and the first and last of each, how many
/// connections and the number and name of each. Texts stand after their length, of 32 bits.
extension ImportedSource: MetaValue {
  static let digestLimit = 1 << 10
  static let nameLimit = 1 << 16

  init?(stored value: RawSpan) {
    var rest = MetaFields(value)
    guard let digest = rest.text(), let name = rest.text(), let length = rest.integer(UInt64.self),
      let ranges = rest.list({ rest in
        rest.integer(UInt64.self).flatMap { first in
          rest.integer(UInt64.self).flatMap { first <= $0 ? first...$0 : nil }
        }
      }),
      let connections = rest.list({ rest in
        rest.integer(UInt32.self).flatMap { number in rest.text().map { ($0, number) } }
      }), rest.isEmpty
    else { return nil }
    self.init(
      digest: digest, name: name, length: length, records: ranges,
      connections: Dictionary(connections) { first, _ in first })
  }

  var stored: [UInt8] {
    var bytes = digest.fieldBytes + name.fieldBytes + length.bigEndianBytes
    bytes += UInt32(records.count).bigEndianBytes
    for range in records {
      bytes += range.lowerBound.bigEndianBytes + range.upperBound.bigEndianBytes
    }
    bytes += UInt32(connections.count).bigEndianBytes
    for (name, number) in connections.sorted(by: { ($0.value, $0.key) < ($1.value, $1.key) }) {
      bytes += number.bigEndianBytes + name.fieldBytes
    }
    return bytes
  }
}

/// The fields of a value, taken one after the other.
private struct MetaFields: ~Escapable {
  private var rest: RawSpan

  @_lifetime(copy value)
  init(_ value: RawSpan) {
    rest = value
  }

  var isEmpty: Bool { rest.isEmpty }

  mutating func integer<Integer: FixedWidthInteger & BitwiseCopyable>(_: Integer.Type) -> Integer? {
    let size = MemoryLayout<Integer>.size
    guard rest.byteCount >= size else { return nil }
    let value = rest.bigEndian(at: 0, as: Integer.self)
    rest = rest.extracting(size...)
    return value
  }

  /// A text after its length.
  mutating func text() -> String? {
    guard let count = integer(UInt32.self).map(Int.init), rest.byteCount >= count else {
      return nil
    }
    let text = String(decoding: rest[0..<count])
    rest = rest.extracting(count...)
    return text
  }

  /// As many as a number before them says; nil where one cannot be read.
  mutating func list<Field>(_ field: (inout MetaFields) -> Field?) -> [Field]? {
    guard let count = integer(UInt32.self) else { return nil }
    var fields: [Field] = []
    for _ in 0..<count {
      guard let next = field(&self) else { return nil }
      fields.append(next)
    }
    return fields
  }
}

extension String {
  /// The text after its length.
  fileprivate var fieldBytes: [UInt8] { UInt32(utf8.count).bigEndianBytes + Array(utf8) }
}

extension FixedWidthInteger where Self: BitwiseCopyable {
  var bigEndianBytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(atMost: MemoryLayout<Self>.size) { space in
      space.write(bigEndian: self, at: 0)
      return MemoryLayout<Self>.size
    }
    return bytes
  }
}
