package import Captures
package import EventStore

extension JSONValue {
  /// A record as `rollcall log --json` lists it: its XML, or, if it is no element, the line that a
  /// native capture has of it.
  ///
  /// - Parameter kind: What it is, in the words of the command's option.
  package init(_ header: RecordHeader, _ bytes: [UInt8], kind: String) {
    let line = header.kind.isXML ? nil : try? JSONScanner.object(bytes[...])
    self = .object([
      "record": JSONValue(header.sequence), "connection": .integer(Int64(header.connection)),
      "time": JSONValue(time: header.time),
      "direction": .string(header.direction.name), "kind": .string(kind),
      "xml": line == nil ? .string(String(decoding: bytes, as: UTF8.self)) : .null,
      "line": line.map { .object($0) } ?? .null,
    ])
  }

  /// A record as `rollcall show --json` prints it.
  ///
  /// - Parameter moment: What it did; nil where it means nothing to the roster.
  package init(_ stored: StoredRecord, _ moment: Timeline.Moment?) {
    let header = stored.header
    self = JSONValue(header, stored.bytes, kind: header.kind.name).adding([
      "sourceTime": JSONValue(time: header.sourceTime),
      "pack": .object([
        "first": JSONValue(stored.pack.sequences.lowerBound),
        "last": JSONValue(stored.pack.sequences.upperBound),
        "digest": .string("\(stored.pack.digest)"),
      ]),
      "story": moment.map { JSONValue($0) } ?? .null,
    ])
  }
}

extension RecordKind {
  /// Whether the bytes of such a record are XML as it was on the wire.
  fileprivate var isXML: Bool { [.element, .streamHeader, .streamEnd].contains(self) }
}
