import Crypto

/// The SHA-256 of a state's canonical bytes: two states are equal where their digests are.
package struct StateDigest: Hashable, Sendable {
  private let value: SHA256Value

  /// The digest of a state's canonical bytes. Complexity: linear in them.
  package init(of state: RawSpan) {
    self = state.withUnsafeBytes { StateDigest(of: $0) }
  }

  init(of state: UnsafeRawBufferPointer) {
    var hash = SHA256()
    hash.update(bufferPointer: state)
    value = SHA256Value(hash.finalize())
  }

  /// The seal over the head of a snapshot (`LogFormat` has the layout).
  init(sealing head: UnsafeRawBufferPointer, sequence: UInt64, record: RecordDigest) {
    var hash = SHA256()
    hash.update(data: Array(LogFormat.sealLabel.utf8))
    withUnsafeBytes(of: sequence.bigEndian) { hash.update(bufferPointer: $0) }
    hash.update(bufferPointer: head)
    withUnsafeBytes(of: record) { hash.update(bufferPointer: $0) }
    value = SHA256Value(hash.finalize())
  }

  /// From the first 32 of these bytes, of which there must be as many.
  init(stored bytes: UnsafeRawBufferPointer) {
    value = SHA256Value(stored: bytes)
  }

  /// The 32 bytes.
  package var bytes: [UInt8] { value.bytes }
}

extension StateDigest: CustomStringConvertible {
  /// 64 hexadecimal digits in lower case.
  package var description: String { value.description }
}

/// 32 bytes in place, without an array, laid out as they are stored.
struct SHA256Value: Hashable, Sendable {
  private let a: UInt64
  private let b: UInt64
  private let c: UInt64
  private let d: UInt64

  init(_ digest: SHA256Digest) {
    self = digest.withUnsafeBytes { SHA256Value(stored: $0) }
  }

  /// From the first 32 of these bytes, of which there must be as many.
  init(stored bytes: UnsafeRawBufferPointer) {
    a = bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self)
    b = bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
    c = bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self)
    d = bytes.loadUnaligned(fromByteOffset: 24, as: UInt64.self)
  }

  var bytes: [UInt8] { withUnsafeBytes(of: self) { Array($0) } }

  /// 64 hexadecimal digits in lower case.
  var description: String {
    let digits = Array("0123456789abcdef".utf8)
    let text = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    return String(decoding: text, as: UTF8.self)
  }
}
