/// Stores what is derived from records, inside one transaction. It must go before the transaction
/// ends.
struct DerivedWriter: ~Copyable {
  private let events: WriteCursor<UInt64>

  init(_ transaction: borrowing WriteTransaction) throws(EventLogError) {
    events = try WriteCursor(transaction.databases.events, in: transaction)
  }

  /// Stores what is derived from a record that is after all those before.
  func write(
    _ event: [UInt8]?, _ contacts: [String], of header: RecordHeader,
    in transaction: borrowing WriteTransaction, _ memory: inout WriterMemory
  ) throws(EventLogError) {
    if let event {
      guard event.count <= LogFormat.payloadLimit else {
        throw .payloadTooLong(bytes: event.count, limit: LogFormat.payloadLimit)
      }
      try events.append(
        sequence: header.sequence, byteCount: LogFormat.eventHeaderBytes + event.count
      ) { space in
        LogFormat.writeEventHeader(header, to: space)
        UnsafeMutableRawBufferPointer(rebasing: space[LogFormat.eventHeaderBytes...])
          .copyBytes(from: event)
      }
    }
    try ContactIndex.add(contacts, of: header.sequence, in: transaction, &memory)
  }
}

extension WriteTransaction {
  /// Whether derived parts of a version may be added to those that are there; marks the log where
  /// not.
  func mayDerive(_ version: UInt32) throws(EventLogError) -> Bool {
    let stored = try get(.eventVersion)
    if stored == version { return true }
    if stored != nil { try set(.eventVersion, to: nil) }
    return false
  }
}
