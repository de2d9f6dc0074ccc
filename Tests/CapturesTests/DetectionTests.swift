import Captures
import Foundation
import TestSupport
import Testing

@Suite("Detection of formats")
struct DetectionTests {
  @Test("Every format has a unique id and instructions for turning the log on")
  func idsAndInstructions() {
    #expect(Set(CaptureFormat.all.map(\.id)).count == CaptureFormat.all.count)
    for format in CaptureFormat.all {
      #expect(CaptureFormat.named(format.id)?.title == format.title)
      #expect(!format.howTo.isEmpty)
    }
  }

  @Test("A format is called tested only if there is a log of it")
  func testedFormatsHaveALog() {
    // Pasted texts are kept separately from the logs of programs.
    let logged = Set((Fixture.all + Fixture.logs).map(\.format)).union(["native", "pasted"])
    for format in CaptureFormat.all {
      #expect(format.isTested == logged.contains(format.id), "\(format.id)")
    }
  }

  @Test(
    "A stream in which a chat quotes a log is a stream",
    arguments: Fixture.logs)
  func aStreamThatQuotesALogIsAStream(_ fixture: Fixture) {
    let text = String(decoding: fixture.bytes.prefix(20_000), as: UTF8.self)
      .filter { !"<>&\0".contains($0) }.unicodeScalars.filter { $0.value >= 32 || $0 == "\n" }
    let quoted = String(String.UnicodeScalarView(text))
    let stream =
      "<stream:stream from='example.test' id='1' xmlns='jabber:client' "
      + "xmlns:stream='http://etherx.jabber.org/streams'><message><body>\(quoted)&lt;</body>"
    #expect(detect(Array(stream.utf8)[...]) == "raw-stream")
  }

  /// Two thirds of any log have the format of the whole: detection does not depend on a single
  /// line.
  @Test(
    "A part of a log has the format of the whole",
    arguments: Fixture.all + Fixture.logs)
  func partsOfALog(_ fixture: Fixture) {
    // Bare elements are recognized by the beginning of the file.
    guard fixture.name != "wireshark/follow.ascii.txt", fixture.format != "psi",
      let whole = detect(fixture.bytes[...])
    else { return }
    let lines = fixture.bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
    guard lines.count > 60 else { return }
    for skipped in [lines.count / 3, lines.count / 2] {
      let rest = Array(lines[skipped...].joined(separator: [0x0A]))
      let found = detect(rest.prefix(64 << 10))
      // The server's own lines are the same under either module.
      if whole != "prosody-raw" { #expect(found == whole) }
    }
  }

  @Test(
    "The beginning of a log, also of a collected one, has the format of the whole",
    arguments: Fixture.logs, ["", "Nov 21 07:25:14 host program[123]: "])
  func beginnings(_ fixture: Fixture, _ wrapper: String) throws {
    let lines = fixture.bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
      .dropLast().map { Array(wrapper.utf8) + $0 + [0x0A] }
    let head = Array(lines.joined().prefix(16 << 10))
    // Bare elements on separate lines are not the log of a collector.
    guard let whole = CaptureFormat.detect(beginning: head),
      wrapper.isEmpty || LineWrapperTests.wrapper(of: head) != nil
    else { return }
    #expect(whole.id == CaptureFormat.detect(head)?.id)
    var (beginning, looked, found) = ([UInt8](), 0, CaptureFormat?.none)
    for line in lines where found == nil && beginning.count < head.count {
      let isLooked = beginning.count >= 2 * looked
      if isLooked {
        found = CaptureFormat.detect(beginning: beginning + line.prefix(line.count / 2))
      }
      beginning += line
      guard isLooked, found == nil else { continue }
      found = CaptureFormat.detect(beginning: beginning)
      looked = beginning.count
    }
    found = found ?? CaptureFormat.detect(beginning: beginning)
    #expect(found?.id == whole.id, "after \(beginning.count) of \(head.count) bytes")
    #expect(LineWrapperTests.wrapper(of: beginning) == LineWrapperTests.wrapper(of: head))
  }

  private func detect(_ bytes: ArraySlice<UInt8>) -> String? {
    CaptureFormat.detect(Array(bytes.prefix(64 << 10)))?.id
  }

  /// A log in which a contact quotes many lines of another program keeps its own format.
  @Test("A body full of another program's lines does not change the format")
  func aBodyOfAnotherProgramsLines() throws {
    let forged = String(repeating: "2026-11-21T07:00:00Z: xmpp: DBG: RECV: &lt;a/>\n", count: 10)
    var log = ""
    for number in 0..<20 { log += "DEBUG    RECV: <iq id='\(number)'/>\n" }
    log += "DEBUG    RECV: <message><body>\(forged)</body></message>\n"
    #expect(detect(Array(log.utf8)[...]) == "slixmpp")
  }

  @Test(
    "Other text is not a capture",
    arguments: [
      // nginx
      """
      127.0.0.1 - - [21/Nov/2026:07:14:48 +0000] "GET / HTTP/1.1" 200 612 "-" "curl/7.88.1"
      2026/11/21 07:14:48 [error] 123#123: *1 open() "/x" failed (2: No such file or directory)
      """,
      // syslog
      """
      Nov 21 07:14:48 host sshd[123]: Accepted publickey for x from 10.0.0.1 port 1 ssh2
      2026-11-21T07:14:48.123456+00:00 host systemd[1]: Started Session 1 of user x.
      """,
      "name,age\nbob,1\ncarol,2\n",
      "# A heading\n\nSome text that speaks of XML such as <iq/> and of logs.\n\n- a list\n",
      "<!DOCTYPE html>\n<html><head><title>x</title></head><body>IN</body></html>\n",
      "<?xml version='1.0'?>\n<svg xmlns='http://www.w3.org/2000/svg'><a/></svg>\n",
      "<presentation><slide/></presentation>",
      "<a href='x'>y</a>",
      "<!-- a comment -->\n<project><name>x</name></project>",
      "{\"name\":\"x\",\"version\":1}\n",
      "packages:\n  - name: x\n    peer: 0\n",
      "import sys\nprint('RECV')\n",
      "2026-11-21 07:14:48,501 INFO something DEBUG else\n",
      "Sat Nov 21 10:46:05 2026 something else\n",
      "11/21/26 07:14:48 and so on\n",
      "deadbeef\ncafebabe\n",
    ])
  func otherText(_ text: String) {
    #expect(CaptureFormat.detect(Array(text.utf8))?.id == nil)
  }

  @Test("Files of this repository are not captures")
  func ownFiles() throws {
    let root = CaptureCase.fixtures.deletingLastPathComponent().deletingLastPathComponent()
    func format(of name: String) throws -> String? {
      CaptureFormat.detect([UInt8](try Data(contentsOf: root.appending(path: name))))?.id
    }
    for name in ["LICENSE", "Package.swift", "tools/fuzz"] {
      #expect(try format(of: name) == nil, "\(name)")
    }
    // It contains stanzas, as a bug report does.
    #expect(try format(of: "README.md") == "pasted")
  }

  @Test("Random bytes are not a capture")
  func randomBytes() {
    for seed in UInt64(0)..<20 {
      var generator = SeededGenerator(seed: seed)
      let bytes = (0..<8000).map { _ in UInt8.random(in: 0...255, using: &generator) }
      #expect(CaptureFormat.detect(bytes)?.id == nil, "seed \(seed)")
    }
  }

  @Test(
    "A file that cannot be read gets advice on what to do",
    arguments: [
      ([0x1F, 0x8B, 8, 0], "gzip -dc FILE | rollcall replay -"),
      ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0], "xz -dc FILE | rollcall replay -"),
      ([0x28, 0xB5, 0x2F, 0xFD, 4], "zstd -dc FILE | rollcall replay -"),
      ([0x42, 0x5A, 0x68, 0x39], "bzip2 -dc FILE | rollcall replay -"),
      ([0x50, 0x4B, 3, 4], "unzip -p FILE | rollcall"), ([0x0A, 0x0D, 0x0D, 0x0A, 1], "tshark"),
      ([], "empty"), ([0, 0, 0, 0, 0], "tr -d '\\0' < FILE"),
      ([0x7F, 0x45, 0x4C, 0x46, 2, 1, 1, 0, 0, 0, 0, 0], "not text"),
    ] as [([UInt8], String)])
  func adviceForUnreadableFiles(_ head: [UInt8], _ advice: String) {
    #expect(CaptureFormat.detect(head)?.id == nil)
    #expect(UnreadableFile(head)?.description.contains(advice) == true)
  }

  @Test(
    "Text in UTF-16 is text",
    arguments: [[0xFF, 0xFE, 0x41, 0], [0x44, 0, 0x45, 0, 0x42, 0, 0x55, 0, 0x47, 0]] as [[UInt8]])
  func utf16IsText(_ head: [UInt8]) {
    #expect(UnreadableFile(head) == nil)
  }

  @Test(
    "Every log is text",
    arguments: Fixture.all + Fixture.logs)
  func logsAreText(_ fixture: Fixture) {
    #expect(UnreadableFile(Array(fixture.bytes.prefix(64 << 10))) == nil)
  }
}
