/// One section: what it is, and its rows in order.
struct Section: Sendable {
  let id: SectionID
  var rows: [ListedRow]

  /// Where a row stands or would stand. Complexity: O(log n).
  func place(of row: ListedRow) -> Int {
    var low = 0
    var high = rows.count
    while low < high {
      let middle = (low + high) / 2
      if rows[middle] < row { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

/// A contact or a request, with what it is sorted and searched by. An object, so that moving rows
/// in memory moves a word each.
final class ListedRow: Sendable {
  /// Whether the screen shows it, and as what.
  enum Standing { case request, friend, hidden }

  let shown: SectionIndex.Row
  let id: String
  let standing: Standing
  /// Settles the order before the name does.
  let rank: Int
  /// Empty for a request.
  let name: SortKey
  /// None for a request.
  let nameBits: NameBits
  let addressBits: AddressBits

  init(
    _ contact: ListedContact, isFriend: Bool, rank: Int, name: SortKey, nameBits: NameBits
  ) {
    shown = .contact(contact)
    id = contact.id
    standing = isFriend ? .friend : .hidden
    self.rank = rank
    self.name = name
    self.nameBits = nameBits
    addressBits =
      id.utf8.withContiguousStorageIfAvailable { AddressBits($0) } ?? AddressBits(id.utf8)
  }

  /// The newest first: by the record's number downwards.
  init(_ request: ListedRequest, isShown: Bool) {
    shown = .request(request)
    id = request.id
    standing = isShown ? .request : .hidden
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
  /// Goes over the rows in order. Sorts numbers rather than objects, which would be counted at
  /// every step.
  func forEachInOrder(_ body: (ListedRow) -> Void) {
    let order = indices.map { (number: $0, rank: self[$0].rank, prefix: self[$0].name.prefix) }
      .sorted {
        if $0.rank != $1.rank { return $0.rank < $1.rank }
        if $0.prefix != $1.prefix { return $0.prefix < $1.prefix }
        return self[$0.number] < self[$1.number]
      }
    for place in order { body(self[place.number]) }
  }
}
