import RawBytes

// How the generated tables are read: in place, so that nothing is built at start.

/// A table of records of equal width in printable ASCII, in digits of base 91.
struct PackedTable {
  private let text: StaticString
  private let width: Int
  /// How many records there are.
  let count: Int

  init(_ text: StaticString, width: Int) {
    self.text = text
    self.width = width
    count = text.utf8CodeUnitCount / width
  }

  // An offset and the digits from there on are of a record, and so are there where it is.

  /// Whether there is such a record; beyond them everything reads as zero.
  private func holds(_ record: Int) -> Bool { record >= 0 && record < count }

  /// A byte of a record.
  func byte(_ record: Int, at offset: Int) -> UInt8 {
    guard holds(record) else { return 0 }
    return text.utf8Bytes[unchecked: record &* width &+ offset]
  }

  /// Two digits of a record.
  func pair(_ record: Int, at offset: Int) -> UInt16 {
    guard holds(record) else { return 0 }
    let bytes = text.utf8Bytes
    let place = record &* width &+ offset
    return UInt16(bytes[unchecked: place] &- 36) &* 91 &+ UInt16(bytes[unchecked: place &+ 1] &- 36)
  }

  /// Three digits of a record.
  func triple(_ record: Int, at offset: Int) -> UInt32 {
    guard holds(record) else { return 0 }
    let bytes = text.utf8Bytes
    let place = record &* width &+ offset
    func digit(_ index: Int) -> UInt32 { UInt32(bytes[unchecked: place &+ index] &- 36) }
    return (digit(0) &* 91 &+ digit(1)) &* 91 &+ digit(2)
  }

  /// The first record that is not before what is looked for, where records are in order.
  func firstRecord(notBefore isBefore: (Int) -> Bool) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low &+ high) / 2
      if isBefore(middle) { low = middle &+ 1 } else { high = middle }
    }
    return low
  }

  /// The first record that begins with this scalar, where records begin with three digits of one.
  func firstRecord(of scalar: UInt32) -> Int? {
    let record = firstRecord { triple($0, at: 0) < scalar }
    return record < count && triple(record, at: 0) == scalar ? record : nil
  }
}
