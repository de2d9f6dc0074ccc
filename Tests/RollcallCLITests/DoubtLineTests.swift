import Foundation
import TestSupport
import Testing

/// Two open requests, and a second session in which the server sends neither again.
@Suite("Requests that were not sent again") struct DoubtLineTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try """
    {"rollcall-capture":1,"account":"alice@example.test/phone"}
    {"t":1000,"stream":"opened","jid":"alice@example.test/phone"}
    {"t":2000,"dir":"in","xml":"<presence from='bob@example.test' type='subscribe'/>"}
    {"t":3000,"dir":"in","xml":"<presence from='carol@example.test' type='subscribe'/>"}
    {"t":4000,"stream":"closed"}
    {"t":99000,"stream":"opened","jid":"alice@example.test/phone"}
    {"t":100000,"dir":"out","xml":"<presence/>"}
    {"t":110000,"dir":"in","xml":"<presence from='dave@example.test' type='subscribe'/>"}

    """.write(toFile: folder.file("two.log"), atomically: true, encoding: .utf8)
  }

  private func output(_ arguments: String...) throws -> String {
    let run = try Program(arguments, in: folder.path)
    #expect(run.code == 0, "\(arguments): \(run.errors)")
    return run.output
  }

  @Test("A story says so in one line, if the record at which it began is selected")
  func filters() throws {
    let line =
      "2 requests were not sent again in this session: bob@example.test, carol@example.test"
    #expect(try output("replay", "two.log").contains(line))
    let others = [["--from", "8"], ["--only", "findings"], ["--kind", "iq"]]
    for filter in others {
      let run = try Program(["replay", "two.log"] + filter, in: folder.path)
      #expect(!run.output.contains("not sent again"), "\(filter)")
    }
    let bob = try output("replay", "two.log", "--contact", "bob@example.test")
    #expect(bob.contains("1 request was not sent again in this session: bob@example.test"))
  }

  @Test("The record itself and the history of the contact say so, too")
  func details() throws {
    #expect(try output("show", "two.log", "7").contains("request of bob@example.test"))
    #expect(try output("history", "two.log", "bob@example.test").contains("#7"))
  }
}
