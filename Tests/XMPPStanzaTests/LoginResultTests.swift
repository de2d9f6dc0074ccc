import TestSupport
import Testing
import XMPPStanza

@Suite("The account of a stream, as its server reports it")
struct LoginResultTests {
  private static let bind = "<bind xmlns='\(Namespace.bind)'>"
  private static let success = "<success xmlns='\(Namespace.sasl2)'>"
  private static let alice =
    "<authorization-identifier> alice@a.test/x </authorization-identifier>"

  @Test(
    "The result of binding and the success of SASL 2 report it",
    arguments: [
      ("<iq type='result'>\(bind)<jid> alice@a.test/x\n</jid></bind></iq>", .bound),
      ("\(success)\(alice)</success>", .authenticated),
      ("\(success)\(alice)<bound xmlns='\(Namespace.bind2)'/></success>", .bound),
      ("\(success)\(alice)<resumed xmlns='\(Namespace.streamManagement)'/></success>", .resumed),
    ] as [(String, LoginResult.Step)])
  func isRead(_ xml: String, _ step: LoginResult.Step) throws {
    let login = try #require(LoginResult(element(xml)))
    #expect(login.step == step)
    #expect(login.jid == address("alice@a.test/x"))
  }

  @Test(
    "A missing or invalid address gives nil",
    arguments: [
      "<iq type='result'>\(bind)</bind></iq>", "<iq type='result'>\(bind)<jid>@</jid></bind></iq>",
      "\(success)</success>", "\(success)<authorization-identifier/></success>",
    ])
  func hasNoAddress(_ xml: String) throws {
    #expect(try #require(LoginResult(element(xml))).jid == nil)
  }

  @Test(
    "Other elements are not login results",
    arguments: [
      "<iq type='result'/>", "<iq type='set'>\(bind)<jid>a@b.test</jid></bind></iq>",
      "<message type='result'>\(bind)<jid>a@b.test</jid></bind></message>",
      "<success xmlns='\(Namespace.sasl)'/>",
      "<iq type='result'><x xmlns='u'>\(bind)<jid>a@b.test</jid></bind></x></iq>",
    ])
  func isNone(_ xml: String) {
    #expect(LoginResult(element(xml)) == nil)
  }
}
