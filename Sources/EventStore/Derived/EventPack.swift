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
  /// - Parameters:
  ///   - distance: How many events later the one is that is handed over besides; 0 for none.
  ///   - body: It is given that later one, too; nil where the pack has no such.
  /// - Throws: `EventLogError.corrupt` at what no program of ours wrote, and what `body` throws.
  func forEach(
    in range: ClosedRange<UInt64>, ahead distance: Int = 0,
    _ body: (EventHeader, UnsafeRawBufferPointer, _ later: UnsafeRawBufferPointer?) throws -> Void
  ) throws {
    var rest = block.content
    var later = distance > 0 ? rest : UnsafeRawBufferPointer(rebasing: rest.prefix(0))
    for _ in 0..<distance { _ = Self.takeEvent(from: &later) }
    while !rest.isEmpty {
      let (header, event) = try Self.take(from: &rest, first: block.covers.lowerBound)
      let upcoming = Self.takeEvent(from: &later)
      guard header.sequence <= range.upperBound else { return }
      if header.sequence >= range.lowerBound { try body(header, event, upcoming) }
    }
  }

  /// Takes the next event with its header.
  private static func take(
    from rest: inout UnsafeRawBufferPointer, first: UInt64
  ) throws(EventLogError) -> (EventHeader, UnsafeRawBufferPointer) {
    let head = rest
    let place = head.count >= headBytes ? head.loadBigEndian(at: 4, as: UInt16.self) : 0
    let sequence = first + UInt64(place)
    guard let size = headSize(of: head), let event = takeEvent(from: &rest) else {
      throw .corrupt(sequence: sequence, what: "its stored event is cut short")
    }
    let flags = head[6]
    guard let direction = RecordDirection(rawValue: flags & directions) else {
      throw .corrupt(
        sequence: sequence, what: "its stored event's direction is \(flags & directions)")
    }
    let header = EventHeader(
      sequence: sequence, direction: direction, kind: RecordKind(rawValue: head[7]),
      connection: flags & hasConnection != 0
        ? head.loadBigEndian(at: size - connectionBytes, as: UInt32.self) : 1,
      time: flags & timeIsKnown != 0 ? head.loadBigEndian(at: headBytes, as: Int64.self) : nil)
    return (header, event)
  }

  /// Takes the next event; nil where there is none, or it is cut short.
  private static func takeEvent(
    from rest: inout UnsafeRawBufferPointer
  ) -> UnsafeRawBufferPointer? {
    guard let size = headSize(of: rest) else { return nil }
    let count = Int(rest.loadBigEndian(at: 0, as: UInt32.self))
    guard count <= rest.count - size else { return nil }
    defer { rest = UnsafeRawBufferPointer(rebasing: rest[(size + count)...]) }
    return UnsafeRawBufferPointer(rebasing: rest[size..<(size + count)])
  }

  /// How many bytes stand before the next event; nil where they are not all there.
  private static func headSize(of rest: UnsafeRawBufferPointer) -> Int? {
    guard rest.count >= headBytes else { return nil }
    let flags = rest[6]
    let size =
      headBytes + (flags & timeIsKnown != 0 ? timeBytes : 0)
      + (flags & hasConnection != 0 ? connectionBytes : 0)
    return size <= rest.count ? size : nil
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
