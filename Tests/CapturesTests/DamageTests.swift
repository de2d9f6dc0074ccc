import Captures
import Foundation
import TestSupport
import Testing

@Suite("Damaged logs")
struct DamageTests {
  /// The logs whose lines are independent, except in records of several lines.
  static let lines = (Fixture.all + Fixture.logs)
    .filter { !["raw-stream", "psi", "wireshark"].contains($0.format) }

  private func detected(_ bytes: some Collection<UInt8>) throws -> String {
    try #require(CaptureFormat.detect(Array(bytes.prefix(64 << 10)))).id
  }

  /// A file that was truncated while a program wrote it, or cut off by a crash.
  @Test(
    "NULs before a line are left out and counted",
    arguments: lines)
  func zerosBeforeALine(_ fixture: Fixture) throws {
    let format = try detected(fixture.bytes)
    let whole = try read(fixture.bytes, format)
    for seed in UInt64(0)..<4 {
      var generator = SeededGenerator(seed: seed)
      var lines = fixture.bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
      let number = Int.random(in: 0..<lines.count, using: &generator)
      let count = Int.random(in: 1...9000, using: &generator)
      lines[number] = [UInt8](repeating: 0, count: count) + lines[number]
      let reading = try read(
        Array(lines.joined(separator: [0x0A])), format,
        pieces: (0..<9).map { _ in Int.random(in: 1...5000, using: &generator) })
      #expect(reading.records == whole.records, "seed \(seed)")
      let added = CaptureProblem(
        line: number + 1, message: "\(count) NUL bytes before the line were left out")
      #expect(reading.problems.contains(added), "seed \(seed)")
      #expect(reading.problems.count == whole.problems.count + 1, "seed \(seed)")
    }
  }

  /// A byte of a stanza was changed to one that does not occur in text.
  @Test(
    "A byte that does not occur in text loses one record",
    arguments: [UInt8(0), 0xFF, 0xC3, 0x0C])
  func aBadByteLosesOneRecord(_ byte: UInt8) throws {
    for name in ["slixmpp-add-accept", "profanity-rename-move", "prosody-crossing"] {
      let fixture = try Fixture.named(name)
      let whole = try read(fixture.bytes, fixture.format)
      let text = Array("<item".utf8)
      let lines = fixture.bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
      let number = try #require(lines.firstIndex { Data($0).range(of: Data(text)) != nil })
      var line = Data(lines[number])
      let place = try #require(line.range(of: Data(text)))
      line[place.upperBound - 1] = byte
      var damaged = lines
      damaged[number] = Array(line)[...]
      let reading = try read(Array(damaged.joined(separator: [0x0A])), fixture.format)
      #expect(reading.elements.count == whole.elements.count - 1, "\(name)")
      #expect(reading.problems.map(\.line) == [number + 1], "\(name)")
    }
  }

  /// Two programs write to one file, and a line of one ends inside a line of the other.
  @Test("Whole lines of two programs that write to one file are read")
  func interleavedWriters() throws {
    let fixture = try Fixture.named("slixmpp-add-accept")
    let other = try #require(Fixture.logs.first { $0.name == "ejabberd" })
    let whole = try read(fixture.bytes, fixture.format).elements
    let otherLines = other.bytes.split(separator: 0x0A)
    for seed in UInt64(0)..<20 {
      var generator = SeededGenerator(seed: seed)
      var output: [UInt8] = []
      var cut = 0
      for line in fixture.bytes.split(separator: 0x0A, omittingEmptySubsequences: false) {
        let isRecord = Data(line).range(of: Data("V: <".utf8)) != nil
        if isRecord, Int.random(in: 0..<5, using: &generator) == 0 {
          let end = line.startIndex + Int.random(in: 15..<line.count - 1, using: &generator)
          output += line[..<end] + otherLines[cut] + [0x0A] + line[end...] + [0x0A]
          cut += 1
        } else {
          output += line + [0x0A]
          if let between = otherLines.randomElement(using: &generator), !isRecord {
            output += between + [0x0A]
          }
        }
      }
      let reading = try read(output, fixture.format)
      // Lines that were not cut are read in order, and nothing is invented.
      var rest = whole[...]
      for element in reading.elements {
        let place = rest.firstIndex(of: element)
        #expect(place != nil, "seed \(seed): \(element)")
        rest = rest[(place ?? rest.startIndex)...].dropFirst()
      }
      #expect(reading.elements.count >= whole.count - 2 * cut, "seed \(seed)")
      let isReported =
        cut == 0 || reading.elements.count == whole.count || !reading.problems.isEmpty
      #expect(isReported, "seed \(seed)")
    }
  }

  @Test("The bytes that a stream loses are counted")
  func lostBytesAreCounted() throws {
    let head =
      "<stream:stream from='example.test' id='1' xmlns='jabber:client' "
      + "xmlns:stream='http://etherx.jabber.org/streams'>"
    let text =
      head + "<presence/>\n<presence><status>\u{1}</status></presence>\n<presence/>"
      + head + "<message/>"
    let reading = try read(text, "raw-stream")
    #expect(reading.elements == ["< <presence/>", "< <message/>"])
    #expect(reading.problems.map(\.line) == [2])
    #expect(reading.problems.first?.message.contains("22 more bytes were skipped") == true)
  }
}
