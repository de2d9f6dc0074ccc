import Captures
import Foundation
import TestSupport
import Testing
import XMPPStanza

@Suite("Writing a native capture")
struct NativeWriterTests {
  private func line(
    _ xml: String, time: Int64? = nil, on connection: NativeConnection = .init(number: 1),
    _ direction: Direction = .inbound
  ) -> String {
    var line: [UInt8] = []
    NativeWriter.append(
      time: time, on: connection, direction, xml: Array(xml.utf8).span.bytes, to: &line)
    return String(decoding: line, as: UTF8.self)
  }

  @Test("A line has its time, its direction and its XML")
  func lines() {
    #expect(line("<a/>", time: 17) == #"{"t":17,"dir":"in","xml":"<a/>"}"# + "\n")
    #expect(line("", .outbound) == #"{"dir":"out","xml":""}"# + "\n")
    var lines = Array("before\n".utf8)
    NativeWriter.append(
      time: -1, on: NativeConnection(number: 1),
      object: Array(#"{"stream":"closed"}"#.utf8).span.bytes, to: &lines)
    #expect(String(decoding: lines, as: UTF8.self) == "before\n{\"t\":-1,\"stream\":\"closed\"}\n")
  }

  @Test("A line has its connection unless that is the first, and its name if there is one")
  func connections() {
    #expect(
      line("<a/>", time: 17, on: NativeConnection(number: 2))
        == #"{"t":17,"c":2,"dir":"in","xml":"<a/>"}"# + "\n")
    #expect(
      line("<a/>", on: NativeConnection(number: 3, name: "a\"b"))
        == #"{"c":3,"name":"a\"b","dir":"in","xml":"<a/>"}"# + "\n")
    #expect(
      line("<a/>", on: NativeConnection(number: 1, name: "phone"))
        == #"{"name":"phone","dir":"in","xml":"<a/>"}"# + "\n")
  }

  /// RFC 8259 §7, and U+007F to U+009F, which terminals execute.
  @Test("Only the characters that JSON requires and other control characters are escaped")
  func escapes() {
    let xml = "a\"\\\n\r\t\u{0}\u{F}\u{10}\u{1F} ~\u{7F}\u{80}\u{9F}\u{A0}é你😀/"
    let escaped =
      #"a\"\\\n\r\t\u0000\u000f\u0010\u001f ~\u007f\u0080\u009f"# + "\u{A0}é你😀/"
    #expect(line(xml) == #"{"dir":"in","xml":""# + escaped + "\"}\n")
  }

  @Test("A control character is escaped anywhere in a long text", arguments: 0...1)
  func longTexts(_ offset: Int) {
    let xml = String(repeating: "x", count: offset) + String(repeating: "\u{85}", count: 9000)
    #expect(!line(xml).utf8.contains(0xC2))
    let plain = String(repeating: "x", count: offset) + String(repeating: "\u{A0}", count: 9000)
    #expect(line(plain).hasSuffix(plain + "\"}\n"))
  }

  @Test("Another JSON parser reads what was written")
  func readAgain() throws {
    let alphabet =
      ["\"", "\\", "\n", "\r", "\t", "\u{1}", "\u{1F}", " ", "!", "#", "[", "]"]
      + ["a", "<", ">", "'", "/", "\u{7F}", "\u{85}", "\u{A0}", "é", "你", "😀"]
    for seed in UInt64(1)...2000 {
      var generator = SeededGenerator(seed: seed)
      let length = Int.random(in: 0...40, using: &generator)
      let xml = (0..<length).map { _ in alphabet.randomElement(using: &generator) ?? "" }.joined()
      let written = line(xml, time: Int64(seed))
      #expect(written.utf8.filter { $0 == 0x0A }.count == 1, "seed \(seed)")
      let object = try JSONSerialization.jsonObject(with: Data(written.utf8)) as? [String: Any]
      let read = object?["xml"] as? String
      #expect(read.map { Array($0.utf8) } == Array(xml.utf8), "seed \(seed)")
      #expect(object?["t"] as? Int == Int(seed), "seed \(seed)")
    }
  }
}
