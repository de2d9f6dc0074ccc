import Testing

@testable import Captures

/// Logs that a collector gathered from several parts of a program or from several programs, with
/// members and columns of any name.
@Suite("Logs of collectors")
struct CollectedTests {
  private struct Found {
    var reading = Reading()
    var unread = UnreadLines()
    var format = ""
  }

  /// Reads a text as an import without any options does.
  private func readAll(_ text: String) throws -> Found {
    let bytes = Array(text.utf8)
    let carrier = Carrier(Array(bytes.prefix(64 << 10)))
    let format = try #require(
      CaptureFormat.detect(Array(bytes.prefix(64 << 10)), within: carrier), "\(text.prefix(200))")
    var found = Found(format: format.id)
    var reader = CaptureReader(
      format: format, options: ReaderOptions(year: 2026, carrier: carrier))
    for start in stride(from: 0, to: bytes.count, by: 900) {
      let piece = Array(bytes[start..<min(start + 900, bytes.count)])
      try reader.read(piece) { found.reading.outputs.append($0) }
    }
    try reader.finish { found.reading.outputs.append($0) }
    found.unread = reader.unread
    return found
  }

  static let session = DirectionCheckTests.session

  private static func isInbound(_ element: String) -> Bool { element.hasPrefix("<") }
  private static func xml(_ element: String) -> String { String(element.dropFirst(2)) }
  private static func quoted(_ text: String) -> String {
    "\"\(text.replacing("\"", with: "\"\""))\""
  }

  /// Lines of a program of which each part writes one direction, and lines with a direction in
  /// place of the collector's name for a program.
  static let lines: [(name: String, write: @Sendable (Bool, String) -> String)] = [
    (
      "two tags",
      { "03-05 08:05:06.700  12  56 D \($0 ? "Reader" : "Writer"): \(word($0)): \($1)" }
    ),
    ("two programs", { "Mar  5 08:05:06 h1 \($0 ? "reader" : "writer")[12]: \(word($0)): \($1)" }),
    ("two services", { "\($0 ? "reader" : "writer")-1  | \(word($0)): \($1)" }),
    ("two pods", { "[pod/bot-0/\($0 ? "reader" : "writer")] \(word($0)): \($1)" }),
    ("two containers", { "bot-0 \($0 ? "reader" : "writer") \(word($0)): \($1)" }),
    ("tags for directions", { "03-05 08:05:06.700  12  56 D XMPP-\(word($0)): \($1)" }),
    ("a level for a host", { "2026-03-05T08:05:06.700Z DEBUG \(word($0)): \($1)" }),
    ("a program for a host", { "Mar  5 08:05:06 bot \($0 ? "RECV" : "SENT"): \($1)" }),
    ("a stream for a host", { "2026-03-05T08:05:06.700000+00:00 app/x/1 \(word($0)): \($1)" }),
    ("names of ends for services", { "\($0 ? "in " : "out") | \($1)" }),
    ("a verb for a container", { "alice-1 \($0 ? "recv" : "sent") \($1)" }),
    ("a level in a service", { "app_1  | 2026-03-05T08:05:06 DEBUG \(word($0)): \($1)" }),
  ]

  private static func word(_ isInbound: Bool) -> String { isInbound ? "RECV" : "SEND" }

  @Test("All parts of a program are read, with their directions", arguments: lines.indices)
  func partsOfAProgram(_ index: Int) throws {
    let text = Self.session.map { Self.lines[index].write(Self.isInbound($0), Self.xml($0)) }
    let found = try readAll(CarrierTests.text(text))
    #expect(found.reading.elements == Self.session, "\(Self.lines[index].name), \(found.format)")
    #expect(Set(found.reading.records.map(\.connection)) == [""])
    #expect(found.unread.count == 0)
  }

  @Test(
    "Programs with streams of their own are told apart, also if they write JSON",
    arguments: [false, true])
  func programsWithStreams(_ isJSON: Bool) throws {
    let lines = Self.session.flatMap { element in
      let line = "\(Self.word(Self.isInbound(element))): \(Self.xml(element))"
      let text = isJSON ? "{\"level\":20,\"msg\":\(CarrierTests.json(line))}" : line
      return [0, 1].map { "[pod/bot-\($0)/main] \(text)" }
    }
    let found = try readAll(CarrierTests.text(lines))
    for pod in [0, 1] {
      var own = found.reading
      own.outputs = found.reading.outputs.filter { output in
        guard case .record(let record) = output else { return true }
        return record.connection == "bot-\(pod)/main"
      }
      #expect(own.elements == Self.session)
    }
    #expect(found.reading.records.count == 2 * Self.session.count)
  }

  @Test("A collector's prefix is removed even if a web page changed its spaces")
  func changedSpaces() throws {
    let lines = Self.session.map {
      "Mar\u{A0}05 08:05:06\u{A0}h1 bot[7]:\u{A0}\(Self.word(Self.isInbound($0))): \(Self.xml($0))"
    }
    let found = try readAll(CarrierTests.text(lines))
    #expect(found.reading.elements == Self.session)
    #expect(found.reading.records.allSatisfy { $0.time != nil })
  }

  @Test("An element outside the member or column of the lines is read or counted")
  func otherMembers() throws {
    let stanza = "<presence from='bob@example.test/x' to='alice@example.test/pc'/>"
    let answers = Self.session.map { element in
      "{\"msg\":\(CarrierTests.json("RECV: \(Self.xml(element))")),\"zz\":\(CarrierTests.json(stanza))}"
    }
    let members = try readAll(CarrierTests.text(answers))
    #expect(members.unread.count == Self.session.count)
    let inner = Self.session.map { element in
      "{\"result\":{\"message\":\"ok\"},\"zz\":{\"xml\":"
        + "\(CarrierTests.json("\(Self.word(Self.isInbound(element))): \(Self.xml(element))"))}}"
    }
    #expect(try readAll(CarrierTests.text(inner)).reading.elements == Self.session)
    let rows = Self.session.enumerated().map { number, element in
      // The table doubles these quotes, so no row can be read without unquoting.
      let xml = Self.quoted(Self.xml(element).replacing("'", with: "\""))
      return number % 4 == 3 ? "\(number),\(xml)," : "\(number),,\(xml)"
    }
    let table = try readAll(CarrierTests.text(["time,sent,received"] + rows))
    #expect(table.reading.elements.count + table.unread.count == Self.session.count)
    #expect(table.unread.count > 0)
  }

  @Test("Parts of a line are joined across a line of another output")
  func interleavedOutputs() throws {
    let lines = Self.session.flatMap { element in
      let line = "\(Self.word(Self.isInbound(element))): \(Self.xml(element))"
      return [
        "2026-03-05T08:05:06.123456789Z stdout P \(line.prefix(9))",
        "2026-03-05T08:05:06.123456789Z stderr F a warning",
        "2026-03-05T08:05:06.123456789Z stdout F \(line.dropFirst(9))",
      ]
    }
    #expect(try readAll(CarrierTests.text(lines)).reading.elements == Self.session)
  }

  // MARK: JSON

  /// Entries with the direction and the element in members of any name.
  static let entries: [(name: String, write: @Sendable (Bool, String) -> String)] = [
    ("another name", { "{\"t\":1,\"stanza\":\(CarrierTests.json("\(word($0)): \($1)"))}" }),
    (
      "a direction before",
      { "{\"direction\":\"\($0 ? "in" : "out")\",\"msg\":\(CarrierTests.json($1))}" }
    ),
    (
      "a direction after",
      { "{\"msg\":\(CarrierTests.json($1)),\"way\":\"\($0 ? "received" : "sent")\"}" }
    ),
    (
      "the direction as the text",
      { "{\"msg\":\"\($0 ? "received" : "sent")\",\"xml\":\(CarrierTests.json($1))}" }
    ),
    ("a flag before", { "{\"sent\":\(!$0),\"data\":\(CarrierTests.json($1))}" }),
    ("a flag after", { "{\"data\":\(CarrierTests.json($1)),\"isIncoming\":\($0)}" }),
    ("a flag as a number", { "{\"outbound\":\($0 ? 0 : 1),\"x\":\(CarrierTests.json($1))}" }),
    (
      "a flag beside counts",
      { "{\"from_server\":\"\($0)\",\"received\":7,\"x\":\(CarrierTests.json($1))}" }
    ),
    (
      "a flag beside a word",
      { "{\"dir\":\"\($0 ? "in" : "out")\",\"sent\":true,\"x\":\(CarrierTests.json($1))}" }
    ),
    (
      "who sent it",
      { "{\"from\":\"\($0 ? "server" : "client")\",\"x\":\(CarrierTests.json($1))}" }
    ),
    (
      "an envelope of any name",
      { "{\"app\":{\"what\":\(CarrierTests.json("\(word($0)): \($1)"))}}" }
    ),
    (
      "an envelope beside a text",
      {
        "{\"msg\":\"xmpp\",\"data\":{\"dir\":\"\($0 ? "in" : "out")\","
          + "\"x\":\(CarrierTests.json($1))}}"
      }
    ),
  ]

  @Test("The member with the element is read, whatever its name", arguments: entries.indices)
  func members(_ index: Int) throws {
    let lines = Self.session.map { Self.entries[index].write(Self.isInbound($0), Self.xml($0)) }
    for text in [CarrierTests.text(lines), "[\(lines.joined(separator: ", "))]"] {
      let found = try readAll(text)
      #expect(found.reading.elements == Self.session, "\(Self.entries[index].name)")
      #expect(found.unread.count == 0)
    }
  }

  @Test("An array on one line is read completely, even beyond the part used for detection")
  func longArray() throws {
    let session = (0..<120).flatMap { _ in Self.session }
    let entries = session.map { element in
      let line = "\(Self.word(Self.isInbound(element))): \(Self.xml(element))"
      return "{\"a\":{\"b\":1},\"msg\":\(CarrierTests.json(line))}"
    }
    let text = "[\(entries.joined(separator: ","))]"
    try #require(text.utf8.count > 128 << 10)
    let found = try readAll(text)
    #expect(found.reading.elements.count == session.count)
    // The rest of the entry that was cut off is counted.
    let cut = try readAll(String(text.dropLast(30)))
    #expect(cut.reading.elements.count == session.count - 1)
    #expect(cut.unread.count == 1)
  }

  @Test("An entry with a separate direction is read among lines with a direction in them")
  func elementBesideItsDirection() throws {
    for own in Self.session.indices {
      let lines = Self.session.enumerated().map { index, element in
        let (isInbound, xml) = (Self.isInbound(element), Self.xml(element))
        guard index == own else {
          return "{\"msg\":\(CarrierTests.json("\(Self.word(isInbound)): \(xml)"))}"
        }
        let word = isInbound ? "received" : "sent"
        return "{\"msg\":\"\(word)\",\"stanza\":\(CarrierTests.json(xml))}"
      }
      let found = try readAll(CarrierTests.text(lines))
      #expect(found.reading.elements == Self.session, "\(own)")
      #expect(found.unread.count == 0)
    }
  }

  @Test("An entry that was cut off is counted")
  func cutEntries() throws {
    var lines = Self.session.map {
      "{\"msg\":\(CarrierTests.json("\(Self.word(Self.isInbound($0))): \(Self.xml($0))"))}"
    }
    lines[5] = String(lines[5].dropLast(12))
    let found = try readAll(CarrierTests.text(lines))
    #expect(found.reading.elements.count == Self.session.count - 1)
    #expect(found.unread.count == 1)
    #expect(found.unread.first == 6)
  }

  @Test(
    "A member that is false means the opposite direction",
    arguments: [
      ("\"sent\": false", true), ("\"sent\": true", false), ("\"isOutgoing\": false", true),
      ("\"incoming\": true", true), ("\"incoming\": false", false), ("\"outbound\": 1", false),
      ("\"sentByClient\": false", true), ("\"to\": \"server\"", false),
    ])
  func flags(_ member: String, _ isInbound: Bool) throws {
    let subscribe = "<presence from='b@a.test' to='c@a.test' type='subscribe'/>"
    let expected = ["\(isInbound ? "<" : ">") \(subscribe)"]
    for text in ["{\(member), \"data\": \"\(subscribe)\"}", "{\"a\": \"\(subscribe)\", \(member)}"]
    {
      #expect(try readAll("\(text)\n").reading.elements == expected, "\(text)")
    }
  }

  @Test("A member without a direction in its name states none, whatever its value")
  func noFlags() {
    for name in ["read", "delivered", "response", "sentry", "sent_at", "in_reply", "issue", "is"] {
      #expect(NamedDirection.word(name, .bool(true)) == nil, "\(name)")
    }
    #expect(NamedDirection.word("sent", .integer(17)) == nil)
    #expect(NamedDirection.word("from", .string("bob")) == nil)
  }

  // MARK: Tables

  static let tables: [(header: String?, write: @Sendable (Bool, String) -> String)] = [
    ("time,direction,stanza", { "2026-03-05T08:05:06Z,\($0 ? "in" : "out"),\(quoted($1))" }),
    ("time,message,direction", { "2026-03-05T08:05:06Z,\(quoted($1)),\($0 ? "in" : "out")" }),
    ("when;packet", { "2026-03-05T08:05:06Z;\(quoted("\(word($0)): \($1)"))" }),
    (nil, { "2026-03-05T08:05:06Z,\(quoted("\(word($0)): \($1)"))" }),
    ("time,sent,xml", { "2026-03-05T08:05:06Z,\(!$0),\(quoted($1))" }),
    ("time,isIncoming,xml", { "2026-03-05T08:05:06Z,\($0 ? 1 : 0),\(quoted($1))" }),
    ("time,source,xml", { "2026-03-05T08:05:06Z,\($0 ? "server" : "client"),\(quoted($1))" }),
  ]

  @Test("The column with the elements is read, whatever its name", arguments: tables.indices)
  func columns(_ index: Int) throws {
    let (header, write) = Self.tables[index]
    let rows = Self.session.map { write(Self.isInbound($0), Self.xml($0)) }
    let found = try readAll(CarrierTests.text((header.map { [$0] } ?? []) + rows))
    #expect(found.reading.elements == Self.session, "\(header ?? "no header")")
    // Elements whose directions are guessed are held back, and may lose the times of their rows.
    let isTimed = found.reading.records.allSatisfy { $0.time == 1_772_697_906_000 }
    #expect(isTimed || found.format == "pasted")
  }

  @Test(
    "Elements with quotes are read in a column of any name, and in one without a name",
    arguments: ["time,source,xml", "time,incoming,xml", "time,where,xml", nil])
  func doubledQuotes(_ header: String?) throws {
    let session = Self.session.map { $0.replacing("'", with: "\"") }
    let rows = session.map { element in
      let isInbound = Self.isInbound(element)
      let xml = Self.xml(element)
      let word =
        switch header {
        case "time,source,xml": isInbound ? "server" : "client"
        case "time,incoming,xml": "\(isInbound)"
        case nil: Self.word(isInbound)
        default: "here"
        }
      // A field without quotes in it is not quoted.
      let field = xml.contains("\"") ? Self.quoted(xml) : xml
      return "2026-03-05T08:05:06Z,\(word),\(field)"
    }
    let found = try readAll(CarrierTests.text((header.map { [$0] } ?? []) + rows))
    guard header == "time,where,xml" else {
      #expect(found.reading.elements == session)
      return
    }
    // The table does not state the directions.
    #expect(found.reading.elements.map(Self.xml).sorted() == session.map(Self.xml).sorted())
  }

  // MARK: Lines

  @Test("Numbers before lines are not part of the log")
  func lineNumbers() throws {
    for mark in ["  ", ": ", ". "] {
      let numbered = Self.session.enumerated().map { index, element in
        let number = "\(index + 1)"
        let space = String(repeating: " ", count: 4 - number.count)
        let xml = Self.xml(element).replacing("><", with: ">\n<")
        return (space + number, "\(Self.word(Self.isInbound(element))): \(xml)", mark)
      }
      let plain = numbered.map { $0.0 + $0.2 + $0.1.replacing("\n", with: "") }
      #expect(try readAll(CarrierTests.text(plain)).reading.elements == Self.session)
      // Every line has its number, also inside an element.
      let lines = numbered.flatMap { $0.1.split(separator: "\n") }.enumerated().map {
        let number = "\($0 + 1)"
        return String(repeating: " ", count: 4 - number.count) + number + mark + $1
      }
      let found = try readAll(CarrierTests.text(lines)).reading.elements
      #expect(found.map { $0.replacing("\n", with: "") } == Self.session)
    }
  }

  @Test("A log in a single string literal is read")
  func aLogInAString() throws {
    let lines = Self.session.map { "\(Self.word(Self.isInbound($0))): \(Self.xml($0))" }
    let found = try readAll(CarrierTests.json(lines.joined(separator: "\n")))
    #expect(found.reading.elements == Self.session)
  }

  @Test("Any number of records on one line is read in time proportional to its length")
  func manyOnALine() throws {
    let line = String(repeating: "RECV: <presence/> ", count: 20_000)
    #expect(try read(line, "slixmpp").elements.count == 20_000)
  }

  @Test("Lines whose ends were lost are read", arguments: [" ", "\r", "  \t"])
  func lostLineEnds(_ separator: String) throws {
    let lines = Self.session.map { "\(Self.word(Self.isInbound($0))): \(Self.xml($0))" }
    for size in [2, lines.count] {
      let joined = stride(from: 0, to: lines.count, by: size).map {
        lines[$0..<min($0 + size, lines.count)].joined(separator: separator)
      }
      let reading = try read(CarrierTests.text(joined), "slixmpp")
      #expect(reading.elements == Self.session)
      #expect(reading.problems.isEmpty)
    }
  }

  @Test("UTF-16 is read without a byte order mark", arguments: [true, false])
  func utf16WithoutMark(_ isLittle: Bool) throws {
    let lines = Self.session.map { "\(Self.word(Self.isInbound($0))): \(Self.xml($0))" }
    let bytes = Array(
      CarrierTests.utf16(CarrierTests.text(lines), isLittle: isLittle).dropFirst(2))
    let carrier = Carrier(bytes)
    let format = try #require(CaptureFormat.detect(bytes, within: carrier))
    let reading = try read(bytes, format.id, options: ReaderOptions(carrier: carrier))
    #expect(reading.elements == Self.session)
  }
}
