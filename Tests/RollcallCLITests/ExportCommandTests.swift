import Foundation
import Rollcall
import TestSupport
import Testing

@Suite("The command export") struct ExportCommandTests {
  private let capture: String
  private let folder: TemporaryFolder

  init() throws {
    capture = try #require(CaptureCase.all.first { $0.name == "raw-add-offline" }).path
    folder = try TemporaryFolder()
  }

  @Test("Output and file are the same, and importing gives the same roster")
  func native() throws {
    let printed = try Program("export", capture)
    #expect(printed.code == 0)
    #expect(printed.errors.contains("one record more"))
    let written = try Program("export", capture, "-o", "x.jsonl", in: folder.path)
    #expect(written.code == 0)
    #expect(written.output.isEmpty)
    #expect(try String(contentsOfFile: folder.file("x.jsonl"), encoding: .utf8) == printed.output)
    let before = try Program("friends", capture, "--json").document["friends"] as? NSArray
    let after = try Program("friends", "x.jsonl", "--json", in: folder.path).document["friends"]
    #expect(before == after as? NSArray)
    #expect(before?.count == 1)
  }

  @Test("An export of a log without records can be imported", arguments: [[], ["--redact"]])
  func empty(options: [String]) throws {
    try RosterSession(recordingTo: folder.file("empty.rollcall")).close()
    let export = try Program(
      ["export", "empty.rollcall", "-o", "x.jsonl"] + options, in: folder.path)
    #expect(export.code == 0, "\(export.errors)")
    let imported = try Program("import", "x.jsonl", "-o", "y.rollcall", in: folder.path)
    #expect(imported.code == 0, "\(imported.errors)")
    let state = try Program("state", "y.rollcall", "--json", in: folder.path).document
    #expect((state["items"] as? [Any])?.isEmpty == true && state["complete"] as? Bool == false)
    #expect(try Program("verify", "y.rollcall", in: folder.path).code == 0)
  }

  @Test("A redacted export has the same contacts with other names under the same letters")
  func redacted() throws {
    let run = try Program("export", capture, "--redact", "-o", "x.jsonl", in: folder.path)
    #expect(run.code == 0)
    let text = try String(contentsOfFile: folder.file("x.jsonl"), encoding: .utf8)
    for original in ["ajie19", "xue19", "example.test", "阿杰", "朋友"] {
      #expect(!text.contains(original))
    }
    let friends =
      try Program("friends", "x.jsonl", "--json", in: folder.path)
      .document["friends"] as? [NSDictionary]
    #expect(friends?.count == 1)
    // 阿杰 is filed under A, the group 朋友 under P.
    #expect((friends?.first?["name"] as? String)?.hasPrefix("A-") == true)
    #expect((friends?.first?["groups"] as? [String])?.first?.hasPrefix("P-") == true)
    let xml = try Program("export", capture, "--redact", "--format", "xml", "-o", "x")
    #expect(xml.code == 2)
  }

  @Test("The two files of a pair are exported as one capture")
  func pair() throws {
    let split = try Program("export", capture, "--format", "xml", "-o", "x", in: folder.path)
    #expect(split.code == 0)
    let joined = try Program(
      "export", "x.in.xml", "--pair", "x.out.xml", "-o", "y.jsonl", in: folder.path)
    #expect(joined.code == 0)
    let text = try String(contentsOfFile: folder.file("y.jsonl"), encoding: .utf8)
    #expect(text.contains("\"dir\":\"in\"") && text.contains("\"dir\":\"out\""))
    let before = try Program("friends", capture, "--json").document["friends"] as? NSArray
    let after = try Program("friends", "y.jsonl", "--json", in: folder.path).document["friends"]
    #expect(before?.count == 1)
    #expect(before == after as? NSArray)
  }

  @Test("An XML export has one file for each direction")
  func xml() throws {
    let run = try Program("export", capture, "--format", "xml", "-o", "x", in: folder.path)
    #expect(run.code == 0)
    #expect(try folder.names == ["x.in.xml", "x.out.xml"])
    let sent = try String(contentsOfFile: folder.file("x.out.xml"), encoding: .utf8)
    #expect(sent.contains("<presence type=\"subscribe\" to=\"ajie19@example.test\"></presence>"))
    #expect(!sent.contains("<success"))
    let nameless = try Program("export", capture, "--format", "xml")
    #expect(nameless.code == 2)
    #expect(nameless.errors.contains("-o"))
  }

  @Test("An existing file is not overwritten, and a failed export leaves none behind")
  func existing() throws {
    try "kept".write(toFile: folder.file("x.jsonl"), atomically: true, encoding: .utf8)
    let run = try Program("export", capture, "-o", "x.jsonl", in: folder.path)
    #expect(run.code == 2)
    #expect(run.errors.contains("x.jsonl"))
    #expect(try String(contentsOfFile: folder.file("x.jsonl"), encoding: .utf8) == "kept")
    let missing = try Program("export", capture, "-o", "no/x.jsonl", in: folder.path)
    #expect(missing.code == 2)
    #expect(missing.errors.contains("no/x.jsonl"))
    #expect(try folder.names == ["x.jsonl"])
  }

  @Test("The next export removes the leftovers of a killed one")
  func staleDraft() throws {
    // No process has this number.
    let draft = "x.jsonl.draft-2000000000-1"
    try "cut".write(toFile: folder.file(draft), atomically: true, encoding: .utf8)
    let run = try Program("export", capture, "-o", "x.jsonl", in: folder.path)
    #expect(run.code == 0, "\(run.errors)")
    #expect(try folder.names == ["x.jsonl"])
  }

  @Test("Every format is listed with instructions")
  func formats() throws {
    let formats = try Program("formats", "--json").document["formats"] as? [NSDictionary]
    let names = try #require(formats).compactMap { $0["format"] as? String }
    #expect(Set(CaptureCase.all.map(\.format)).isSubset(of: names))
    #expect(Set(names).count == names.count)
    #expect(formats?.allSatisfy { ($0["howTo"] as? String)?.isEmpty == false } == true)
    let printed = try Program("formats")
    for name in names { #expect(printed.output.contains("\(name): ")) }
  }
}
