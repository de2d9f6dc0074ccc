import ContactSections
import TestSupport
import Testing
import XMPPStanza

@Suite("Search on a contacts screen")
struct SearchTests {
  private static let pieces = [
    "张", "三", "重", "庆", "行", "女", "吕", "去", "單", "乐", "區", "晓", "梅", "Alice", "O'Brien", "Müller",
    "lü", "ß", "007", "10", "-", "(", "😀", "Анна", " ", "·", "\u{200B}", "\u{301}",
  ]
  private static let queries = [
    "z", "zs", "zhangs", "sh", "cq", "zq", "hang", "xing", "lv", "lu", "lyu", "lü", "nv", "nyu",
    "qv", "qu", "jv", "shan", "dan", "le'", "yue", "'a", "i'o", "ali", "ce", "brien", "mul", "müll",
    "ss", "0", "07", "10", "1", "-", "(", "😀", "анна", "重", "單", "单", "区", "x m", "xm", "EXAMPLE",
    "@z", "ann", "é", "王", "", " ", "'", "u1",
  ]

  private func contact(_ number: Int, _ random: inout SeededGenerator) -> ListedContact {
    func name() -> String {
      (0..<Int.random(in: 0...4, using: &random))
        .map { _ in Self.pieces.randomElement(using: &random) ?? "" }.joined()
    }
    let address = ["example.test", "Zhang.test", "王.test"][number % 3]
    return ListedContact(
      id: "u\(number)@\(address)", displayName: name(),
      userReading: Int.random(in: 0..<5, using: &random) == 0 ? name() : nil,
      subscription: RosterSubscription.allCases.randomElement(using: &random) ?? .both)
  }

  /// A screen skips most contacts without reading their names; this reads all names.
  private func rank(_ contact: ListedContact, _ query: NameQuery) -> NameQuery.Rank? {
    [contact.displayName, contact.userReading].compactMap { $0 }
      .compactMap { query.match(PinyinReader.reading(of: $0), address: contact.id) }.min()
  }

  @Test("A screen finds the same contacts as matching every name, best first", arguments: 0..<20)
  func findsAll(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let policy = SectionPolicy(friends: .subscribed)
    var contacts = (0..<60).map { contact($0, &random) }
    var index = SectionIndex(policy: policy, contacts: contacts)
    for number in contacts.indices where Bool.random(using: &random) {
      contacts[number] = contact(number, &random)
      index.update(contacts[number])
    }
    for text in Self.queries {
      let query = NameQuery(text)
      let expected = contacts.filter {
        policy.friends.includes($0.subscription) && rank($0, query) != nil
      }
      let found = index.search(query)
      #expect(Set(found.map(\.id)) == Set(expected.map(\.id)), "seed \(seed), “\(text)”")
      let ranks = found.compactMap { rank($0, query) }
      #expect(ranks == ranks.sorted(), "seed \(seed), “\(text)”")
    }
  }
}
