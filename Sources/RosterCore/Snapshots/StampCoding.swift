import XMPPStanza

/// Writes numbers and times of records as the way from the ones before.
protocol StampOutput {
  var plain: CanonicalOutput { get set }
  /// The number and the time that were written last.
  var base: (record: UInt64, time: Int64) { get set }
}

extension StampOutput {
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
}

/// Reads what a `StampOutput` writes.
protocol StampInput: ~Escapable {
  var plain: CanonicalInput { @_lifetime(copy self) get set }
  /// The number and the time that were read last.
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
    RecordStamp(record: try readRecord(), time: try plain.readFlag() ? try readTime() : nil)
  }
}
