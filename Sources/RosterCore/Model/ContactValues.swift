public import XMPPStanza

/// A view of a roster: one value for each contact that has it, by address.
///
/// Shares the roster's storage. Looking up a contact is O(1). Iterating, in the order of the
/// addresses, is O(n log n) in the contacts.
public struct ContactValues<Value: Sendable>: Sendable {
  private let table: ContactTable
  private let isHidden: Bool
  private let value: @Sendable (ContactTable, ContactNumber) -> Value?

  /// - Parameter isHidden: Whether to show no contact at all.
  init(
    _ table: ContactTable, isHidden: Bool = false,
    _ value: @escaping @Sendable (ContactTable, ContactNumber) -> Value?
  ) {
    self.table = table
    self.isHidden = isHidden
    self.value = value
  }

  /// The value of a contact. Complexity: O(1).
  public subscript(jid: BareJID) -> Value? {
    guard !isHidden, let number = table.number(of: jid) else { return nil }
    return value(table, number)
  }

  /// The number of contacts that have a value. Complexity: O(n).
  public var count: Int { unsorted.count }

  /// Whether no contact has a value. Complexity: O(n).
  public var isEmpty: Bool { unsorted.isEmpty }

  /// The addresses of the contacts that have a value, in order.
  public var keys: [BareJID] { map(\.key) }

  /// The values, in the order of the addresses.
  public var values: [Value] { map(\.value) }

  private var unsorted: [ContactNumber] {
    isHidden ? [] : table.numbers.filter { value(table, $0) != nil }
  }
}

extension ContactValues: Sequence {
  /// Iterates over the contacts that have a value, in the order of their addresses.
  public func makeIterator() -> AnyIterator<(key: BareJID, value: Value)> {
    var rest = table.sorted(unsorted).makeIterator()
    return AnyIterator { [table, value] in
      guard let number = rest.next(), let value = value(table, number) else { return nil }
      return (table.address(of: number), value)
    }
  }
}

extension ContactValues: Equatable where Value: Equatable {
  /// Whether the same contacts have the same values.
  public static func == (a: ContactValues, b: ContactValues) -> Bool {
    a.elementsEqual(b) { $0.key == $1.key && $0.value == $1.value }
  }
}
