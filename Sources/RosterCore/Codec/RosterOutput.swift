import XMPPStanza

/// How a state is laid out, for the writer and the reader.
enum RosterLayout {
  /// How many bytes the head of an address takes over from the one before it, and how long a
  /// tail may be to stand in the table of texts. Without a limit a few damaged bytes could
  /// stand for gigabytes of addresses.
  static let sharing = 64
}

/// Collects the bytes of a state.
///
/// What many contacts share stands once: texts in one table, sets of groups in another. A table
/// is in the order of its bytes, so that there is one encoding, and an entry's number is known
/// only when everything was seen: the numbers' places are kept and filled in at the end.
struct RosterOutput {
  /// The bytes, but for the numbers of what is in the tables.
  var plain = CanonicalOutput()
  /// What is written, whose numbers the texts and groups have.
  let contacts: ContactTable

  private var texts = TextTable()
  /// The index in `texts`, plus one, of each text of the contacts; 0 of one that was not seen.
  private var known: [UInt32]
  /// The groups that were seen, and the index of each list, plus one.
  private var groups: [GroupsNumber] = []
  private var knownGroups: [GroupsNumber: Int] = [:]
  private var places: [Place] = []
  /// The address before, up to where its tail begins.
  private var head: [UInt8] = []
  /// The tails of addresses that came first, which most others have too, and their indices.
  private var tails: [(bytes: [UInt8], index: Int)] = []
  /// Numbers and times of records are written as the way from the ones before.
  private var base = (record: UInt64(0), time: Int64(0))

  /// Where the number of an entry belongs.
  private struct Place {
    var offset: Int
    var index: Int
    var isGroups: Bool
  }

  /// - Parameter contacts: Whose texts will be written.
  init(_ contacts: ContactTable) {
    self.contacts = contacts
    known = Array(repeating: 0, count: contacts.textCount)
  }

  /// A text that other contacts may have too.
  mutating func write(shared text: TextNumber) {
    places.append(Place(offset: plain.bytes.count, index: index(of: text), isGroups: false))
  }

  /// A text that others do not have.
  mutating func write(_ text: TextNumber) {
    contacts.withText(text) { bytes in plain.write(counted: bytes) }
  }

  /// The groups of an item.
  mutating func write(groups list: GroupsNumber) {
    let index = knownGroups[list] ?? groups.count
    if index == groups.count {
      groups.append(list)
      knownGroups[list] = index
      for text in contacts.texts(ofGroups: list) { _ = self.index(of: text) }
    }
    places.append(Place(offset: plain.bytes.count, index: index, isGroups: true))
  }

  private mutating func index(of text: TextNumber) -> Int {
    let place = Int(text.rawValue)
    if known[place] == 0 {
      known[place] = contacts.withText(text) { bytes in texts.insert(bytes) } + 1
    }
    return Int(known[place]) - 1
  }

  /// The number of a record.
  mutating func write(record: UInt64) {
    plain.write(signed: Int64(bitPattern: record &- base.record))
    base.record = record
  }

  /// The time of a record.
  mutating func write(time: Int64) {
    plain.write(signed: time &- base.time)
    base.time = time
  }

  /// A record's number and time.
  mutating func write(_ stamp: RecordStamp) {
    write(record: stamp.record)
    plain.write(stamp.time != nil)
    if let time = stamp.time { write(time: time) }
  }

  /// The address of the next contact; they come in the order of their bytes.
  ///
  /// Its tail, which begins at the `@`, is a shared text unless it is long; the head before it
  /// begins as the one before it did.
  mutating func write(contact: ContactNumber) {
    contacts.withAddress(of: contact) { bytes in
      var split = 0
      while split < bytes.count, bytes[split] != UInt8(ascii: "@") { split += 1 }
      if bytes.count - split > RosterLayout.sharing { split = bytes.count }
      let limit = min(split, head.count, RosterLayout.sharing)
      let shared = head.withUnsafeBytes { old in
        var shared = 0
        while shared < limit, old[shared] == bytes[shared] { shared += 1 }
        return shared
      }
      plain.write(UInt64(shared))
      let rest = UnsafeRawBufferPointer(rebasing: bytes[shared..<split])
      plain.write(counted: rest)
      head.removeLast(head.count - shared)
      head.append(contentsOf: rest)
      plain.write(split < bytes.count)
      if split < bytes.count {
        write(tail: UnsafeRawBufferPointer(rebasing: bytes[split...]))
      }
    }
  }

  private mutating func write(tail bytes: UnsafeRawBufferPointer) {
    let known = tails.first { tail in tail.bytes.withUnsafeBytes { $0.isSame(as: bytes) } }
    let index = known?.index ?? Int(texts.insert(bytes))
    if known == nil, tails.count < 8 { tails.append((Array(bytes), index)) }
    places.append(Place(offset: plain.bytes.count, index: index, isGroups: false))
  }

  // MARK: The tables

  /// Writes the tables, and then the bytes with all numbers in them.
  func finish(into output: inout CanonicalOutput) {
    let order = texts.order(of: Array(0..<UInt32(texts.count)))
    let textNumbers = Self.numbers(of: order.map(\.index))
    output.write(UInt64(order.count))
    for rank in order { texts.withBytes(of: UInt32(rank.index)) { output.write(counted: $0) } }

    let lists = groups.enumerated().map { index, list in
      let texts = contacts.texts(ofGroups: list)
      return (
        numbers: texts.map { textNumbers[Int(known[Int($0.rawValue)]) - 1] }, index: index
      )
    }
    .sorted { $0.numbers.lexicographicallyPrecedes($1.numbers) }
    let listNumbers = Self.numbers(of: lists.map(\.index))
    output.write(UInt64(lists.count))
    for list in lists {
      output.write(UInt64(list.numbers.count))
      for number in list.numbers { output.write(number) }
    }

    plain.bytes.withUnsafeBytes { bytes in
      var done = 0
      for place in places {
        output.write(encoded: UnsafeRawBufferPointer(rebasing: bytes[done..<place.offset]))
        output.write((place.isGroups ? listNumbers : textNumbers)[place.index])
        done = place.offset
      }
      output.write(encoded: UnsafeRawBufferPointer(rebasing: bytes[done...]))
    }
  }

  /// For each index the number of its entry.
  private static func numbers(of order: [Int]) -> [UInt64] {
    var numbers = [UInt64](repeating: 0, count: order.count)
    for (number, index) in order.enumerated() { numbers[index] = UInt64(number) }
    return numbers
  }
}
