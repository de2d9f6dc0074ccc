import Testing

@testable import Captures

@Suite("Byte strings of programming languages")
struct LiteralTests {
  private func bytes(_ text: String) -> ArraySlice<UInt8> { Array(text.utf8)[...] }

  @Test(
    "A byte string of Python is read",
    arguments: [
      ("''", ""), ("'a' and more", "a"), ("\"it's\"", "it's"), ("'\\xe5\\xb0\\x8f'", "小"),
      ("'a\\nb\\tc\\rd\\\\e\\'f'", "a\nb\tc\rd\\e'f"), ("\"\\\"\"", "\""),
    ])
  func python(_ text: String, _ value: String) {
    #expect(Literal.python(bytes(text)) == .complete(Array(value.utf8)))
  }

  @Test(
    "Text that is not a byte string of Python is malformed",
    arguments: ["", "a", "'a", "'\\x4'", "'\\q'", "'\\"])
  func pythonMalformed(_ text: String) {
    #expect(Literal.python(bytes(text)) == .malformed)
  }

  @Test(
    "A string of Lua is read",
    arguments: [
      ("\"\"", ""), ("\"a\\\"b\\'\\\\\"", "a\"b'\\"), ("\"\\229\\176\\143\\n1\"", "小\n1"),
    ])
  func lua(_ text: String, _ value: String) {
    #expect(Literal.lua(bytes(text)) == .complete(Array(value.utf8)))
  }

  @Test(
    "Text that is not a string of Lua is malformed",
    arguments: ["", "a", "\"a", "\"\\300\"", "\"a\" b", "\"\\"])
  func luaMalformed(_ text: String) {
    #expect(Literal.lua(bytes(text)) == .malformed)
  }

  @Test(
    "A binary of Erlang is read",
    arguments: [
      ("<<>>", ""), ("<<\"\">>", ""), ("<<\"a\">>", "a"), ("<<97,98,\n  99>>", "abc"),
      ("<<\"a\\\"b\\\\c\\nd\">>", "a\"b\\c\nd"), ("<<\"ab\"\n   \"cd\">>", "abcd"),
      ("<<\"小\"/utf8>>", "小"), ("<<\"a\\x{5c0f}\"/utf8>>", "a小"), ("<<\"a\\101\">>", "aA"),
      ("<<229,176,143>>", "小"), ("<<\"å°\",143>>", "小"),
    ])
  func erlang(_ text: String, _ value: String) {
    #expect(Literal.erlang(bytes(text)) == .complete(Array(value.utf8)))
  }

  @Test("Every beginning of a binary of Erlang is unfinished")
  func erlangUnfinished() {
    let whole = Array("<<\"a\\\"b\\x{e5}\"\n \"c\"/utf8,100,\n 101>>".utf8)
    for end in 2..<whole.count {
      #expect(Literal.erlang(whole[..<end]) == .unfinished, "\(end)")
    }
  }

  @Test(
    "Text that is not a binary of Erlang is malformed",
    arguments: ["", "<", "a", "<<256>>", "<<a>>", "<<1>a", "<<\"\\x{110000000}\">>"])
  func erlangMalformed(_ text: String) {
    #expect(Literal.erlang(bytes(text)) == .malformed)
  }
}
