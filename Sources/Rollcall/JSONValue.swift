import Foundation

/// A JSON document in the making: what every command gives for `--json`.
package enum JSONValue: Hashable, Sendable, Encodable {
  case null
  case bool(Bool)
  case integer(Int64)
  case string(String)
  case array([JSONValue])
  case object([String: JSONValue])

  /// A text, or null where there is none.
  package init(_ text: String?) {
    self = text.map { .string($0) } ?? .null
  }

  /// A record number.
  package init(_ record: UInt64) {
    self = .integer(Int64(clamping: record))
  }

  /// A record number, or null where there is none.
  package init(_ record: UInt64?) {
    self = record.map { JSONValue($0) } ?? .null
  }

  /// A list of texts.
  package init(_ texts: some Sequence<String>) {
    self = .array(texts.map { .string($0) })
  }

  /// A record's time, or null where the source had no clock.
  package init(time: Int64?) {
    self.init(time.map(Timestamp.text))
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .integer(let value): try container.encode(value)
    case .string(let value): try container.encode(value)
    case .array(let values): try container.encode(values)
    case .object(let members): try container.encode(members)
    }
  }

  /// The document as one line of UTF-8, keys in order, so that equal documents are equal bytes.
  package func text() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(self), as: UTF8.self)
  }
}
