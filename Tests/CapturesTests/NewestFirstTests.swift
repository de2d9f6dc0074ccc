import Captures
import TestSupport
import Testing

@Suite("Exports with the newest entry first")
struct NewestFirstTests {
  /// The lines of each stanza of a session, with the clock before them.
  private struct Entry {
    let clock: Int
    let lines: [String]
  }

  private static func text(_ entries: [Entry]) -> String {
    CarrierTests.text(entries.flatMap(\.lines))
  }

  /// The session, with this many stanzas in each second.
  private static func entries(perSecond: Int = 1, isPretty: Bool = false) -> [Entry] {
    CarrierTests.session.enumerated().map { number, line in
      let clock = number / perSecond
      let second = clock < 10 ? "0\(clock)" : "\(clock)"
      let word = line.hasPrefix("<") ? "RECV" : "SEND"
      let head = "2026-03-05 08:05:\(second),700 - DEBUG - \(word): "
      let stanza = String(line.dropFirst(2))
      guard isPretty else { return Entry(clock: clock, lines: [head + stanza]) }
      let lines = stanza.replacing("><", with: ">\n  <").split(separator: "\n").map(String.init)
      return Entry(clock: clock, lines: [head + lines[0]] + lines.dropFirst())
    }
  }

  private static func reading(_ text: String) throws -> (Reading, Carrier) {
    let carrier = Carrier(Array(text.utf8))
    return (try read(text, "slixmpp", options: ReaderOptions(carrier: carrier)), carrier)
  }

  @Test("The entries are reversed, and a note says so")
  func turned() throws {
    let lines = Self.entries().flatMap(\.lines)
    let csv = lines.reversed().map { "x,\"\($0.replacing("\"", with: "\"\""))\"" }
    let json = lines.reversed().map { "{\"message\":\(CarrierTests.json($0))}" }
    for text in [
      CarrierTests.text(lines.reversed()), "host,message\n" + CarrierTests.text(csv),
      CarrierTests.text(json),
      // The whole log on one line, as Loki answers.
      "{\"data\":{\"result\":[{\"values\":["
        + lines.reversed().enumerated().map {
          "[\"\(1_790_000_100 - $0)000000000\",\(CarrierTests.json($1))]"
        }.joined(separator: ",") + "]}]}}\n",
    ] {
      let (reading, carrier) = try Self.reading(text)
      #expect(carrier.layers.last == .newestFirst(.entries))
      #expect(carrier.notes.contains { $0.contains("newest") })
      #expect(reading.elements == CarrierTests.session)
    }
  }

  @Test("The lines of a stanza keep their order, unless each line was reversed separately")
  func severalLines() throws {
    let entries = Self.entries(isPretty: true)
    let (expected, plain) = try Self.reading(Self.text(entries))
    #expect(plain.layers.isEmpty)
    let (byEntry, turned) = try Self.reading(Self.text(entries.reversed()))
    #expect(turned.layers == [.newestFirst(.entries)])
    #expect(byEntry.elements == expected.elements)
    let lines = entries.flatMap(\.lines)
    let (byLine, backwards) = try Self.reading(CarrierTests.text(lines.reversed()))
    #expect(backwards.layers == [.newestFirst(.lines)])
    #expect(byLine.elements == expected.elements)
    #expect(expected.elements.count == CarrierTests.session.count)
  }

  @Test("Answers decide whether entries with equal times are reversed", arguments: [true, false])
  func sameTimes(staysInOrder: Bool) throws {
    let entries = Self.entries(perSecond: 3)
    let seconds = Dictionary(grouping: entries, by: \.clock).sorted { $0.key > $1.key }
    let turned = seconds.flatMap { staysInOrder ? $0.value : $0.value.reversed() }
    let (reading, carrier) = try Self.reading(Self.text(turned))
    #expect(carrier.layers == [.newestFirst(staysInOrder ? .times : .entries)])
    #expect(reading.elements == CarrierTests.session)
  }

  @Test(
    "A clock that was set back reverses nothing",
    arguments: [
      "09 08", "09 08 08", "09 09 08", "09 08 07", "09 08 08 07", "09 08 09", "09 08 08 08",
    ])
  func clockSetBack(_ seconds: String) throws {
    let text = seconds.split(separator: " ")
      .map { "2026-11-21T10:00:\($0) RECV: <presence from='b@a.test'/>\n" }.joined()
    #expect(Carrier(Array(text.utf8)).layers.isEmpty)
  }

  @Test("A few entries of a table with only decreasing times are reversed")
  func fewStanzas() throws {
    let stanzas = [
      "SEND: <presence to='b@a.test' type='subscribed'/>",
      "RECV: <presence from='b@a.test' type='subscribe'/>", "RECV: <presence from='c@a.test/q'/>",
    ]
    let rows = stanzas.enumerated().map { "2026-11-21T10:00:0\(9 - 4 * $0)Z,\"\($1)\"" }
    let two = ["time,message"] + rows.prefix(2)
    for (text, count) in [(["time,message"] + rows, 3), (two, 2)] {
      let (reading, carrier) = try Self.reading(CarrierTests.text(text))
      #expect(carrier.layers.last == .newestFirst(.entries), "\(text)")
      #expect(carrier.notes.contains { $0.contains("newest") })
      let expected = stanzas.prefix(count).reversed().map {
        "\($0.hasPrefix("RECV") ? "<" : ">") \($0.dropFirst(6))"
      }
      #expect(reading.elements == expected)
    }
    // An entry with a later time between them shows that a clock was set back.
    let other = "2026-11-21T10:00:06Z,\"connected\""
    let clock = try Self.reading(
      CarrierTests.text(["time,message", rows[0], rows[1], other, rows[2]])
    ).1
    #expect(clock.notes.isEmpty)
  }

  @Test("A request before its answer shows that the clock went back, however often")
  func answersDecide() throws {
    let request = "SEND: <iq type='get' id='1'/>"
    let answer = "RECV: <iq type='result' id='1'/>"
    let other = "RECV: <presence from='b@a.test'/>"
    func layers(_ lines: [String]) -> [Carrier.Layer] {
      let text = lines.enumerated().map { "2026-11-21 10:00:0\(9 - $0) \($1)\n" }.joined()
      return Carrier(Array(text.utf8)).layers
    }
    #expect(layers([request, answer, other, other, other, other]).isEmpty)
    #expect(layers([answer, request]) == [.newestFirst(.entries)])
    #expect(layers([other, other, other, other]) == [.newestFirst(.entries)])
  }
}
