package import EventStore

/// The length and digest of a capture's bytes, by which it is recognized again.
package struct SourceFingerprint: Hashable, Sendable {
  /// Its name for people.
  package let name: String
  /// Its length in bytes.
  package let length: UInt64
  /// The checksum of its bytes, in hexadecimal.
  package let digest: String
  /// The digests of those of its prefixes that were requested, by length.
  let beginnings: [UInt64: String]

  /// Whether it is a capture that was imported before, or begins with all of its bytes.
  func begins(with source: ImportedSource) -> Bool {
    source.length == length || source.length == 0
      ? digest == source.digest : beginnings[source.length] == source.digest
  }
}

/// Computes the print of a capture while its bytes are read.
package struct SourceFingerprinter {
  private let name: String
  private var checksum = RunningChecksum()
  private var length: UInt64 = 0
  /// The lengths of the prefixes that are still ahead, the next one last.
  private var lengths: [UInt64]
  private var beginnings: [UInt64: String] = [:]

  /// - Parameters:
  ///   - name: The capture's name for people.
  ///   - known: The earlier imports.
  package init(_ name: String, knowing known: [ImportedSource]) {
    self.name = name
    lengths = Set(known.map(\.length)).sorted(by: >)
  }

  mutating func take(_ chunk: [UInt8]) {
    var rest = chunk[...]
    while let next = lengths.last, next <= length + UInt64(rest.count) {
      let part = rest.prefix(Int(next - length))
      add(part)
      rest = rest[part.endIndex...]
      beginnings[next] = checksum.checksum.description
      lengths.removeLast()
    }
    add(rest)
  }

  var print: SourceFingerprint {
    SourceFingerprint(
      name: name, length: length, digest: checksum.checksum.description, beginnings: beginnings)
  }

  private mutating func add(_ bytes: ArraySlice<UInt8>) {
    checksum.update(bytes.span.bytes)
    length += UInt64(bytes.count)
  }
}
