import TestSupport
import Testing

@testable import EventStore

/// Packs of stored events that the library never writes.
@Suite("Packs of events")
struct EventPackTests {
  /// The stored form of events of these sizes, for the records from 7 on.
  private static func content(_ sizes: [Int]) -> (bytes: [UInt8], ends: [Int]) {
    var packer = EventPacker()
    var ends: [Int] = []
    for (index, size) in sizes.enumerated() {
      // Heads of several sizes.
      let header = RecordHeader(
        sequence: 7 + UInt64(index), direction: .outbound, kind: stanza,
        connection: index == 1 ? 300 : 1, timeIsKnown: index != 2, clock: Self.clock(index),
        sourceTime: nil)
      let event = [UInt8](repeating: UInt8(index), count: size)
      packer.add(event.span.bytes, of: header, first: 7)
      ends.append(packer.content.count)
    }
    return (packer.content, ends)
  }

  /// The clock of an event; the last one is too far from the first for its distance to be stored.
  private static func clock(_ index: Int) -> Int64 {
    1000 + (index == 3 ? 1 << 32 : Int64(index))
  }

  /// Reads a pack of this content, up to its damage.
  ///
  /// - Returns: The first byte of each event, and the damage.
  private func read(_ content: [UInt8]) throws -> (events: [UInt8?], damage: String?) {
    var stored = [UInt8](repeating: 0, count: DerivedBlock.headBytes) + content
    var list = stored.mutableSpan
    var space = list.mutableBytes
    DerivedBlock.writeHead(.events, covering: 7...20, to: &space)
    guard let block = DerivedBlock(stored.span.bytes, first: 7, of: .events) else {
      Issue.record("The block cannot be read")
      return ([], nil)
    }
    var events: [UInt8?] = []
    do {
      try EventPack(block).forEach(in: 7...20) { header, event in
        let index = events.count
        #expect(header.sequence == 7 + UInt64(index))
        #expect(header.time == (index == 2 ? nil : Self.clock(index)))
        #expect(header.connection == (index == 1 ? 300 : 1))
        events.append(event.copied.first)
      }
    } catch let error as EventLogError where error.code == .damaged {
      return (events, error.record.map { "\($0): \(error.detail)" } ?? "\(error)")
    }
    return (events, nil)
  }

  @Test("A truncated pack gives the events before the cut, and reports where it is")
  func cut() throws {
    let sizes = [3, 5, 1, 4]
    let (bytes, ends) = Self.content(sizes)
    for count in 0...bytes.count {
      let whole = ends.count { $0 <= count }
      let (events, damage) = try read(Array(bytes[..<count]))
      #expect(events == (0..<whole).map { UInt8($0) }, "\(count) bytes")
      #expect(damage == Self.damage(of: count, ends), "\(count) bytes")
    }
  }

  @Test("A pack of records under key 0 is damage of the log, and of no record")
  func recordsWithoutANumber() {
    let bytes = [UInt8](repeating: 1, count: 100)
    do throws(EventLogError) {
      _ = try RecordPack(bytes.span.bytes, first: 0)
      Issue.record("It was read")
    } catch {
      #expect(error.code == .damaged && error.record == nil)
    }
  }

  @Test("A block takes exactly as many events as fit")
  func room() {
    for size in [1, 100, 1000, 7777] {
      let event = [UInt8](repeating: 1, count: size)
      // The longest head has an absolute time and a connection.
      let headers = [0, Int64.max].map { clock in
        RecordHeader(
          sequence: 7, direction: .inbound, kind: stanza, connection: 2, timeIsKnown: true,
          clock: clock, sourceTime: nil)
      }
      var packer = EventPacker()
      packer.add(event.span.bytes, of: headers[0], first: 7)
      while packer.hasRoom(for: size) { packer.add(event.span.bytes, of: headers[1], first: 7) }
      let bytes = DerivedBlock.headBytes + packer.content.count
      let most = RecordPacker.capacity
      #expect(bytes <= most && bytes + 8 + 8 + 4 + size > most, "events of \(size) bytes")
      packer.removeAll()
      #expect(packer.content.isEmpty && packer.hasRoom(for: 1 << 20))
    }
  }

  /// The expected damage of the first `count` bytes of a pack whose events have these ends.
  private static func damage(of count: Int, _ ends: [Int]) -> String? {
    let headBytes = 8
    guard count >= headBytes else {
      return count == 0 ? nil : "7: its pack of stored events is cut short"
    }
    let whole = ends.count { $0 <= count }
    let start = whole > 0 ? ends[whole - 1] : headBytes
    // The record's number is known only if the eight bytes of the event's head are complete.
    let sequence = count - start < headBytes ? 7 : 7 + whole
    return count == start ? nil : "\(sequence): its stored event is cut short"
  }

  @Test("An invalid direction is reported, unless the event is also truncated")
  func direction() throws {
    let (bytes, ends) = Self.content([3, 5, 1])
    var wrong = bytes
    wrong[ends[0] + 6] |= 3
    #expect(try read(wrong).events == [0])
    #expect(try read(wrong).damage == "8: its stored event's direction is 3")
    let cut = Array(wrong[..<(ends[1] - 1)])
    #expect(try read(cut).damage == "8: its stored event is cut short")
  }
}
