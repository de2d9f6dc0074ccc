import RawBytes

// The generated tables are read in place, so that nothing has to be built at start.

/// A table of fixed-width records in printable ASCII, with numbers as base-91 digits.
struct PackedTable {
  private let text: StaticString
  private let width: Int
  /// The number of records.
  let count: Int

  init(_ text: StaticString, width: Int) {
    self.text = text
    self.width = width
    count = text.utf8CodeUnitCount / width
  }

  // The accessors below read unchecked: an offset is within a record, so its bytes exist if the
  // record does.

  /// Whether a record exists; missing records read as zero.
  private func holds(_ record: Int) -> Bool { record >= 0 && record < count }

  /// One byte of a record.
  func byte(_ record: Int, at offset: Int) -> UInt8 {
    guard holds(record) else { return 0 }
    return text.utf8Bytes[unchecked: record &* width &+ offset]
  }

  /// The value of two digits of a record.
  func pair(_ record: Int, at offset: Int) -> UInt16 {
    guard holds(record) else { return 0 }
    let bytes = text.utf8Bytes
    let start = record &* width &+ offset
    return UInt16(bytes[unchecked: start] &- 36) &* 91 &+ UInt16(bytes[unchecked: start &+ 1] &- 36)
  }

  /// The value of three digits of a record.
  func triple(_ record: Int, at offset: Int) -> UInt32 {
    guard holds(record) else { return 0 }
    let bytes = text.utf8Bytes
    let start = record &* width &+ offset
    func digit(_ index: Int) -> UInt32 { UInt32(bytes[unchecked: start &+ index] &- 36) }
    return (digit(0) &* 91 &+ digit(1)) &* 91 &+ digit(2)
  }

  /// The first record of a sorted table for which `isBefore` is false.
  func firstRecord(notBefore isBefore: (Int) -> Bool) -> Int {
    (0..<count).partitioningIndex { !isBefore($0) }
  }

  /// The first record of a scalar, in a sorted table whose records begin with the scalar's three
  /// digits.
  func firstRecord(of scalar: UInt32) -> Int? {
    let record = firstRecord { triple($0, at: 0) < scalar }
    return record < count && triple(record, at: 0) == scalar ? record : nil
  }
}
