import ContactSections
import Testing

@Suite("The letter of a name")
struct LetterTests {
  @Test func first() { #expect(PinyinReader.section(of: "张三").title == "Z") }
}
