import Captures
import EventStore

/// Numbers the connections of a capture in the order in which they come, unless it does so itself.
struct ConnectionNumbers {
  private var numbers: [String: UInt32] = [:]
  private var greatest: UInt32
  /// The names of those that have one, by number.
  private(set) var names: [UInt32: String]
  /// The numbers of those that were asked for, by what the source calls them: nothing for one
  /// without a name, and `#2` for the second of several without.
  private(set) var used: [String: UInt32] = [:]
  /// Most records have the connection of the one before.
  private var last: (name: String, number: UInt32)?

  /// - Parameters:
  ///   - names: The connections that the log knows by name already.
  ///   - isEmpty: Whether the log has no records, so that all numbers are free.
  init(names: [UInt32: String] = [:], isEmpty: Bool = true) {
    self.names = names
    for (number, name) in names { numbers[name] = number }
    // Records without a name are those of the first connection.
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

  /// Whether a record's connection is that of the record before, which has this number.
  func isLast(_ name: String, _ number: UInt32) -> Bool {
    last.map { $0.number == number && $0.name == name } ?? false
  }

  /// The number of a connection that goes by a key.
  ///
  /// - Parameter name: What it is called; empty for nothing.
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
