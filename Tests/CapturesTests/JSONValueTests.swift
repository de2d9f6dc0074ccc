import Captures
import Foundation
import Testing

@Suite("JSON documents")
struct JSONValueTests {
  @Test(
    "A document is one line with sorted keys",
    arguments: [
      (JSONValue.null, "null"), (.bool(true), "true"), (.integer(.min), "-9223372036854775808"),
      (.decimal(1.5), "1.5"), (.decimal(1e300), "1e+300"), (.decimal(.infinity), "null"),
      (.array([]), "[]"), (.object([:]), "{}"),
      (
        .object(["b": .array([.integer(1), .null]), "a": .string("x"), "": .bool(false)]),
        #"{"":false,"a":"x","b":[1,null]}"#
      ),
    ])
  func forms(_ value: JSONValue, _ text: String) {
    #expect(value.text == text)
  }

  @Test(
    "Characters that control a terminal are escaped",
    arguments: [
      ("\"\\/", #""\"\\/""#), ("\n\r\t\0", #""\n\r\t\u0000""#),
      ("\u{1B}[31m\u{7F}\u{9B}", #""\u001b[31m\u007f\u009b""#),
      ("\u{202E}\u{2066}\u{200F}\u{61C}\u{2028}", #""\u202e\u2066\u200f\u061c\u2028""#),
      ("张三 é 😀", #""张三 é 😀""#),
    ])
  func escapes(_ text: String, _ expected: String) {
    #expect(JSONValue.string(text).text == expected)
  }

  @Test("Another JSON reader reads back every character")
  func everyScalar() throws {
    var all = ""
    for value in UInt32(0)...0x2FFF {
      if let scalar = Unicode.Scalar(value) { all.unicodeScalars.append(scalar) }
    }
    all += "\u{FFFF}\u{10FFFF}"
    let document = JSONValue.object([all: .string(all)]).text
    let read = try JSONSerialization.jsonObject(with: Data(document.utf8)) as? [String: String]
    #expect(read?.first.map { Array($0.value.unicodeScalars) } == Array(all.unicodeScalars))
    #expect(read?.first.map { Array($0.key.unicodeScalars) } == Array(all.unicodeScalars))
  }

  @Test("A document is read back unchanged, with or without indentation")
  func isReadBack() throws {
    let members: [String: JSONValue] = [
      "a": .array([.null, .bool(true), .integer(-7), .decimal(0.5), .string("你\n\u{202E}\"")]),
      "": .object(["b": .array([]), "c": .object([:])]),
    ]
    let line = JSONValue.object(members).text
    #expect(try JSONScanner.object(Array(line.utf8)[...]) == members)
    let data = try JSONSerialization.data(
      withJSONObject: JSONSerialization.jsonObject(with: Data(line.utf8)), options: .prettyPrinted)
    #expect(try JSONScanner.object([UInt8](data)[...]) == members)
  }
}
