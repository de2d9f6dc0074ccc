import TestSupport
import Testing

@testable import EventStore

/// Packs of stored events, as no program of ours writes them.
@Suite("Packs of events")
struct EventPackTests {
  /// The stored form of events of these sizes, of the records from 7 on.
  private static func content(_ sizes: [Int]) -> (bytes: [UInt8], ends: [Int]) {
    var packer = EventPacker()
    var ends: [Int] = []
    for (place, size) in sizes.enumerated() {
      // Heads of several sizes.
      let header = RecordHeader(
        sequence: 7 + UInt64(place), direction: .outbound, kind: stanza,
        connection: place == 1 ? 300 : 1, timeIsKnown: place != 2, clock: Self.clock(place),
        sourceTime: nil)
      let event = [UInt8](repeating: UInt8(place), count: size)
      packer.add(event.span.bytes, of: header, first: 7)
      ends.append(packer.content.count)
    }
    return (packer.content, ends)
  }

  /// The last one is too long after the first to be told by how long.
  private static func clock(_ place: Int) -> Int64 {
    1000 + (place == 3 ? 1 << 32 : Int64(place))
  }

  /// What a pack of this content gives: for each event its first byte, and that of the one so many
  /// later; and what is wrong with it.
  private func read(
    _ content: [UInt8], ahead distance: Int
  ) throws -> (events: [[UInt8?]], damage: String?) {
    var stored = [UInt8](repeating: 0, count: DerivedBlock.headBytes) + content
    var list = stored.mutableSpan
    var space = list.mutableBytes
    DerivedBlock.writeHead(.events, covering: 7...20, to: &space)
    guard let block = DerivedBlock(stored.span.bytes, first: 7, of: .events) else {
      Issue.record("The block cannot be read")
      return ([], nil)
    }
    var events: [[UInt8?]] = []
    do {
      try EventPack(block).forEach(in: 7...20, ahead: distance) { header, event, later in
        let place = events.count
        #expect(header.sequence == 7 + UInt64(place))
        #expect(header.time == (place == 2 ? nil : Self.clock(place)))
        #expect(header.connection == (place == 1 ? 300 : 1))
        events.append([event.copied.first, later?.copied.first])
      }
    } catch EventLogError.corrupt(let sequence, let what) {
      return (events, "\(sequence): \(what)")
    }
    return (events, nil)
  }

  @Test(
    "A pack that is cut short gives the events before the cut, and says where it is",
    arguments: [0, 2, 100])
  func cut(ahead distance: Int) throws {
    let sizes = [3, 5, 1, 4]
    let (bytes, ends) = Self.content(sizes)
    for count in 0...bytes.count {
      let whole = ends.count { $0 <= count }
      let (events, damage) = try read(Array(bytes[..<count]), ahead: distance)
      let expected: [[UInt8?]] = (0..<whole).map { place in
        let later = place + distance
        return [UInt8(place), distance > 0 && later < whole ? UInt8(later) : nil]
      }
      #expect(events == expected, "\(count) bytes")
      #expect(damage == Self.damage(of: count, ends), "\(count) bytes")
    }
  }

  @Test("A block with as many events as there is room for fits, and one more would not")
  func room() {
    for size in [1, 100, 1000, 7777] {
      let event = [UInt8](repeating: 1, count: size)
      // The longest head: a time that is told in full, and a connection.
      let headers = [0, Int64.max].map { clock in
        RecordHeader(
          sequence: 7, direction: .inbound, kind: stanza, connection: 2, timeIsKnown: true,
          clock: clock, sourceTime: nil)
      }
      var packer = EventPacker()
      packer.add(event.span.bytes, of: headers[0], first: 7)
      while packer.hasRoom(for: size) { packer.add(event.span.bytes, of: headers[1], first: 7) }
      let bytes = DerivedBlock.headBytes + packer.content.count
      let most = RecordPacker.most
      #expect(bytes <= most && bytes + 8 + 8 + 4 + size > most, "events of \(size) bytes")
      packer.removeAll()
      #expect(packer.content.isEmpty && packer.hasRoom(for: 1 << 20))
    }
  }

  /// What is wrong with the first so many bytes of a pack whose events end there.
  private static func damage(of count: Int, _ ends: [Int]) -> String? {
    let headBytes = 8
    guard count >= headBytes else {
      return count == 0 ? nil : "7: its pack of stored events is cut short"
    }
    let whole = ends.count { $0 <= count }
    let start = whole > 0 ? ends[whole - 1] : headBytes
    // The record's number is there with the eight bytes of the event's head.
    let sequence = count - start < headBytes ? 7 : 7 + whole
    return count == start ? nil : "\(sequence): its stored event is cut short"
  }

  @Test("A direction that there is none of is named, unless the event is cut short as well")
  func direction() throws {
    let (bytes, ends) = Self.content([3, 5, 1])
    var wrong = bytes
    wrong[ends[0] + 6] |= 3
    #expect(try read(wrong, ahead: 2).events == [[0, 2]])
    #expect(try read(wrong, ahead: 2).damage == "8: its stored event's direction is 3")
    let cut = Array(wrong[..<(ends[1] - 1)])
    #expect(try read(cut, ahead: 2).damage == "8: its stored event is cut short")
  }
}
