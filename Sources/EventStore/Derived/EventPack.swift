/// The stored events of consecutive records: the content of a `DerivedBlock`.
///
/// For each record that means something, in order,
///
///     0  UInt32 bytes of the event
///     4  UInt16 the record, counted from the first one that the block covers
///     6  UInt8  the direction, and flags: 4 the time is known, 8 a connection follows
///     7  UInt8  kind
///     8  Int64  time, ms since 1970 (only with flag 4)
///        UInt32 connection (only with flag 8; else it is 1)
///               the event
struct EventPack {
  /// The most bytes of a pack of several events (`RecordPacker.most` says why).
  static let most = RecordPacker.most
  /// How many records a pack covers at most.
  static let mostRecords: UInt64 = 1 << 16

  private static let headBytes = 8
  private static let timeBytes = 8
  private static let connectionBytes = 4
  private static let mostHeadBytes = headBytes + timeBytes + connectionBytes
  private static let directions: UInt8 = 3
  private static let timeIsKnown: UInt8 = 4
  private static let hasConnection: UInt8 = 8

  private let block: DerivedBlock

  init(_ block: DerivedBlock) {
    self.block = block
  }

  /// Hands the events of some of its records to `body`, in order.
  ///
  /// - Throws: `EventLogError.corrupt` at what no program of ours wrote, and what `body` throws.
  func forEach(
    in range: ClosedRange<UInt64>, _ body: (EventHeader, UnsafeRawBufferPointer) throws -> Void
  ) throws {
    var rest = block.content
    while !rest.isEmpty {
      let (header, event) = try Self.take(from: &rest, first: block.covers.lowerBound)
      guard header.sequence <= range.upperBound else { return }
      if header.sequence >= range.lowerBound { try body(header, event) }
    }
  }

  private static func take(
    from rest: inout UnsafeRawBufferPointer, first: UInt64
  ) throws(EventLogError) -> (EventHeader, UnsafeRawBufferPointer) {
    let sequence =
      rest.count < headBytes
      ? first
      : first
        + UInt64(
          rest.loadBigEndian(at: 4, as: UInt16.self))
    var size = headBytes
    func cutShort() -> EventLogError {
      .corrupt(sequence: sequence, what: "its stored event is cut short")
    }
    guard rest.count >= size else { throw cutShort() }
    let flags = rest[6]
    let timeOffset = size
    if flags & timeIsKnown != 0 { size += timeBytes }
    let connectionOffset = size
    if flags & hasConnection != 0 { size += connectionBytes }
    let count = Int(rest.loadBigEndian(at: 0, as: UInt32.self))
    guard rest.count >= size, count <= rest.count - size else { throw cutShort() }
    guard let direction = RecordDirection(rawValue: flags & directions) else {
      throw .corrupt(
        sequence: sequence, what: "its stored event's direction is \(flags & directions)")
    }
    let header = EventHeader(
      sequence: sequence, direction: direction, kind: RecordKind(rawValue: rest[7]),
      connection: flags & hasConnection != 0
        ? rest.loadBigEndian(at: connectionOffset, as: UInt32.self) : 1,
      time: flags & timeIsKnown != 0 ? rest.loadBigEndian(at: timeOffset, as: Int64.self) : nil)
    let event = UnsafeRawBufferPointer(rebasing: rest[size..<(size + count)])
    rest = UnsafeRawBufferPointer(rebasing: rest[(size + count)...])
    return (header, event)
  }

  /// Adds an event to others of the records from `first` on.
  static func write(
    _ event: UnsafeRawBufferPointer, of header: RecordHeader, first: UInt64,
    to output: inout [UInt8]
  ) {
    var flags = header.direction.rawValue
    if header.time != nil { flags |= timeIsKnown }
    if header.connection != 1 { flags |= hasConnection }
    output.append(atMost: mostHeadBytes + event.count) { space in
      space.storeBigEndian(UInt32(truncatingIfNeeded: event.count), at: 0)
      space.storeBigEndian(UInt16(truncatingIfNeeded: header.sequence - first), at: 4)
      space[6] = flags
      space[7] = header.kind.rawValue
      var size = headBytes
      if let time = header.time {
        space.storeBigEndian(time, at: size)
        size += timeBytes
      }
      if header.connection != 1 {
        space.storeBigEndian(header.connection, at: size)
        size += connectionBytes
      }
      UnsafeMutableRawBufferPointer(rebasing: space[size...]).copyMemory(from: event)
      return size + event.count
    }
  }
}
