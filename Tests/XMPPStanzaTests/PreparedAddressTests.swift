import TestSupport
import Testing
import XMPPStanza

extension XMPPElement {
  /// A copy of the address in an attribute; nil if there is no such attribute.
  fileprivate func address(_ attribute: WantedName) throws(JIDError) -> JID? {
    var jid: JID?
    try withAddress(attribute) { jid = $0?.jid }
    return jid
  }
}

@Suite("Addresses of elements")
struct PreparedAddressTests {
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
    #expect(try element("a@b.test").address("from") == nil)
  }

  @Test("Different spellings of an address are equal")
  func anAddressIsTheSameHoweverItIsWritten() throws {
    let jid = try JID(parsing: "alice@a.test/Home")
    for text in ["Alice@A.Test/Home", "alice@a.test./Home", "alice@a.test/Home"] {
      #expect(try element(text).address("jid") == jid)
    }
    #expect(try element("alice@a.test/home").address("jid") != jid)
  }

  @Test("The address of an element equals the parsed text", arguments: 0..<UInt64(4))
  func isThatOfTheText(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
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
      let found = result { () throws(JIDError) in try element(text).address("jid") }
      #expect(found == expected, "seed \(seed), round \(round): \(text)")
      if case .success = expected { right += 1 }
    }
    #expect(right > 500 && right < 2500)
  }
}
