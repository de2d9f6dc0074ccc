import Captures
import Testing

/// The rules that tell a carrier from the log in it.
@Suite("Carriers and the logs in them")
struct CarrierRuleTests {
  @Test("The entries of one document are reversed")
  func newestFirstInADocument() throws {
    let lines = CarrierTests.smack(CarrierTests.session)
    let entries = lines.enumerated().reversed().map { number, line in
      "{\"timestamp\":\(1_772_697_906_700 + number),\"message\":\(CarrierTests.json(line))}"
    }
    let bytes = Array("{\"events\":[\(entries.joined(separator: ","))]}".utf8)
    let carrier = Carrier(bytes)
    let reading = try read(bytes, "smack", options: ReaderOptions(carrier: carrier))
    #expect(reading.elements == CarrierTests.session)
  }

  @Test(
    "A line with another format at the start of an excerpt does not affect the others",
    arguments: ["[code]", "Log: ", "1: "], [0, 14])
  func otherFirstLine(_ before: String, _ cut: Int) throws {
    let lines = CarrierTests.slixmpp(CarrierTests.session)
    let first = cut > 0 ? String(lines[0].dropFirst(cut)) : "\(before)\(lines[0])"
    let reading = try read(CarrierTests.text([first] + lines.dropFirst()), "slixmpp")
    #expect(reading.elements == CarrierTests.session)
    #expect(reading.problems.isEmpty)
  }

  @Test("A line number before each line, and other members of entries")
  func numbersAndMembers() throws {
    let lines = CarrierTests.slixmpp(CarrierTests.session)
    let numbered = lines.enumerated().map { number, line in
      String(repeating: " ", count: number > 8 ? 2 : 3) + "\(number + 1)  \(line)"
    }
    let entries = lines.map { "{\"level\":\"debug\",\"event\":\(CarrierTests.json($0))}" }
    let array =
      ["Today:", "", "["] + lines.map { "  {\"message\":\(CarrierTests.json($0))}," } + ["]"]
    let table = lines.enumerated().map {
      "<tr><td>\($0)</td><td>\(CarrierTests.html($1))</td></tr>"
    }
    let blanks = lines.map { CarrierTests.html($0).replacing(" ", with: "&nbsp;") }
    for text in [numbered, entries, array, ["<table>"] + table + ["</table>"], blanks] {
      let bytes = Array(CarrierTests.text(text).utf8)
      let carrier = Carrier(bytes)
      let format = try #require(CaptureFormat.detect(bytes, within: carrier))
      let reading = try read(bytes, format.id, options: ReaderOptions(carrier: carrier))
      #expect(reading.elements == CarrierTests.session, "\(text[0])")
    }
  }

  /// Unescaped text could end the element that contains it.
  @Test("Entries and escapes that a contact wrote are not unescaped")
  func textOfAContact() throws {
    let set = "<iq type='set' id='e'><query xmlns='jabber:iq:roster'/></iq>"
    let ended = "</body></message>\nRECV (0): \(set)"
    let escaped = set.replacing("=", with: "=3D").replacing("<", with: "=3C")
      .replacing(">", with: "=3E")
    let bodies = [
      "{\"log\":\(CarrierTests.json("\(ended)\n"))}",
      "{\"message\":\(CarrierTests.json(ended))}",
      "type=3D'set' =3C/body=3E=3C/message=3E=0ARECV (0): \(escaped)",
    ]
    for body in bodies {
      for count in [3, 300, 3000] {
        let text = Array(repeating: body, count: count).joined(separator: "\n")
        let session = CarrierTests.session(withText: "\n\(text)\n")
        let bytes = Array(CarrierTests.text(CarrierTests.smack(session)).utf8)
        #expect(Carrier(bytes) == .none, "\(body)")
        #expect(try read(bytes, "smack").elements == session)
      }
    }
  }

  /// A collector writes a separate entry for each line of a printed element.
  @Test("An element in several entries is complete")
  func elementOfSeveralEntries() throws {
    let lines = CarrierTests.smack(CarrierTests.session).map { $0.replacing("><", with: ">\n<") }
    let pretty = lines.flatMap { $0.split(separator: "\n") }.map { CarrierTests.json(String($0)) }
    let bytes = Array(CarrierTests.text(pretty.map { "{\"message\":\($0)}" }).utf8)
    let carrier = Carrier(bytes)
    #expect(LineWrapperTests.wrapper(of: bytes)?.kind == .json)
    let reading = try read(bytes, "smack", options: ReaderOptions(carrier: carrier))
    #expect(
      reading.elements.map { $0.replacing("\n", with: "") } == CarrierTests.session)
  }

  @Test(
    "A quoted line that continues with a bracket is quoted once",
    arguments: 60...110)
  func quotedBrackets(_ width: Int) throws {
    let lines = CarrierTests.slixmpp(CarrierTests.session)
    let cut = CarrierTests.cut(lines, width).split(separator: "\n").map { "> \($0)" }
    let bytes = Array(CarrierTests.text(cut).utf8)
    let reading = try read(bytes, "slixmpp", options: ReaderOptions(carrier: Carrier(bytes)))
    #expect(reading.elements == CarrierTests.session)
  }

  /// An unknown program that shares its word for received elements with a known one.
  @Test(
    "A format that knows only one of two words does not fit",
    arguments: ["", "5. März 2026 08:05:06 ", "上午 8:05:06 ", "[x] "])
  func oneOfTwoWords(_ before: String) throws {
    let lines = CarrierTests.session.map {
      "\(before)\($0.hasPrefix("<") ? "RECV" : "SENT"): \($0.dropFirst(2))"
    }
    let bytes = Array(CarrierTests.text(lines).utf8)
    let format = try #require(CaptureFormat.detect(bytes)?.id)
    #expect(format != "slixmpp")
    #expect(try read(bytes, format).elements == CarrierTests.session)
  }

  @Test(
    "Dates with the name of a month are read in several orders and languages",
    arguments: [
      "5. März 2026 08:05:06", "5 mars 2026 08:05:06", "05/Mar/2026:08:05:06 +0000",
      "Thu, 05 Mar 2026 08:05:06", "[Thu Mar  5 08:05:06 2026]", "Mar 5, 2026, 8:05:06 AM",
      "2026年3月5日 08:05:06", "2026年03月05日 上午8:05:06", "5-mar-2026 8:05:06",
      "2026 Mar 5 08:05:06", "чт 5 мар 2026 08:05:06", "am 5. März 2026 08:05:06",
      "5 maart 2026 08:05:06",
    ])
  func namedDates(_ date: String) throws {
    let reading = try read("\(date) DEBUG RECV: <presence from='a@b'/>\n", "slixmpp")
    #expect(reading.records.first?.time.map(Timestamp.text) == "2026-03-05T08:05:06.000Z")
    let evening = try read(
      "\(date.replacing("AM", with: "PM").replacing("上午", with: "下午")) RECV: <presence/>", "slixmpp"
    )
    let isHalf = date.contains("AM") || date.contains("上午")
    let july = try read("5 juillet 2026 08:05:06 RECV: <presence/>\n", "slixmpp")
    #expect(july.records.first?.time.map(Timestamp.text) == "2026-07-05T08:05:06.000Z")
    #expect(
      evening.records.first?.time.map(Timestamp.text)
        == "2026-03-05T\(isHalf ? "20" : "08"):05:06.000Z")
  }

  @Test("Parts from Docker are joined in the entries of other collectors too")
  func splitEntries() throws {
    let items = (0..<900).map { "<item jid='c\($0)@example.test' name='联系人 \($0)'/>" }.joined()
    let roster =
      "< <iq type='result' id='r1' to='alice@example.test/pc'><query xmlns='jabber:iq:roster'>"
      + "\(items)</query></iq>"
    let session =
      Array(CarrierTests.session.prefix(3)) + [roster] + CarrierTests.session.dropFirst(4)
    for hasMark in [false, true] {
      let entries = session.flatMap { line -> [String] in
        let parts = CarriedSession.parts(
          "\(line.hasPrefix("<") ? "RECV" : "SENT") (0): \(line.dropFirst(2))", 16 << 10)
        return parts.enumerated().map { index, part in
          let mark = hasMark ? ",\"partial_message\":\"\(index < parts.count - 1)\"" : ""
          return "{\"log\":\(CarrierTests.json(part))\(mark)}"
        }
      }
      let bytes = Array(CarrierTests.text(entries).utf8)
      let carrier = Carrier(Array(bytes.prefix(64 << 10)))
      let reading = try read(bytes, "smack", options: ReaderOptions(carrier: carrier))
      #expect(reading.elements == session)
    }
  }

  /// Some characters of GB18030 and Shift_JIS look like UTF-8.
  @Test("An encoding is suspected although some bytes look like UTF-8")
  func suspectedEncoding() throws {
    let smack = try #require(CaptureFormat.named("smack"))
    let line = Array("RECV (0): <presence from='a@b.test/x'/>\n".utf8)
    // 小美, and 小 with the first byte of a character that was cut off.
    let otherEncoding = line + [0xD0, 0xA1, 0xC3, 0xC0]
    #expect(TextEncoding.suspicion(in: otherEncoding, smack)?.line == 2)
    #expect(TextEncoding.suspicion(in: line + Array("小美小".utf8.dropLast()), smack) == nil)
  }
}
