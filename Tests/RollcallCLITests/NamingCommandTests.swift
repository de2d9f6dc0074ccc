import Foundation
import TestSupport
import Testing

/// Contacts that are named by something other than their address, and typing errors.
@Suite("Naming from the command line") struct NamingCommandTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    let roster =
      "<item jid='li@example.test' name='李四' subscription='to'/>"
      + "<item jid='liu@example.test' name='六' subscription='to'/>"
      + "<item jid='zs@example.test' name='张三' subscription='both'/>"
    let lines = [
      #"{"rollcall-capture":1,"account":"alice@example.test/phone"}"#,
      #"{"t":1763596800000,"stream":"opened","jid":"alice@example.test/phone"}"#,
      #"{"t":1763596801000,"dir":"out","xml":"<iq type='get' id='r'><query xmlns='jabber:iq:roster'/></iq>"}"#,
      #"{"t":1763596802000,"dir":"in","xml":"<iq type='result' id='r'><query xmlns='jabber:iq:roster'>\#(roster)</query></iq>"}"#,
      #"{"t":1763596803000,"dir":"in","xml":"<iq type='set' id='p'><query xmlns='jabber:iq:roster'><item jid='zs@example.test' subscription='remove'/></query></iq>"}"#,
    ]
    try lines.joined(separator: "\n")
      .write(toFile: folder.file("a.jsonl"), atomically: true, encoding: .utf8)
  }

  @Test(
    "Every command finds a contact by name, even after its removal",
    arguments: [
      ["history", "a.jsonl", "zhangs"], ["why", "a.jsonl", "张三"],
      ["log", "a.jsonl", "--contact", "zhang"], ["replay", "a.jsonl", "--contact", "ZhangSan"],
      ["findings", "a.jsonl", "--contact", "zhang"],
      ["bisect", "a.jsonl", "--missing", "zhang", "--from", "4"],
      ["bisect", "a.jsonl", "--friend", "张"], ["bisect", "a.jsonl", "--name", "zhang=张三"],
    ])
  func found(_ arguments: [String]) throws {
    let run = try Program(arguments, in: folder.path)
    #expect(run.code == 0, "\(run.errors)")
    #expect(run.errors.contains("is zs@example.test (张三)"))
    let exact = arguments.map { word in
      word.contains("=")
        ? "zs@example.test=张三"
        : word.lowercased().contains("zhang") || word.contains("张")
          ? "zs@example.test" : word
    }
    let same = try Program(exact, in: folder.path)
    #expect(same.output == run.output && same.code == 0 && same.errors.isEmpty, "\(same.errors)")
  }

  @Test(
    "A typing error is answered with a suggestion",
    arguments: [
      (["why", "a.jsonl", "li@exmaple.test"], 1, "the nearest: li@example.test (李四)"),
      (["history", "a.jsonl", "example"], 2, "2 contacts: li@example.test (李四), liu@"),
      (["state", "a.jsonl", "--at", "haed"], 2, "did you mean “head”?"),
      (["state", "a.jsonl", "--account", "alcie@example.test"], 2, "did you mean “alice@example"),
      (["state", "a.jsonl", "--connection", "phnoe"], 2, "did you mean “phone”?"),
      (
        ["sections", "a.jsonl", "--search", "lisi"], 1,
        "1 other contact does: --friends all"
      ),
      (["log", "a.jsonl", "--contact", "nobody"], 1, "no record names a contact “nobody”"),
      (["log", "a.jsonl", "--range", "5-4"], 2, "--range"),
    ])
  func mistyped(_ arguments: [String], _ code: Int32, _ words: String) throws {
    let run = try Program(arguments, in: folder.path)
    #expect(run.code == code)
    #expect(run.errors.contains(words), "\(run.errors)")
  }

  @Test(
    "Records can be given as they are printed",
    arguments: [("-2", 2), ("#2-#3", 2), ("#4-", 2), ("#3", 1), ("2", 1)])
  func ranges(_ range: String, _ count: Int) throws {
    let run = try Program(["log", "a.jsonl", "--range", range], in: folder.path)
    #expect(run.output.split(separator: "\n").count == count + 1, "\(run.output)\(run.errors)")
  }

  @Test("show accepts a record number as it is printed")
  func shown() throws {
    let run = try Program(["show", "a.jsonl", "#4"], in: folder.path)
    #expect(run.code == 0 && run.output.contains("李四"), "\(run.errors)")
    #expect(try Program(["show", "a.jsonl", "4"], in: folder.path).output == run.output)
  }
}
