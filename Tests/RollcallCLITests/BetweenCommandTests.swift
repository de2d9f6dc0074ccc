import Foundation
import TestSupport
import Testing

@Suite("rollcall between") struct BetweenCommandTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// What an account recorded of its subscription to the other, on a connection with a name.
  private func write(_ account: String, _ subscription: String, _ other: String) throws {
    let jid = "\(account)@example.test"
    let text = """
      {"rollcall-capture":1,"account":"\(jid)"}
      {"t":1000,"c":1,"stream":"opened","jid":"\(jid)/pc","name":"of-\(account)"}
      {"t":1000,"c":1,"dir":"out","xml":"<iq type='get' id='1'><query xmlns='jabber:iq:roster'/></iq>"}
      {"t":1000,"c":1,"dir":"in","xml":"<iq type='result' id='1'><query xmlns='jabber:iq:roster'><item jid='\(other)@example.test' subscription='\(subscription)'/></query></iq>"}
      {"t":1000,"c":1,"dir":"out","xml":"<presence/>"}
      {"t":200000,"c":1,"dir":"in","xml":"<presence from='\(other)@example.test/pc'/>"}

      """
    try text.write(toFile: folder.file("\(account).jsonl"), atomically: true, encoding: .utf8)
  }

  @Test("Standard input is read once, as either of the two sources")
  func standardInput() throws {
    try write("ann", "both", "ben")
    try write("ben", "both", "ann")
    for arguments in [
      ["-", "-"],
      ["-", "--account", "ann@example.test", "--other-account", "ben@example.test"],
    ] {
      let run = try Program(["between"] + arguments, in: folder.path)
      #expect(run.code == 2)
      #expect(run.errors.contains("standard input, -, can be read only once"))
    }
    for (input, arguments) in [("ann", "- ben.jsonl"), ("ben", "ann.jsonl -")] {
      let run = try Program(
        shell: "\"$ROLLCALL\" between \(arguments) < \(input).jsonl", in: folder.path)
      #expect(run.code == 0, "\(run.errors)")
      #expect(
        run.output.contains("Does ann@example.test see the presence of ben@example.test? Yes."))
    }
  }

  @Test("The answers about a contact have those about its end, if its log is given")
  func other() throws {
    try write("ann", "both", "ben")
    try write("ben", "to", "ann")
    let why = ["why", "ann.jsonl", "ben@example.test"]
    let between = try Program("between", "ann.jsonl", "ben.jsonl", in: folder.path)
    let alone = try Program(why, in: folder.path)
    let run = try Program(why + ["--other", "ben.jsonl"], in: folder.path)
    #expect(run.code == 0, "\(run.errors)")
    let question = "Does ann@example.test see the presence of ben@example.test?"
    let start = try #require(between.output.range(of: question)?.lowerBound)
    #expect(run.output == alone.output + "\n" + between.output[start...])
    // The log of another account than the contact, and a message, which has no other end.
    for arguments in [["--other", "ann.jsonl"], ["--other", "ben.jsonl", "--message", "#3"]] {
      #expect(try Program(why + arguments, in: folder.path).code == 2)
    }
  }

  @Test("A connection is one of the first account")
  func connection() throws {
    try write("ann", "both", "ben")
    try write("ben", "both", "ann")
    let run = try Program(
      "between", "ann.jsonl", "ben.jsonl", "--connection", "of-ann", in: folder.path)
    #expect(run.code == 0, "\(run.errors)")
    let wrong = try Program(
      "between", "ann.jsonl", "ben.jsonl", "--connection", "of-ben", in: folder.path)
    #expect(wrong.code == 2)
  }
}
