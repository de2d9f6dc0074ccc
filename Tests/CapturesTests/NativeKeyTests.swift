import TestSupport
import Testing

@testable import Captures

@Suite("A native line says one thing") struct NativeKeyTests {
  /// What a line can say: the key that decides, and a whole line without its braces.
  private static let things: [(key: String, members: String)] = [
    ("rollcall-capture", #""rollcall-capture":1,"account":"a@b.test""#),
    ("xml", #""xml":"<presence/>""#),
    ("unreadable", #""unreadable":"PGE+","bytes":3,"reason":"it ends too early""#),
    ("stream", #""stream":"closed""#),
    ("bookmark", #""bookmark":"before","back":1"#),
    ("starred", #""starred":true"#),
    ("reading", #""reading":"zeng xian""#),
    ("note", #""note":null"#),
    ("requestsSeen", #""requestsSeen":[]"#),
  ]

  private static let header = #"{"rollcall-capture":1}"# + "\n"

  private func line(_ things: [(key: String, members: String)], direction: Bool? = nil) -> String {
    let needsDirection = things.contains { ["xml", "unreadable"].contains($0.key) }
    let members =
      things.map(\.members) + (direction ?? needsDirection ? [#""dir":"in""#] : [])
      + [#""jid":"a@b.test""#]
    return "{" + members.joined(separator: ",") + "}\n"
  }

  @Test("One thing is read") func one() throws {
    for thing in Self.things {
      let reading = try read(Array((Self.header + line([thing])).utf8), "native")
      #expect(reading.problems.isEmpty, "\(thing.key)")
      #expect(reading.records.count == 2, "\(thing.key)")
    }
  }

  @Test("Two things are refused, with the line and both keys named") func two() throws {
    for (index, first) in Self.things.enumerated() {
      for second in Self.things[(index + 1)...] {
        // The order of the keys in the line does not matter.
        for pair in [[first, second], [second, first]] {
          let text = Self.header + Self.header + line(pair)
          let reading = try read(Array(text.utf8), "native")
          #expect(reading.records.count == 2, "\(first.key) and \(second.key)")
          #expect(reading.problems.map(\.line) == [3])
          #expect(
            reading.problems.map(\.message) == [
              "a record has either \"\(first.key)\" or \"\(second.key)\", not both"
            ])
        }
      }
    }
  }

  @Test("A direction is passed over where nothing went in one") func direction() throws {
    for thing in Self.things where !["xml", "unreadable"].contains(thing.key) {
      let plain = try read(Array((Self.header + line([thing])).utf8), "native")
      let reading = try read(Array((Self.header + line([thing], direction: true)).utf8), "native")
      #expect(reading.problems.isEmpty, "\(thing.key)")
      #expect(reading.records.map(\.content) == plain.records.map(\.content), "\(thing.key)")
      #expect(reading.records.count == 2, "\(thing.key)")
    }
  }

  @Test(
    "A word that is part of an annotation, by itself, says nothing beside something",
    arguments: [#""note":"of Monday""#, #""starred":true"#, #""reading":"x""#, #""bookmark":"x""#])
  func part(of annotation: String) throws {
    let things = [
      #""rollcall-capture":1,"account":"a@b.test""#, #""dir":"in","xml":"<presence/>""#,
      #""dir":"in","unreadable":"PGE+","bytes":3,"reason":"it ends too early""#,
      #""stream":"closed""#, #""requestsSeen":[]"#,
    ]
    for thing in things {
      let plain = try read(Array((Self.header + "{\(thing)}\n").utf8), "native")
      let reading = try read(Array((Self.header + "{\(thing),\(annotation)}\n").utf8), "native")
      #expect(reading.problems.isEmpty, "\(thing)")
      #expect(reading.records.map(\.content) == plain.records.map(\.content), "\(thing)")
      #expect(reading.records.count == 2, "\(thing)")
    }
    let first = #"{"rollcall-capture":1,"# + annotation + "}\n"
    #expect(try read(Array(first.utf8), "native").records.count == 1)
    // By itself it is an annotation that lacks something.
    let alone = try read(Array((Self.header + "{\(annotation)}\n").utf8), "native")
    #expect(alone.problems.map(\.message).first?.contains("\"xml\"") == false)
    #expect(alone.records.count == 1)
  }

  @Test("The first header of a capture says nothing else either") func header() throws {
    let line = #"{"rollcall-capture":1,"dir":"in","xml":"<presence/>"}"# + "\n"
    let reading = try read(Array(line.utf8), "native")
    #expect(reading.records.isEmpty)
    #expect(
      reading.error
        == .badHeader(
          line: 1, "a record has either \"rollcall-capture\" or \"xml\", not both"))
  }

  @Test("A key that no line has is passed over") func unknown() throws {
    let text = Self.header + #"{"dir":"in","xml":"<presence/>","comment":"odd"}"# + "\n"
    let reading = try read(Array(text.utf8), "native")
    #expect(reading.problems.isEmpty && reading.records.count == 2)
  }
}
