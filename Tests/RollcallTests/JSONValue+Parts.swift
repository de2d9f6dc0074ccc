import Captures

/// The parts of a document. What is missing or of another type is empty, as it is for a comparison.
extension JSONValue {
  /// A member of an object; null if there is none.
  subscript(key: String) -> JSONValue { fields[key] ?? .null }

  var fields: [String: JSONValue] {
    guard case .object(let fields) = self else { return [:] }
    return fields
  }

  var elements: [JSONValue] {
    guard case .array(let elements) = self else { return [] }
    return elements
  }

  var words: String {
    guard case .string(let words) = self else { return "" }
    return words
  }

  var number: Int {
    guard case .integer(let number) = self else { return 0 }
    return Int(number)
  }

  /// Whether the value says something: neither null, false, zero nor empty.
  var isSet: Bool {
    switch self {
    case .null: false
    case .bool(let value): value
    case .integer(let value): value != 0
    case .decimal(let value): value != 0
    case .string(let value): !value.isEmpty
    case .array(let values): !values.isEmpty
    case .object(let fields): !fields.isEmpty
    }
  }

  /// Whether two values have the same bytes. Equal texts need not: Unicode has several forms of one
  /// letter, and an id is compared by its bytes.
  func isSame(as other: JSONValue) -> Bool {
    var (own, others): ([UInt8], [UInt8]) = ([], [])
    write(to: &own)
    other.write(to: &others)
    return own == others
  }

  /// An object of lists whose order has no meaning.
  var withSortedLists: JSONValue {
    .object(fields.mapValues { JSONValue($0.elements.map(\.words).sorted()) })
  }

  /// Lists whose order has no meaning, in no particular order.
  static func sortedSets(_ sets: [JSONValue]) -> JSONValue {
    .array(
      sets.map { $0.elements.map(\.words).sorted() }
        .sorted { $0.lexicographicallyPrecedes($1) }.map { JSONValue($0) })
  }
}
