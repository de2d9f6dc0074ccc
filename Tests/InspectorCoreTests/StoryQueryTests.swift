import Rollcall
import Testing

/// The grammar of the filter.
@Suite struct StoryQueryTests {
  @Test(
    arguments: [
      ("", []),
      ("  ", []),
      ("carol", [(.text("carol"), false)]),
      ("-carol", [(.text("carol"), true)]),
      ("-", [(.text("-"), false)]),
      ("kind:iq", [(.kind(.iq), false)]),
      ("-kind:iq way:out", [(.kind(.iq), true), (.way(.out), false)]),
      ("is:finding", [(.property(.finding), false)]),
      ("on:phone", [(.on("phone"), false)]),
      ("who:carol@friends.example", [(.who("carol@friends.example"), false)]),
      ("\"two words\"", [(.text("two words"), false)]),
      ("\"-no sign\"", [(.text("-no sign"), false)]),
      ("-\"two words\"", [(.text("two words"), true)]),
      ("who:\"Zhang San\" on:pc", [(.who("Zhang San"), false), (.on("pc"), false)]),
      ("\"host:5222 kind:\"", [(.text("host:5222 kind:"), false)]),
      ("a -", [(.text("a"), false), (.text("-"), false)]),
      ("\"\"", []),
      ("\"still typing", [(.text("still typing"), false)]),
      ("host:5222", [(.text("host:5222"), false)]),
      ("曾宪 kind:presence", [(.text("曾宪"), false), (.kind(.presence), false)]),
    ] as [(String, [(StoryQuery.Condition, Bool)])])
  func reads(_ text: String, _ terms: [(StoryQuery.Condition, Bool)]) throws {
    let query = try StoryQuery(parsing: text)
    #expect(query.terms.map(\.condition) == terms.map(\.0))
    #expect(query.terms.map(\.isNegated) == terms.map(\.1))
  }

  @Test(arguments: ["kind:foo", "kind:", "way:up", "is:odd", "on:", "who:", "a -is:x"])
  func refuses(_ text: String) {
    #expect(throws: StoryQuery.Malformed.self) { try StoryQuery(parsing: text) }
  }
}
