import Captures
import EventStore

/// Numbers the connections of a capture in the order in which they appear, unless the capture
/// numbers them itself.
struct ConnectionNumbers {
  private var numbers: [String: UInt32] = [:]
  private var greatest: UInt32
  /// The names of the connections that have one, by number.
  private(set) var names: [UInt32: String]
  /// The numbers of the connections that were looked up, by their names in the source: empty for a
  /// connection without a name, and `#2` for the second of several without.
  private(set) var used: [String: UInt32] = [:]
  /// The previous record's connection, which most records share.
  private var last: (name: String, number: UInt32)?

  /// - Parameters:
  ///   - names: The names of connections that the log already knows.
  ///   - isEmpty: Whether the log has no records, so that all numbers are free.
  init(names: [UInt32: String] = [:], isEmpty: Bool = true) {
    self.names = names
    for (number, name) in names { numbers[name] = number }
    // Records without a name belong to the first connection.
    greatest = max(names.keys.max() ?? 0, isEmpty ? 0 : 1)
    if !isEmpty { numbers[""] = 1 }
  }

  /// The number of a record's connection, from 1.
  mutating func number(of record: CapturedRecord) -> UInt32 {
    guard let number = record.connectionNumber else {
      return number(of: record.connection, called: record.connection)
    }
    if !record.connection.isEmpty { names[number] = record.connection }
    if isLast(record.connection, number) { return number }
    used[names[number] ?? (number == 1 ? "" : "#\(number)")] = number
    last = (record.connection, number)
    return number
  }

  /// Whether a record has the connection of the previous record, and this number.
  func isLast(_ name: String, _ number: UInt32) -> Bool {
    last.map { $0.number == number && $0.name == name } ?? false
  }

  /// The number of the connection with a key.
  ///
  /// - Parameter name: Its name; empty for none.
  mutating func number(of key: String, called name: String) -> UInt32 {
    if let last, last.name == key { return last.number }
    let number = numbers[key] ?? greatest + 1
    numbers[key] = number
    greatest = max(greatest, number)
    if !name.isEmpty { names[number] = name }
    used[key] = number
    last = (key, number)
    return number
  }
}
