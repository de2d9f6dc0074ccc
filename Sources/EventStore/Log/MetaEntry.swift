import Digests
import RawBytes

/// The key of an entry of the database `meta`; see `LogFormat` for the layout.
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

  /// The key of this entry's checksum.
  var ofChecksum: MetaKey { MetaKey(Self.checksumPrefix + bytes) }

  /// The key of the checked entry, if this is the key of a checksum; nil otherwise.
  var checkedKey: MetaKey? {
    guard bytes.starts(with: Self.checksumPrefix) else { return nil }
    return MetaKey(bytes.dropFirst(Self.checksumPrefix.count))
  }

  /// The import's number; nil if this is not the key of an import.
  var importNumber: UInt32? { number(after: Self.importWord) }

  /// The connection's number; nil if this is not the key of a connection's name.
  var connectionNumber: UInt32? { number(after: Self.connectionWord) }

  private func number(after word: [UInt8]) -> UInt32? {
    guard bytes.count == word.count + 4, bytes.starts(with: word) else { return nil }
    return bytes.dropFirst(word.count).reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// The checksum of a value under this key, which nothing else in the log can confirm.
  func checksum(of value: RawSpan) -> LogDigest {
    LogDigest { hash in
      let key = LogFormat.metaChecksumLabel.utf8 + [UInt8(truncatingIfNeeded: bytes.count)] + bytes
      hash.update(Array(key).span.bytes)
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
  /// A name of the entry for people.
  var description: String {
    if let importNumber { return "import \(importNumber)" }
    if let connectionNumber { return "connection \(connectionNumber)" }
    return "“\(String(decoding: bytes, as: UTF8.self))”"
  }
}

/// A value of the database `meta`.
protocol MetaValue {
  /// Nil if the bytes are not a valid value.
  init?(stored value: RawSpan)
  var stored: [UInt8] { get }
}

/// An entry of the database `meta`: its key, and the type of its value.
struct MetaEntry<Value: MetaValue> {
  /// Its name in errors.
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
  /// Whether this program writes entries with this key.
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

/// Stored as digest, name, length, the number of record ranges and the bounds of each, the number
/// of connections and the number and name of each. A text follows its length, which has 32 bits.
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

/// A reader of the fields of a value.
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

  /// Reads a text, which follows its length.
  mutating func text() -> String? {
    guard let count = integer(UInt32.self).map(Int.init), rest.byteCount >= count else {
      return nil
    }
    let text = String(decoding: rest[0..<count])
    rest = rest.extracting(count...)
    return text
  }

  /// Reads a list of fields, which follows its count; nil if one cannot be read.
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
