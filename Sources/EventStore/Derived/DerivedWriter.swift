import RawBytes

/// Stores what is derived from consecutive records in blocks, inside one transaction. Call
/// `finish`, which stores the last blocks, before the transaction ends.
struct DerivedWriter: ~Copyable {
  private let events: WriteCursor<UInt64>
  private var packer = EventPacker()
  private var indexEntries: [UInt64] = []
  /// The first records that the next blocks cover, and the last record so far.
  private var firstOfEvents: UInt64
  private var firstOfIndex: UInt64
  private var last: UInt64

  /// - Parameter first: The first record whose data will be stored.
  init(
    from first: UInt64, in transaction: borrowing WriteTransaction
  ) throws(EventLogError) {
    events = try WriteCursor(transaction.databases.events, in: transaction)
    (firstOfEvents, firstOfIndex, last) = (first, first, first - 1)
  }

  /// Takes what is derived from the next record.
  mutating func write(
    _ event: RawSpan?, _ contacts: Span<ContactKey>,
    of header: RecordHeader, in transaction: borrowing WriteTransaction
  ) throws(EventLogError) {
    let sequence = header.sequence
    if sequence - firstOfEvents >= EventPacker.mostRecords
      || !packer.hasRoom(for: event?.byteCount ?? 0)
    {
      try storeEvents()
    }
    if indexEntries.count >= ContactIndex.capacity
      || sequence - firstOfIndex >= ContactIndex.mostRecords
    {
      try storeIndex(in: transaction)
    }
    last = sequence
    if let event {
      guard event.byteCount <= LogFormat.payloadLimit else {
        throw .payloadTooLong(bytes: event.byteCount, limit: LogFormat.payloadLimit)
      }
      packer.add(event, of: header, first: firstOfEvents)
    }
    for index in contacts.indices {
      indexEntries.append(ContactIndex.entry(contacts[index], sequence - firstOfIndex))
    }
  }

  /// Takes what is derived from the next record if it is not in place.
  mutating func write(
    _ parts: DerivedParts, of header: RecordHeader, in transaction: borrowing WriteTransaction
  ) throws(EventLogError) {
    let contacts = parts.contacts.map { ContactKey($0) }
    try write(parts.event?.span.bytes, contacts.span, of: header, in: transaction)
  }

  /// Stores what has not been stored yet.
  mutating func finish(in transaction: borrowing WriteTransaction) throws(EventLogError) {
    try storeEvents()
    try storeIndex(in: transaction)
  }

  private mutating func storeEvents() throws(EventLogError) {
    guard last >= firstOfEvents else { return }
    let records = firstOfEvents...last
    try events.append(
      sequence: firstOfEvents, byteCount: DerivedBlock.headBytes + packer.content.count
    ) { space in
      space.write(packer.content.span.bytes, at: DerivedBlock.headBytes)
      DerivedBlock.writeHead(.events, covering: records, to: &space)
    }
    packer.removeAll()
    firstOfEvents = last + 1
  }

  private mutating func storeIndex(
    in transaction: borrowing WriteTransaction
  ) throws(EventLogError) {
    guard last >= firstOfIndex else { return }
    indexEntries.sort()
    try transaction.addToIndex(indexEntries, covering: firstOfIndex...last)
    indexEntries.removeAll(keepingCapacity: true)
    firstOfIndex = last + 1
  }
}

extension WriteTransaction {
  /// Whether data of a version may be added to the log's derived parts; if not, marks the log as
  /// outdated.
  func mayDerive(_ version: UInt32) throws(EventLogError) -> Bool {
    let stored = try get(.eventVersion)
    if stored == version { return true }
    if stored != nil { try set(.eventVersion, to: nil) }
    return false
  }

  /// Adds a block to the index, merged with the previous blocks that are not larger. Otherwise,
  /// recording stanza by stanza would leave a block for each. This keeps the number of blocks
  /// small, and an entry is written only about ten times.
  fileprivate func addToIndex(
    _ entries: [UInt64], covering records: ClosedRange<UInt64>
  ) throws(EventLogError) {
    var (entries, records) = (entries, records)
    while let (first, before) = try lastOfIndex(before: records), before.count <= entries.count,
      before.count + entries.count <= ContactIndex.capacity,
      records.upperBound - first < ContactIndex.mostRecords
    {
      let offset = records.lowerBound - first
      entries = ContactIndex.merged(before, entries.map { $0 + offset })
      records = first...records.upperBound
      try delete(databases.index, first)
    }
    let (merged, covered) = (entries, records)
    let size = DerivedBlock.headBytes + ContactIndex.size(merged)
    try put(databases.index, covered.lowerBound, byteCount: size) { space in
      ContactIndex.write(merged, to: &space)
      DerivedBlock.writeHead(.index, covering: covered, to: &space)
    }
  }

  /// The entries of the index's last block, if it ends before these records and is intact.
  private func lastOfIndex(
    before records: ClosedRange<UInt64>
  ) throws(EventLogError) -> (first: UInt64, entries: [UInt64])? {
    guard let entry = try Cursor(databases.index, in: self).last(),
      let block = DerivedBlock(
        entry.value, first: try UInt64(storedKey: entry.key), of: .index),
      block.covers.upperBound + 1 == records.lowerBound
    else { return nil }
    return (block.covers.lowerBound, ContactIndex(block).entries)
  }
}
