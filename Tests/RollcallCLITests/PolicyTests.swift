import Foundation
import TestSupport
import Testing

@Suite("A log whose recorder leaves something out") struct PolicyTests {
  private let folder: TemporaryFolder

  /// A capture of which the recorder kept heads, with a message of bob.
  private static let lines = [
    #"{"rollcall-capture":1,"account":"alice@example.test/phone"}"#,
    #"{"t":1763600000000,"stream":"recorded","messages":"heads","acknowledgements":"news"}"#,
    #"{"t":1763600000100,"stream":"opened","jid":"alice@example.test/phone"}"#,
    #"{"t":1763600000200,"dir":"out","xml":"<presence/>"}"#,
    #"{"t":1763600000300,"dir":"in","xml":"<message from='bob@example.test/pc' type='chat' id='1'>"#
      + #"<body><removed xmlns='urn:rollcall:removed:0' kind='text'/></body></message>"}"#,
  ]

  init() throws {
    folder = try TemporaryFolder()
    let text = Self.lines.joined(separator: "\n") + "\n"
    try text.write(toFile: folder.file("heads.jsonl"), atomically: true, encoding: .utf8)
  }

  private func run(_ arguments: String...) throws -> Program {
    try Program(arguments, in: folder.path)
  }

  @Test("Each command that shows it says so, for a log and for its capture")
  func said() throws {
    #expect(try run("import", "heads.jsonl", "-o", "heads.rollcall").code == 0)
    let verified = try run("verify", "heads.rollcall")
    #expect(verified.code == 0, "\(verified.errors)")
    let clause =
      "from here on, the recorder keeps only the heads of messages and only acknowledgements that "
      + "say something new"
    #expect("\(verified.output)\(verified.errors)".contains("record 2: \(clause)"))
    for source in ["heads.jsonl", "heads.rollcall"] {
      #expect(try run("log", source).output.contains(#""messages":"heads""#))
      let document = try run("conversations", source, "--json").document
      #expect(document["complete"] as? Bool == false)
      let chat = try run("chat", source, "bob@example.test")
      #expect(chat.output.contains("the text was not recorded"), "\(chat.output)")
      #expect(chat.errors.contains("the log does not have everything"), "\(chat.errors)")
    }
  }

  @Test("An export of it is the same capture, and keeps what it says")
  func exported() throws {
    #expect(try run("import", "heads.jsonl", "-o", "heads.rollcall").code == 0)
    let export = try run("export", "heads.rollcall")
    #expect(export.output.contains(#""stream":"recorded""#), "\(export.output)")
    let redacted = try run("export", "heads.rollcall", "--redact")
    #expect(redacted.output.contains(#""messages":"heads""#), "\(redacted.output)")
  }
}
