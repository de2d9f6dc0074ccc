import Foundation
import Rollcall
import Testing

@Suite("Writing JSON") struct JSONValueTests {
  @Test(
    "A document is one line with its keys in order",
    arguments: [
      (JSONValue.null, "null"), (.bool(true), "true"), (.integer(.min), "-9223372036854775808"),
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
    "No character that a terminal obeys comes out as it is",
    arguments: [
      ("\"\\/", #""\"\\/""#), ("\n\r\t\0", #""\n\r\t\u0000""#),
      ("\u{1B}[31m\u{7F}\u{9B}", #""\u001b[31m\u007f\u009b""#),
      ("\u{202E}\u{2066}\u{200F}\u{61C}\u{2028}", #""\u202e\u2066\u200f\u061c\u2028""#),
      ("张三 é 😀", #""张三 é 😀""#),
    ])
  func escapes(_ text: String, _ expected: String) {
    #expect(JSONValue.string(text).text == expected)
  }

  @Test("Every character is read back by another reader of JSON")
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
}
