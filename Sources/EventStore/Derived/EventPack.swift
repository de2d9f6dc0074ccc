import RawBytes

/// The stored events of consecutive records: the content of a `DerivedBlock`.
///
/// Nothing where none of the records means anything; else
///
///     0  Int64  the first time that is known, ms since 1970; 0 where none is
///
/// and for each record that means something, in order,
///
///     0  UInt32 bytes of the event
///     4  UInt16 the record, counted from the first one that the block covers
///     6  UInt8  the direction, and flags: 4 the time is known, 8 it is a whole one, 16 a
///               connection follows
///     7  UInt8  kind
///     8  UInt32 time, ms after the pack's (only with flag 4)
///        Int64  time, ms since 1970 (only with flag 8 too, instead of that)
///        UInt32 connection (only with flag 16; else it is 1)
///               the event
struct EventPack: ~Escapable {
  private let block: DerivedBlock

  @_lifetime(copy block)
  init(_ block: DerivedBlock) {
    self.block = block
  }

  /// Hands the events of some of its records to `body`, in order.
  ///
  /// - Throws: `EventLogError.corrupt` at what no program of ours wrote, and what `body` throws.
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

  /// Takes the event at an offset with its header.
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
      time: time(at: start + EventLayout.headBytes, flags))
    return (header, event)
  }

  /// The time that stands at an offset; nil where there is none.
  @inline(__always)
  private func time(at offset: Int, _ flags: UInt8) -> Int64? {
    guard flags & EventLayout.timeIsKnown != 0 else { return nil }
    let content = block.content
    if flags & EventLayout.hasWholeTime != 0 { return content.bigEndian(at: offset) }
    return content.bigEndian(at: 0, as: Int64.self)
      &+ Int64(content.bigEndian(at: offset, as: UInt32.self))
  }

  /// Takes the event at an offset; nil where there is none, or it is cut short.
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

  /// How many bytes stand before an event that has these flags.
  @inline(__always)
  static func size(_ flags: UInt8) -> Int {
    headBytes
      + (flags & timeIsKnown == 0 ? 0 : flags & hasWholeTime == 0 ? distanceBytes : timeBytes)
      + (flags & hasConnection == 0 ? 0 : connectionBytes)
  }
}

/// Collects the events of consecutive records until there are enough for a pack.
struct EventPacker {
  /// The most bytes of a block of several events (`RecordPacker.most` says why).
  private static let mostBytes = RecordPacker.most
  /// How many records a pack covers at most.
  static let mostRecords: UInt64 = 1 << 16

  /// The pack so far.
  private(set) var content: [UInt8] = []
  /// The first time that is known.
  private var start: Int64?

  /// Whether an event of so many bytes can stand in a pack together with those that are here.
  func hasRoom(for bytes: Int) -> Bool {
    content.isEmpty
      || DerivedBlock.headBytes + content.count + EventLayout.mostHeadBytes + bytes
        <= Self.mostBytes
  }

  /// Adds an event to others of the records from `first` on.
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
