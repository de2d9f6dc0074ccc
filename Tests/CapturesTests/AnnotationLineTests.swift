import Captures
import TestSupport
import Testing
import XMPPStanza

@Suite("Annotations in a log") struct AnnotationLineTests {
  private static let jid = bare("a@b.test")

  static let lines: [(AnnotationLine, String)] = [
    (.bookmark(name: "改名", back: 3), #"{"back":3,"bookmark":"改名"}"#),
    (.starred(jid, true), #"{"jid":"a@b.test","starred":true}"#),
    (.starred(jid, false), #"{"jid":"a@b.test","starred":false}"#),
    (.reading(jid, "zeng \"xian\""), #"{"jid":"a@b.test","reading":"zeng \"xian\""}"#),
    (.reading(jid, nil), #"{"jid":"a@b.test","reading":null}"#),
    (.note(jid, "多\n行"), #"{"jid":"a@b.test","note":"多\n行"}"#),
    (.note(jid, nil), #"{"jid":"a@b.test","note":null}"#),
    (.requestsSeen([]), #"{"requestsSeen":[]}"#),
    (.requestsSeen([jid, bare("b.test")]), #"{"requestsSeen":["a@b.test","b.test"]}"#),
  ]

  private static let header = #"{"rollcall-capture":1}"# + "\n"

  private func captured(_ line: String) throws -> Reading {
    try read(Array((Self.header + line + "\n").utf8), "native")
  }

  @Test("A line is written and read back, in a log and in a capture", arguments: lines)
  func isReadBack(_ annotation: AnnotationLine, _ line: String) throws {
    #expect(String(decoding: annotation.bytes, as: UTF8.self) == line)
    #expect(AnnotationLine(Array(line.utf8)) == annotation)
    let reading = try captured(#"{"t":5,"c":2,"# + line.dropFirst())
    #expect(reading.records.last?.content == .annotation(annotation))
    #expect(reading.records.last?.time == 5 && reading.records.last?.connectionNumber == 2)
    #expect(reading.problems.isEmpty)
  }

  @Test(
    "A malformed annotation is nil in a log, and a problem with its reason in a capture",
    arguments: [
      (#"{"jid":"a@b.test"}"#, "\"dir\" is missing"),
      (#"{"starred":true}"#, "an annotation names no address that can be prepared"),
      (#"{"starred":true,"jid":"@"}"#, "an annotation names no address that can be prepared"),
      (#"{"starred":1,"jid":"a@b.test"}"#, "\"starred\" is neither true nor false"),
      (#"{"starred":null,"jid":"a@b.test"}"#, "\"starred\" is neither true nor false"),
      (#"{"reading":1,"jid":"a@b.test"}"#, "\"reading\" is neither a string nor null"),
      (#"{"note":[],"jid":"a@b.test"}"#, "\"note\" is neither a string nor null"),
      (#"{"requestsSeen":"a@b.test"}"#, "\"requestsSeen\" is not a list of addresses"),
      (#"{"requestsSeen":[1]}"#, "an annotation names no address that can be prepared"),
      (#"{"bookmark":1,"back":1}"#, "\"bookmark\" is not a string"),
      (#"{"bookmark":"x","back":-1}"#, "\"back\" is not a number of records"),
    ])
  func isRefused(_ line: String, _ reason: String) throws {
    #expect(AnnotationLine(Array(line.utf8)) == nil)
    #expect(try captured(line).problems.map(\.message) == [reason])
  }

  @Test("An address is prepared, and its resource removed")
  func address() throws {
    let line = #"{"jid":"BOB@Example.test/pda","starred":true}"#
    #expect(AnnotationLine(Array(line.utf8)) == .starred(bare("bob@example.test"), true))
  }
}
