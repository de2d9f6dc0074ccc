import TestSupport
import Testing
import XMPPStanza

@Suite("Addresses that are remembered")
struct AddressMemoTests {
  private func element(_ jid: String) -> XMPPElement {
    XMPPElement(
      XMLName("item", in: Namespace.roster), attributes: [XMLAttribute(XMLName("jid", in: ""), jid)]
    )
  }

  private func result(_ body: () throws(JIDError) -> JID?) -> Result<JID?, JIDError> {
    do throws(JIDError) {
      return .success(try body())
    } catch {
      return .failure(error)
    }
  }

  @Test("An element without the attribute has no address")
  func anElementWithoutTheAttribute() throws {
    var memo = AddressMemo()
    #expect(try memo.jid("from", of: element("a@b.test")) == nil)
  }

  @Test("An address is the same however it is written")
  func anAddressIsTheSameHoweverItIsWritten() throws {
    var memo = AddressMemo()
    let jid = try JID(parsing: "alice@a.test/Home")
    for text in ["Alice@A.Test/Home", "alice@a.test./Home", "alice@a.test/Home"] {
      for _ in 0..<3 { #expect(try memo.jid("jid", of: element(text)) == jid) }
    }
    #expect(try memo.jid("jid", of: element("alice@a.test/home")) != jid)
  }

  /// In small memos nearly every address takes the place of another.
  @Test(
    "An address that is remembered is the one that would be prepared",
    arguments: [0, 1, 4, 13])
  func changesNoResult(bits: Int) {
    var random = SeededGenerator(seed: UInt64(bits))
    var memo = AddressMemo(bits: bits)
    let locals = [
      "alice", "bob", "你好", "Ça", "a b", "", "x@y", String(repeating: "l", count: 1024),
    ]
    let domains = ["a.test", "B.Test", "测试.test", "", "a..test", "xn--fiq228c.test", "c.test."]
    let resources = ["phone", "Phone", "", "你", "a/b", String(repeating: "r", count: 300)]
    func pick(_ list: [String]) -> String { list[Int.random(in: 0..<list.count, using: &random)] }
    var right = 0
    for round in 0..<3000 {
      var text = pick(domains)
      if Bool.random(using: &random) { text = pick(locals) + "@" + text }
      if Bool.random(using: &random) { text += "/" + pick(resources) }
      let expected = result { () throws(JIDError) in try JID(parsing: text) }
      let found = result { () throws(JIDError) in try memo.jid("jid", of: element(text)) }
      #expect(found == expected, "seed \(bits), round \(round): \(text)")
      // Twice, as the one that was checked last is remembered.
      for _ in 0..<Int.random(in: 1...2, using: &random) {
        let checked = result { () throws(JIDError) in
          try memo.check("jid", of: element(text))
          return nil
        }
        #expect(
          checked == expected.map { _ in nil }, "seed \(bits), round \(round): \(text)")
      }
      if case .success = expected { right += 1 }
    }
    #expect(right > 500 && right < 2500)
  }
}
