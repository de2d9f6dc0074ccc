import Testing

@testable import Captures

@Suite("Reading JSON")
struct JSONScannerTests {
  private func value(_ json: String) throws -> JSONValue? {
    try JSONScanner.object(Array("{\"a\":\(json)}".utf8)[...])["a"]
  }

  @Test(
    "Strings are read and their escapes replaced",
    arguments: [
      ("\"\"", ""), ("\"x\"", "x"), ("\"你😀\"", "你😀"), ("\"\\\"\\\\\\/\"", "\"\\/"),
      ("\"\\b\\f\\n\\r\\t\"", "\u{8}\u{C}\n\r\t"), ("\"\\u4F60\\u4f60\"", "你你"),
      ("\"\\uD83D\\uDE00\"", "😀"), ("\"\\u0000\"", "\u{0}"), ("\"\u{7F}\"", "\u{7F}"),
      ("\"\\uDBFF\\uDFFF\"", "\u{10FFFF}"),
    ])
  func strings(_ json: String, _ text: String) throws {
    #expect(try value(json) == .string(text))
  }

  @Test(
    "A text that is not a value is refused",
    arguments: [
      "\"\\uD83D\"", "\"\\uDE00\"", "\"\\uD83Dx\"", "\"\\uD83D\\n\"", "\"\\uD83D\\uD83D\"",
      "\"\\u12\"", "\"\\u12G4\"", "\"\\x\"", "\"\\", "\"", "\"\n\"", "\"\u{1}\"", "'x'", "01", "-",
      "1.", ".5", "1e", "1e+", "+1", "1e999", "0x1", "NaN", "Infinity", "tru", "True", "nul", "",
      "[", "[1", "[1,]", "[,]", "{\"b\"}", "{\"b\":}", "{b:1}", "{\"b\":1,}", "1 2", "1}",
      "\"a\" \"b\"",
    ])
  func isRefused(_ json: String) {
    #expect(throws: JSONError.self) { try value(json) }
  }

  @Test("Numbers, literals, arrays and objects are read")
  func numbersAndLiterals() throws {
    #expect(try value("0") == .integer(0))
    #expect(try value("-7") == .integer(-7))
    #expect(try value("9223372036854775807") == .integer(.max))
    #expect(try value("9223372036854775808") == .decimal(9_223_372_036_854_775_808))
    #expect(try value("1.5e3") == .decimal(1500))
    #expect(try value(" true ") == .bool(true))
    #expect(try value("false") == .bool(false))
    #expect(try value("null") == .null)
    #expect(
      try value("[[],{},{\"b\":[1,\"]\"]}]")
        == .array([.array([]), .object([:]), .object(["b": .array([.integer(1), .string("]")])])]))
  }

  @Test(
    "A text that is not a single object is refused",
    arguments: [
      "", "{", "{}}", "{} {}", "[]", "null", "{\"a\":1,\"a\":2}", "{\"a\":1 \"b\":2}", "{,}",
      "{\"\\u0061\":1,\"a\":2}",
    ])
  func isNoObject(_ json: String) {
    #expect(throws: JSONError.self) { try JSONScanner.object(Array(json.utf8)[...]) }
  }

  @Test("Bytes that are not UTF-8 are refused")
  func invalidUTF8() {
    for bad: [UInt8] in [[0xFF], [0xC1, 0xA1], [0xED, 0xA0, 0x80], [0xE4, 0xBD]] {
      let json = Array("{\"a\":\"".utf8) + bad + Array("\"}".utf8)
      #expect(throws: JSONError.self) { try JSONScanner.object(json[...]) }
    }
  }

  @Test("Nesting is bounded")
  func nesting() throws {
    func nested(_ depth: Int) -> String {
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    #expect(try value(nested(64)) != nil)
    #expect(throws: JSONError.tooDeep) { try value(nested(65)) }
    #expect(throws: JSONError.tooDeep) { try value(String(repeating: "{\"a\":", count: 100_000)) }
  }

  @Test("The last of two equal keys counts in an inner object")
  func keysInside() throws {
    #expect(try value("{\"b\":1,\"b\":2}") == .object(["b": .integer(2)]))
  }
}
