import TestSupport
import Testing

@testable import Captures

@Suite("Kinds of native lines") struct NativeKeyTests {
  /// The kinds of a line: the key that decides, and a whole line without its braces.
  private static let kinds: [(key: String, members: String)] = [
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

  private func line(_ kinds: [(key: String, members: String)], direction: Bool? = nil) -> String {
    let needsDirection = kinds.contains { ["xml", "unreadable"].contains($0.key) }
    let members =
      kinds.map(\.members) + (direction ?? needsDirection ? [#""dir":"in""#] : [])
      + [#""jid":"a@b.test""#]
    return "{" + members.joined(separator: ",") + "}\n"
  }

  @Test("A line with one kind is read") func one() throws {
    for kind in Self.kinds {
      let reading = try read(Array((Self.header + line([kind])).utf8), "native")
      #expect(reading.problems.isEmpty, "\(kind.key)")
      #expect(reading.records.count == 2, "\(kind.key)")
    }
  }

  @Test("A line with two kinds is refused with its number and both keys") func two() throws {
    for (index, first) in Self.kinds.enumerated() {
      for second in Self.kinds[(index + 1)...] {
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

  @Test("A direction is ignored on a line that has no bytes") func direction() throws {
    for kind in Self.kinds where !["xml", "unreadable"].contains(kind.key) {
      let plain = try read(Array((Self.header + line([kind])).utf8), "native")
      let reading = try read(Array((Self.header + line([kind], direction: true)).utf8), "native")
      #expect(reading.problems.isEmpty, "\(kind.key)")
      #expect(reading.records.map(\.content) == plain.records.map(\.content), "\(kind.key)")
      #expect(reading.records.count == 2, "\(kind.key)")
    }
  }

  @Test(
    "An annotation's key without the member it needs is ignored next to another key",
    arguments: [#""note":"of Monday""#, #""starred":true"#, #""reading":"x""#, #""bookmark":"x""#])
  func part(of annotation: String) throws {
    let lines = [
      #""rollcall-capture":1,"account":"a@b.test""#, #""dir":"in","xml":"<presence/>""#,
      #""dir":"in","unreadable":"PGE+","bytes":3,"reason":"it ends too early""#,
      #""stream":"closed""#, #""requestsSeen":[]"#,
    ]
    for line in lines {
      let plain = try read(Array((Self.header + "{\(line)}\n").utf8), "native")
      let reading = try read(Array((Self.header + "{\(line),\(annotation)}\n").utf8), "native")
      #expect(reading.problems.isEmpty, "\(line)")
      #expect(reading.records.map(\.content) == plain.records.map(\.content), "\(line)")
      #expect(reading.records.count == 2, "\(line)")
    }
    let first = #"{"rollcall-capture":1,"# + annotation + "}\n"
    #expect(try read(Array(first.utf8), "native").records.count == 1)
    // Alone it is an incomplete annotation.
    let alone = try read(Array((Self.header + "{\(annotation)}\n").utf8), "native")
    #expect(alone.problems.map(\.message).first?.contains("\"xml\"") == false)
    #expect(alone.records.count == 1)
  }

  @Test("The first header of a capture also has one kind only") func header() throws {
    let line = #"{"rollcall-capture":1,"dir":"in","xml":"<presence/>"}"# + "\n"
    let reading = try read(Array(line.utf8), "native")
    #expect(reading.records.isEmpty)
    #expect(
      reading.error
        == .badHeader(
          line: 1, "a record has either \"rollcall-capture\" or \"xml\", not both"))
  }

  @Test("An unknown key is ignored") func unknown() throws {
    let text = Self.header + #"{"dir":"in","xml":"<presence/>","comment":"odd"}"# + "\n"
    let reading = try read(Array(text.utf8), "native")
    #expect(reading.problems.isEmpty && reading.records.count == 2)
  }
}
