import TestSupport
import Testing
import XMPPStanza
import XMPPStream

@testable import Captures

@Suite("The fast reader of native lines, compared with the strict scanner")
struct NativeLineTests {
  private func isRead(_ json: String) -> Bool {
    var line = NativeLine()
    return line.read(Array(json.utf8))
  }

  @Test("The fast reader reads ordinary lines")
  func commonLines() {
    var line = NativeLine()
    let first = line.read(Array(#"{"t":17,"c":3,"dir":"in","xml":"<a/>"}"#.utf8))
    var (time, connection, direction) = (line.time, line.connection, line.direction)
    #expect(first && time == 17 && connection == 3 && direction == .inbound)
    var xml = Array(line.xml)
    #expect(xml == Array("<a/>".utf8))
    // Read again, with fewer members.
    let second = line.read(Array(#" { "xml" : "\"\\\/\b\f\n\r\t你" , "dir":"out" } "#.utf8))
    (time, connection, direction) = (line.time, line.connection, line.direction)
    #expect(second && time == nil && connection == 1 && direction == .outbound)
    xml = Array(line.xml)
    #expect(xml == Array("\"\\/\u{8}\u{C}\n\r\t你".utf8))
    #expect(isRead(#"{"dir":"out","xml":"","t":999999999999999}"#))
  }

  /// The strict scanner reads them or reports what is wrong.
  @Test(
    "The fast reader leaves unusual lines to the strict scanner",
    arguments: [
      "", "{", "{}", #"{"dir":"in"}"#, #"{"xml":""}"#, #"{"dir":"up","xml":""}"#,
      #"{"dir":"in","xml":"\u0041"}"#, #"{"dir":"in","xml":"\x"}"#, #"{"dir":"in","xml":""#,
      #"{"dir":"in","xml":"\"#, "{\"dir\":\"in\",\"xml\":\"\n\"}", #"{"dir":"in","xml":""},"#,
      #"{"dir":"in","xml":"",}"#, #"{"dir":"in","xml":"","a":1}"#,
      #"{"dir":"in","dir":"in","xml":""}"#,
      #"{"c":1,"c":1,"dir":"in","xml":""}"#, #"{"c":0,"dir":"in","xml":""}"#,
      #"{"c":4294967296,"dir":"in","xml":""}"#, #"{"c":-1,"dir":"in","xml":""}"#,
      #"{"name":"a","dir":"in","xml":""}"#,
      #"{"t":1,"t":1,"dir":"in","xml":""}"#, #"{"t":01,"dir":"in","xml":""}"#,
      #"{"t":-1,"dir":"in","xml":""}"#, #"{"t":1.5,"dir":"in","xml":""}"#,
      #"{"t":1000000000000000,"dir":"in","xml":""}"#, #"{"t":null,"dir":"in","xml":""}"#,
      #"{"t":,"dir":"in","xml":""}"#, #"{"di":"in","xml":""}"#, #"{"dirx":"in","xml":""}"#,
      #"{"\u0064ir":"in","xml":""}"#, #"{"dir":"in""xml":""}"#, #"{"dir" "in","xml":""}"#,
    ])
  func others(_ json: String) {
    #expect(!isRead(json))
  }

  @Test(
    "The fast reader reads what the strict scanner does, wherever a byte was changed",
    arguments: 0..<UInt64(8))
  func agreesWithTheScanner(seed: UInt64) {
    compare(seed, atLeast: 2000) { random, text in
      // Some are longer than any time.
      let bits = UInt64.random(in: 1..<54, using: &random)
      let number = UInt64.random(in: 0..<1 << bits, using: &random)
      return #"{"t":\#(number),"c":12,"dir":"out","xml":"\#(text)"}"#
    }
  }

  @Test(
    "Both readers agree on the lines of a native writer", arguments: 0..<UInt64(8))
  func usualHeads(seed: UInt64) {
    compare(seed, atLeast: 1400) { random, text in
      let number = UInt64.random(in: 900_000_000_000..<2_000_000_000_000, using: &random)
      let direction = Bool.random(using: &random) ? "in" : "out"
      let rest = ["", #","c":12"#, " ", #","dir":"in""#][Int.random(in: 0..<4, using: &random)]
      return #"{"t":\#(number),"dir":"\#(direction)","xml":"\#(text)"\#(rest)}"#
    }
  }

  /// Compares both readers on lines, half of which have a changed byte.
  ///
  /// - Parameter least: The fast reader must read more than this many of 4000 lines.
  private func compare(
    _ seed: UInt64, atLeast least: Int,
    _ make: (_ random: inout SeededGenerator, _ text: String) -> String
  ) {
    var random = SeededGenerator(seed: seed)
    let texts = ["\\\"", "\\n", "x", "  ", "你", "😀", "<a b='c'/>", "0123456789", "\\\\"]
    let bytes = Array("\"\\{}:,01 u\u{1}\u{7F}".utf8) + [0x80, 0xFF]
    var line = NativeLine()
    var readCount = 0
    for _ in 0..<4000 {
      let text = (0..<Int.random(in: 0..<9, using: &random)).map { _ in
        texts[Int.random(in: 0..<texts.count, using: &random)]
      }
      var json = Array(make(&random, text.joined()).utf8)
      if Bool.random(using: &random) {
        let index = Int.random(in: 0..<json.count, using: &random)
        json[index] = bytes[Int.random(in: 0..<bytes.count, using: &random)]
      }
      guard line.read(json) else { continue }
      readCount += 1
      do {
        let object = try JSONScanner.object(json[...])
        let isSame = object["xml"]?.string?.utf8.elementsEqual(line.xml) == true
        #expect(isSame, "seed \(seed)")
        let (time, connection) = (line.time, line.connection)
        let direction = line.direction == .inbound ? "in" : "out"
        #expect(object["t"] == time.map { .integer($0) }, "seed \(seed)")
        #expect(object["c"] ?? .integer(1) == .integer(Int64(connection)), "seed \(seed)")
        #expect(object["dir"] == .string(direction), "seed \(seed)")
      } catch {
        // The fast reader leaves it to the XML parser to check that the text is UTF-8.
        #expect(String(validating: line.xml, as: UTF8.self) == nil, "seed \(seed)")
      }
    }
    #expect(readCount > least)
  }

  @Test("Text that is not UTF-8 is reported as the strict scanner reports it")
  func textThatIsNoUTF8() throws {
    let header = Array("{\"rollcall-capture\":1}\n{\"dir\":\"in\",\"xml\":\"<a>".utf8)
    let reading = try read(header + [0xC1, 0xA1] + Array("</a>\"}\n".utf8), "native")
    #expect(reading.problems.map(\.message) == [JSONError.badString(at: 18).description])
  }
}

extension NativeLine {
  fileprivate mutating func read(_ json: [UInt8]) -> Bool { read(json.span.bytes) }
}
