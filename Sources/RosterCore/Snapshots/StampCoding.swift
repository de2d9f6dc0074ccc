import XMPPStanza

/// Writes record numbers and times as the difference from the previous ones.
protocol StampOutput {
  var plain: CanonicalOutput { get set }
  /// The number and time that were written last.
  var base: (record: UInt64, time: Int64) { get set }
}

extension StampOutput {
  /// Writes the number of a record.
  mutating func write(record: UInt64) {
    plain.write(signed: Int64(bitPattern: record &- base.record))
    base.record = record
  }

  /// Writes the time of a record.
  mutating func write(time: Int64) {
    plain.write(signed: time &- base.time)
    base.time = time
  }

  /// Writes the number and time of a record.
  mutating func write(_ stamp: RecordStamp) {
    write(record: stamp.record)
    plain.write(tag: stamp.time == nil ? 0 : stamp.isHeld ? 2 : 1)
    if let time = stamp.time { write(time: time) }
  }
}

/// Reads what a `StampOutput` writes.
protocol StampInput: ~Escapable {
  var plain: CanonicalInput { @_lifetime(copy self) get set }
  /// The number and time that were read last.
  var base: (record: UInt64, time: Int64) { get set }
}

extension StampInput where Self: ~Escapable {
  mutating func readRecord() throws(CodecError) -> UInt64 {
    base.record &+= UInt64(bitPattern: try plain.readSigned())
    return base.record
  }

  mutating func readTime() throws(CodecError) -> Int64 {
    base.time &+= try plain.readSigned()
    return base.time
  }

  mutating func readStamp() throws(CodecError) -> RecordStamp {
    let record = try readRecord()
    let kind = try plain.readTag()
    guard kind <= 2 else { throw plain.invalid }
    return RecordStamp(record: record, time: kind == 0 ? nil : try readTime(), isHeld: kind == 2)
  }
}
