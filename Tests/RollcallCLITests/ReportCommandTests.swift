import Foundation
import TestSupport
import Testing

@Suite("The command report") struct ReportCommandTests {
  private let capture: String
  private let folder: TemporaryFolder

  init() throws {
    capture = try #require(CaptureCase.all.first { $0.name == "slixmpp-request-stays" }).path
    folder = try TemporaryFolder()
  }

  private func text(_ name: String) throws -> String {
    try String(contentsOfFile: folder.file(name), encoding: .utf8)
  }

  @Test("Output and file are the same page, for a capture and for its log")
  func page() throws {
    let printed = try Program("report", capture)
    #expect(printed.code == 0, "\(printed.errors)")
    #expect(printed.errors.isEmpty)
    #expect(printed.output.hasPrefix("<!DOCTYPE html>\n<html "))
    #expect(printed.output.hasSuffix("</body></html>"))
    let written = try Program("report", capture, "-o", "x.html", in: folder.path)
    #expect(written.code == 0 && written.output.isEmpty)
    #expect(try text("x.html") == printed.output)
    for word in ["wrong-refusal", "tuixiao25@example.test", "低价出售会员，加我", "capture.log"] {
      #expect(printed.output.contains(word), "\(word)")
    }
    #expect(!printed.output.contains(folder.path) && !printed.output.contains("Fixtures"))
    try FileManager.default.copyItem(atPath: capture, toPath: folder.file("capture.log"))
    _ = try Program("import", "capture.log", "-o", "x.rollcall", in: folder.path)
    let log = try Program("report", "x.rollcall", in: folder.path)
    #expect(log.output.replacing("x.rollcall", with: "capture.log") == printed.output)
  }

  @Test("A point limits it, a zone sets its times, a connection narrows it")
  func options() throws {
    let early = try Program("report", capture, "--at", "16")
    #expect(!early.output.contains("wrong-refusal") && early.output.contains(#"id="r16""#))
    let zone = try Program("report", capture, "--zone", "+08:00")
    #expect(zone.output.contains("2026-11-22 01:34:46.636"))
    #expect(!zone.output.contains("17:34:46.636"))
    let device = try Program("report", capture, "--connection", "tablet")
    #expect(device.code == 0, "\(device.errors)")
    #expect(try Program("report", capture, "--connection", "nosuch").code == 2)
    #expect(try Program("report", capture, "--zone", "Mars/Olympus").code == 2)
  }

  @Test("It compares the other end, which is not redacted")
  func otherEnd() throws {
    for name in ["ann", "ben"] {
      let other = name == "ann" ? "ben" : "ann"
      try """
      {"rollcall-capture":1,"account":"\(name)@example.test/pc"}
      {"t":0,"stream":"opened","jid":"\(name)@example.test/pc"}
      {"t":0,"dir":"out","xml":"<iq type='get' id='1'><query xmlns='jabber:iq:roster'/></iq>"}
      {"t":0,"dir":"in","xml":"<iq type='result' id='1'><query xmlns='jabber:iq:roster'><item jid='\(other)@example.test' subscription='both'/></query></iq>"}

      """.write(toFile: folder.file("\(name).jsonl"), atomically: true, encoding: .utf8)
    }
    let run = try Program("report", "ann.jsonl", "--other", "ben.jsonl", in: folder.path)
    #expect(run.code == 0, "\(run.errors)")
    #expect(run.output.contains("Does ben@example.test see the presence of ann@example.test?"))
    for arguments in [["--other", "ben.jsonl", "--redact"], ["--other", "ann.jsonl"]] {
      let refused = try Program(["report", "ann.jsonl"] + arguments, in: folder.path)
      #expect(refused.code == 2 && refused.output.isEmpty, "\(arguments): \(refused.errors)")
    }
  }

  @Test("A redacted report names no one, not even by its file name")
  func redacted() throws {
    try FileManager.default.copyItem(atPath: capture, toPath: folder.file("xiaofang.log"))
    let run = try Program("report", "xiaofang.log", "--redact", "-o", "x.html", in: folder.path)
    #expect(run.code == 0, "\(run.errors)")
    let page = try text("x.html")
    for word in ["xiaofang", "example.test", "tuixiao", "低价", "大海", "家人", "tablet"] {
      #expect(!page.contains(word), "\(word)")
    }
    #expect(page.contains("wrong-refusal") && page.contains("stand-ins"))
    let early = try Program("report", capture, "--redact", "--at", "16", in: folder.path)
    #expect(early.code == 0 && !early.output.contains("wrong-refusal"))
  }

  @Test("An existing file is not overwritten, and a failed report leaves none behind")
  func existing() throws {
    try "kept".write(toFile: folder.file("x.html"), atomically: true, encoding: .utf8)
    let run = try Program("report", capture, "-o", "x.html", in: folder.path)
    #expect(run.code == 2)
    #expect(run.errors.contains("x.html exists already"))
    #expect(try text("x.html") == "kept")
    let missing = try Program("report", capture, "-o", "no/x.html", in: folder.path)
    #expect(missing.code == 2 && missing.errors.contains("no/x.html"))
    let late = try Program("report", capture, "--at", "9999", "-o", "y.html", in: folder.path)
    #expect(late.code == 2)
    #expect(try folder.names == ["x.html"])
  }

  #if os(Linux)
    @Test("The digest in the policy is that of the style sheet")
    func digest() throws {
      let page = try Program("report", capture).output
      let sheet = try #require(page.firstMatch(of: /<style>([^<]*)<\/style>/)?.output.1)
      try Data(sheet.utf8).write(to: URL(filePath: folder.file("sheet.css")))
      let sum = try Program(shell: "sha256sum sheet.css", in: folder.path).output.prefix(64)
      let bytes = stride(from: 0, to: 64, by: 2).compactMap { place in
        UInt8(sum.dropFirst(place).prefix(2), radix: 16)
      }
      #expect(bytes.count == 32)
      #expect(page.contains("'sha256-\(Data(bytes).base64EncodedString())'"))
    }
  #endif
}
