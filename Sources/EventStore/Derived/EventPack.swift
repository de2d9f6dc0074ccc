import RawBytes

/// The stored events of consecutive records: the content of a `DerivedBlock`.
///
/// Empty if none of the records has an event; otherwise
///
///     0  Int64  the first known time, ms since 1970; 0 for none
///
/// and for each record that has an event, in order,
///
///     0  UInt32 length of the event in bytes
///     4  UInt16 the record, counted from the first one that the block covers
///     6  UInt8  the direction, and flags: 4 the time is known, 8 the time is absolute, 16 a
///               connection follows, 32 the time is held
///     7  UInt8  kind
///     8  UInt32 time, ms after the pack's (only with flag 4)
///        Int64  time, ms since 1970 (instead of that, with flag 8 too)
///        UInt32 connection (only with flag 16; otherwise it is 1)
///               the event
struct EventPack: ~Escapable {
  private let block: DerivedBlock

  @_lifetime(copy block)
  init(_ block: DerivedBlock) {
    self.block = block
  }

  /// Passes the events of some of its records to `body`, in order.
  ///
  /// - Throws: `EventLogError.corrupt` for anything that Rollcall never writes, and errors of
  ///   `body`.
  func forEach(
    in range: ClosedRange<UInt64>, _ body: (EventHeader, RawSpan) throws -> Void
  ) throws {
    let content = block.content
    guard !content.isEmpty else { return }
    guard content.byteCount >= EventLayout.startBytes else {
      throw EventLogError.corrupt(
        sequence: block.covers.lowerBound, what: "its pack of stored events is cut short")
    }
    var start = EventLayout.startBytes
    while start < content.byteCount {
      let (header, event) = try take(at: &start)
      guard header.sequence <= range.upperBound else { return }
      guard header.sequence >= range.lowerBound else { continue }
      try body(header, content[event])
    }
  }

  /// Reads the event at an offset with its header.
  @inline(__always)
  private func take(at offset: inout Int) throws(EventLogError) -> (EventHeader, Range<Int>) {
    let content = block.content
    let start = offset
    let isHeadThere = content.byteCount - start >= EventLayout.headBytes
    let place = isHeadThere ? content.bigEndian(at: start + 4, as: UInt16.self) : 0
    let sequence = block.covers.lowerBound + UInt64(place)
    guard let event = takeEvent(at: &offset) else {
      throw .corrupt(sequence: sequence, what: "its stored event is cut short")
    }
    let flags = content[start + 6]
    guard let direction = RecordDirection(rawValue: flags & EventLayout.directions) else {
      throw .corrupt(
        sequence: sequence,
        what: "its stored event's direction is \(flags & EventLayout.directions)")
    }
    let header = EventHeader(
      sequence: sequence, direction: direction, kind: RecordKind(rawValue: content[start + 7]),
      connection: flags & EventLayout.hasConnection != 0
        ? content.bigEndian(at: event.lowerBound - EventLayout.connectionBytes) : 1,
      time: time(at: start + EventLayout.headBytes, flags),
      isHeld: flags & EventLayout.isHeld != 0)
    return (header, event)
  }

  /// The time at an offset; nil if there is none.
  @inline(__always)
  private func time(at offset: Int, _ flags: UInt8) -> Int64? {
    guard flags & EventLayout.timeIsKnown != 0 else { return nil }
    let content = block.content
    if flags & EventLayout.hasWholeTime != 0 { return content.bigEndian(at: offset) }
    return content.bigEndian(at: 0, as: Int64.self)
      &+ Int64(content.bigEndian(at: offset, as: UInt32.self))
  }

  /// Reads the event at an offset; nil if there is none or it is truncated.
  @inline(__always)
  private func takeEvent(at offset: inout Int) -> Range<Int>? {
    let content = block.content
    let rest = content.byteCount - offset
    guard rest >= EventLayout.headBytes else { return nil }
    let size = EventLayout.size(content[offset + 6])
    let count = Int(content.bigEndian(at: offset, as: UInt32.self))
    guard size <= rest, count <= rest - size else { return nil }
    let start = offset + size
    offset = start + count
    return start..<offset
  }
}

/// The sizes of the parts of a pack of events.
private enum EventLayout {
  static let startBytes = 8
  static let headBytes = 8
  static let timeBytes = 8
  static let distanceBytes = 4
  static let connectionBytes = 4
  static let mostHeadBytes = headBytes + timeBytes + connectionBytes

  static let directions: UInt8 = 3
  static let timeIsKnown: UInt8 = 4
  static let hasWholeTime: UInt8 = 8
  static let hasConnection: UInt8 = 16
  static let isHeld: UInt8 = 32

  /// The number of bytes before an event with these flags.
  @inline(__always)
  static func size(_ flags: UInt8) -> Int {
    headBytes
      + (flags & timeIsKnown == 0 ? 0 : flags & hasWholeTime == 0 ? distanceBytes : timeBytes)
      + (flags & hasConnection == 0 ? 0 : connectionBytes)
  }
}

/// Collects the events of consecutive records until there are enough for a pack.
struct EventPacker {
  /// The maximum length of a block with several events (see `RecordPacker.capacity`).
  private static let mostBytes = RecordPacker.capacity
  /// The maximum number of records that a pack covers.
  static let mostRecords: UInt64 = 1 << 16

  /// The pack so far.
  private(set) var content: [UInt8] = []
  /// The first known time.
  private var start: Int64?

  /// Whether an event of a length fits into the pack.
  func hasRoom(for bytes: Int) -> Bool {
    content.isEmpty
      || DerivedBlock.headBytes + content.count + EventLayout.mostHeadBytes + bytes
        <= Self.mostBytes
  }

  /// Adds an event to those of the records from `first` on.
  mutating func add(_ event: RawSpan, of header: RecordHeader, first: UInt64) {
    if content.isEmpty {
      content.append(contentsOf: repeatElement(0, count: EventLayout.startBytes))
    }
    if start == nil, let time = header.time { begin(at: time) }
    let start = start ?? 0
    content.append(atMost: EventLayout.mostHeadBytes + event.byteCount) { space in
      var flags = header.direction.rawValue
      var size = EventLayout.headBytes
      if let time = header.time {
        flags |= EventLayout.timeIsKnown
        let (distance, overflows) = time.subtractingReportingOverflow(start)
        if !overflows, let distance = UInt32(exactly: distance) {
          space.write(bigEndian: distance, at: size)
          size += EventLayout.distanceBytes
        } else {
          flags |= EventLayout.hasWholeTime
          space.write(bigEndian: time, at: size)
          size += EventLayout.timeBytes
        }
      }
      if header.isHeld { flags |= EventLayout.isHeld }
      if header.connection != 1 {
        flags |= EventLayout.hasConnection
        space.write(bigEndian: header.connection, at: size)
        size += EventLayout.connectionBytes
      }
      space.write(bigEndian: UInt32(truncatingIfNeeded: event.byteCount), at: 0)
      space.write(bigEndian: UInt16(truncatingIfNeeded: header.sequence - first), at: 4)
      space[6] = flags
      space[7] = header.kind.rawValue
      space.write(event, at: size)
      return size + event.byteCount
    }
  }

  private mutating func begin(at time: Int64) {
    start = time
    var space = content.mutableSpan
    var bytes = space.mutableBytes
    bytes.write(bigEndian: time, at: 0)
  }

  mutating func removeAll() {
    content.removeAll(keepingCapacity: true)
    start = nil
  }
}
