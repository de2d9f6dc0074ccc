import RawBytes

/// One section with its rows in order.
struct ShownSection: Sendable {
  let id: SectionID
  var rows: [ListedRow]

  /// The index at which a row is or would be inserted. Complexity: O(log n).
  func index(of row: ListedRow) -> Int {
    rows.partitioningIndex { !($0 < row) }
  }
}

/// A contact or a request with its sort and search keys. A class, so that moving rows in memory
/// moves one word each.
final class ListedRow: Sendable {
  /// Whether the screen shows the row, and as what.
  enum Role { case request, friend, hidden }

  let content: SectionIndex.Row
  let id: String
  let role: Role
  /// Orders rows before their names do.
  let rank: Int
  /// Empty for a request.
  let name: SortKey
  /// Empty for a request.
  let nameBits: NameBits
  let addressBits: AddressBits

  init(
    _ contact: ListedContact, isFriend: Bool, rank: Int, name: SortKey, nameBits: NameBits
  ) {
    content = .contact(contact)
    id = contact.id
    role = isFriend ? .friend : .hidden
    self.rank = rank
    self.name = name
    self.nameBits = nameBits
    addressBits =
      id.utf8.withContiguousStorageIfAvailable { AddressBits($0) } ?? AddressBits(id.utf8)
  }

  /// Ranks the newest request first, by descending record number.
  init(_ request: ListedRequest, isShown: Bool) {
    content = .request(request)
    id = request.id
    role = isShown ? .request : .hidden
    rank = -Int(clamping: request.since)
    name = .empty
    nameBits = NameBits()
    addressBits = AddressBits(request.id.utf8)
  }

  static func < (left: ListedRow, right: ListedRow) -> Bool {
    if left.rank != right.rank { return left.rank < right.rank }
    if left.name != right.name { return left.name < right.name }
    return left.id < right.id
  }
}

extension [ListedRow] {
  /// Calls `body` with the rows in order. Sorts indices rather than objects, which would be
  /// reference-counted at every step.
  func forEachInOrder(_ body: (ListedRow) -> Void) {
    let order = indices.map { (number: $0, rank: self[$0].rank, prefix: self[$0].name.prefix) }
      .sorted {
        if $0.rank != $1.rank { return $0.rank < $1.rank }
        if $0.prefix != $1.prefix { return $0.prefix < $1.prefix }
        return self[$0.number] < self[$1.number]
      }
    for entry in order { body(self[entry.number]) }
  }
}
