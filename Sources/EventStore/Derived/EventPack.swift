import RawBytes

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
struct EventPack: ~Escapable {
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

  @_lifetime(copy block)
  init(_ block: DerivedBlock) {
    self.block = block
  }

  /// Hands the events of some of its records to `body`, in order.
  ///
  /// - Parameters:
  ///   - distance: How many events later the one is that is handed over besides; 0 for none.
  ///   - body: It is given that later one, too; nil where the pack has no such.
  /// - Throws: `EventLogError.corrupt` at what no program of ours wrote, and what `body` throws.
  func forEach(
    in range: ClosedRange<UInt64>, ahead distance: Int = 0,
    _ body: (EventHeader, RawSpan, _ later: RawSpan?) throws -> Void
  ) throws {
    let content = block.content
    var start = 0
    var startOfLater = distance > 0 ? 0 : content.byteCount
    for _ in 0..<distance { _ = takeEvent(at: &startOfLater) }
    while start < content.byteCount {
      let (header, event) = try take(at: &start)
      let later = takeEvent(at: &startOfLater)
      guard header.sequence <= range.upperBound else { return }
      guard header.sequence >= range.lowerBound else { continue }
      if let later {
        try body(header, content[event], content[later])
      } else {
        try body(header, content[event], nil)
      }
    }
  }

  /// Takes the event at an offset with its header.
  @inline(__always)
  private func take(at offset: inout Int) throws(EventLogError) -> (EventHeader, Range<Int>) {
    let content = block.content
    let start = offset
    let isHeadThere = content.byteCount - start >= Self.headBytes
    let place = isHeadThere ? content.bigEndian(at: start + 4, as: UInt16.self) : 0
    let sequence = block.covers.lowerBound + UInt64(place)
    guard let event = takeEvent(at: &offset) else {
      throw .corrupt(sequence: sequence, what: "its stored event is cut short")
    }
    let flags = content[start + 6]
    guard let direction = RecordDirection(rawValue: flags & Self.directions) else {
      throw .corrupt(
        sequence: sequence, what: "its stored event's direction is \(flags & Self.directions)")
    }
    let header = EventHeader(
      sequence: sequence, direction: direction, kind: RecordKind(rawValue: content[start + 7]),
      connection: flags & Self.hasConnection != 0
        ? content.bigEndian(at: event.lowerBound - Self.connectionBytes) : 1,
      time: flags & Self.timeIsKnown != 0
        ? content.bigEndian(at: start + Self.headBytes, as: Int64.self) : nil)
    return (header, event)
  }

  /// Takes the event at an offset; nil where there is none, or it is cut short.
  @inline(__always)
  private func takeEvent(at offset: inout Int) -> Range<Int>? {
    let content = block.content
    let rest = content.byteCount - offset
    guard rest >= Self.headBytes else { return nil }
    let flags = content[offset + 6]
    let size =
      Self.headBytes + (flags & Self.timeIsKnown != 0 ? Self.timeBytes : 0)
      + (flags & Self.hasConnection != 0 ? Self.connectionBytes : 0)
    let count = Int(content.bigEndian(at: offset, as: UInt32.self))
    guard size <= rest, count <= rest - size else { return nil }
    let start = offset + size
    offset = start + count
    return start..<offset
  }

  /// Adds an event to others of the records from `first` on.
  static func write(
    _ event: RawSpan, of header: RecordHeader, first: UInt64,
    to output: inout [UInt8]
  ) {
    var flags = header.direction.rawValue
    if header.time != nil { flags |= timeIsKnown }
    if header.connection != 1 { flags |= hasConnection }
    output.append(atMost: mostHeadBytes + event.byteCount) { space in
      space.write(bigEndian: UInt32(truncatingIfNeeded: event.byteCount), at: 0)
      space.write(bigEndian: UInt16(truncatingIfNeeded: header.sequence - first), at: 4)
      space[6] = flags
      space[7] = header.kind.rawValue
      var size = headBytes
      if let time = header.time {
        space.write(bigEndian: time, at: size)
        size += timeBytes
      }
      if header.connection != 1 {
        space.write(bigEndian: header.connection, at: size)
        size += connectionBytes
      }
      space.write(event, at: size)
      return size + event.byteCount
    }
  }
}
