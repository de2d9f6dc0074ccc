package import EventStore

/// What the bytes of a capture were, by which it is known again.
package struct SourcePrint: Hashable, Sendable {
  /// What people call it.
  package let name: String
  /// How many bytes it has.
  package let length: UInt64
  /// Their checksum, hexadecimal.
  package let digest: String
  /// The digests of its beginnings, by their length, as far as they were asked for.
  let beginnings: [UInt64: String]

  /// Whether it is a capture that was imported before, or begins with all of its bytes.
  func begins(with source: ImportedSource) -> Bool {
    source.length == length || source.length == 0
      ? digest == source.digest : beginnings[source.length] == source.digest
  }
}

/// Makes the print of a capture from its bytes as they are read.
package struct SourcePrinter {
  private let name: String
  private var checksum = RunningChecksum()
  private var length: UInt64 = 0
  /// The lengths of the beginnings that are still to come, the last one first.
  private var lengths: [UInt64]
  private var beginnings: [UInt64: String] = [:]

  /// - Parameters:
  ///   - name: What people call the capture.
  ///   - known: What was imported before.
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

  var print: SourcePrint {
    SourcePrint(
      name: name, length: length, digest: checksum.checksum.description, beginnings: beginnings)
  }

  private mutating func add(_ bytes: ArraySlice<UInt8>) {
    checksum.update(bytes.span.bytes)
    length += UInt64(bytes.count)
  }
}
