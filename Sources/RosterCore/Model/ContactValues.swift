public import XMPPStanza

/// One thing of each contact that has it, by address: a view of a roster.
///
/// It shares what the roster is made of. To look a contact up is O(1); to go over all of them,
/// which is in the order of their addresses, O(n log n) in the contacts.
public struct ContactValues<Value: Sendable>: Sendable {
  private let table: ContactTable
  private let isHidden: Bool
  private let value: @Sendable (ContactTable, ContactNumber) -> Value?

  /// - Parameter isHidden: Whether nobody is said to have it.
  init(
    _ table: ContactTable, isHidden: Bool = false,
    _ value: @escaping @Sendable (ContactTable, ContactNumber) -> Value?
  ) {
    self.table = table
    self.isHidden = isHidden
    self.value = value
  }

  /// What this contact has. Complexity: O(1).
  public subscript(jid: BareJID) -> Value? {
    guard !isHidden, let number = table.number(of: jid) else { return nil }
    return value(table, number)
  }

  /// How many contacts have it. Complexity: O(n).
  public var count: Int { unsorted.count }

  /// Whether no contact has it. Complexity: O(n).
  public var isEmpty: Bool { unsorted.isEmpty }

  /// The addresses of the contacts that have it, in order.
  public var keys: [BareJID] { map(\.key) }

  /// What they have, in the order of their addresses.
  public var values: [Value] { map(\.value) }

  private var unsorted: [ContactNumber] {
    isHidden ? [] : table.numbers.filter { value(table, $0) != nil }
  }
}

extension ContactValues: Sequence {
  /// Goes over the contacts that have it, in the order of their addresses.
  public func makeIterator() -> AnyIterator<(key: BareJID, value: Value)> {
    var rest = table.sorted(unsorted).makeIterator()
    return AnyIterator { [table, value] in
      guard let number = rest.next(), let value = value(table, number) else { return nil }
      return (table.address(of: number), value)
    }
  }
}

extension ContactValues: Equatable where Value: Equatable {
  /// Whether the same contacts have the same.
  public static func == (a: ContactValues, b: ContactValues) -> Bool {
    a.elementsEqual(b) { $0.key == $1.key && $0.value == $1.value }
  }
}
