import RosterClient
import Testing

@Suite("A password") struct PasswordTests {
  @Test("A printed password does not show its text")
  func hidden() {
    let password = Password("qing-chun-7")
    var dumped = ""
    dump(password, to: &dumped)
    for text in ["\(password)", String(reflecting: password), dumped, "\([password])"] {
      #expect(!text.contains("qing"))
    }
    #expect(password.withText { $0 } == "qing-chun-7")
  }
}
