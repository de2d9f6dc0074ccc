import SessionCore
import TestSupport
import Testing
import XMPPStanza

/// An answer to a request of alice@example.test/phone, and whether its sender may give it.
struct AnswerCase: Sendable, CustomTestStringConvertible {
  let to: String?
  let from: String?
  let isAccepted: Bool
  /// The resource that the log shows.
  var resource: String? = "phone"
  /// Whether the log names the account.
  var isAccountKnown = true

  init(
    to: String?, from: String?, _ isAccepted: Bool, resource: String? = "phone",
    isAccountKnown: Bool = true
  ) {
    (self.to, self.from, self.isAccepted) = (to, from, isAccepted)
    (self.resource, self.isAccountKnown) = (resource, isAccountKnown)
  }

  var testDescription: String {
    "to \(to ?? "no address"), from \(from ?? "no address"), resource \(resource ?? "unknown")"
  }

  var owner: SessionOwner {
    SessionOwner(account: isAccountKnown ? bare("alice@example.test") : nil, resource: resource)
  }
}

@Suite("Who may answer (RFC 6120 §8.1.2.1, §8.2.3 and §10.1)")
struct SenderTests {
  static let account: [AnswerCase] = [nil, "alice@example.test", "alice@example.test/phone"]
    .flatMap { (to: String?) in
      [
        AnswerCase(to: to, from: nil, true),
        AnswerCase(to: to, from: "alice@example.test", true),
        AnswerCase(to: to, from: "alice@example.test/phone", true),
        AnswerCase(to: to, from: "example.test", true),
        AnswerCase(to: to, from: "alice@example.test/laptop", false),
        AnswerCase(to: to, from: "alice@example.test/Phone", false),
        AnswerCase(to: to, from: "example.test/admin", false),
        AnswerCase(to: to, from: "sub.example.test", false),
        AnswerCase(to: to, from: "bob@example.test", false),
        AnswerCase(to: to, from: "mallory@elsewhere.test/alice@example.test", false),
      ]
    }

  static let others: [AnswerCase] = [
    AnswerCase(to: "bob@example.test/desk", from: "bob@example.test/desk", true),
    // The server answers for an account, and for a resource that it has not.
    AnswerCase(to: "bob@example.test/desk", from: "bob@example.test", true),
    AnswerCase(to: "bob@example.test/desk", from: "bob@example.test/Desk", false),
    AnswerCase(to: "bob@example.test", from: "bob@example.test", true),
    AnswerCase(to: "bob@example.test", from: "bob@example.test/desk", false),
    AnswerCase(to: "bob@example.test", from: nil, false),
    AnswerCase(to: "bob@example.test", from: "example.test", false),
    AnswerCase(to: "bob@example.test", from: "alice@example.test", false),
    AnswerCase(to: "alice@example.test/laptop", from: "alice@example.test/laptop", true),
    AnswerCase(to: "alice@example.test/laptop", from: nil, false),
    AnswerCase(to: "alice@example.test/laptop", from: "alice@example.test", true),
    AnswerCase(to: "alice@example.test/laptop", from: "alice@example.test/phone", false),
    AnswerCase(to: "alice@example.test/laptop", from: "example.test", false),
    // Only our own server can leave the sender out, or send from our bare address.
    AnswerCase(to: "example.test", from: "example.test", true),
    AnswerCase(to: "example.test", from: nil, true),
    AnswerCase(to: "example.test", from: "alice@example.test", true),
    AnswerCase(to: "example.test", from: "alice@example.test/laptop", false),
    AnswerCase(to: "example.test", from: "bob@example.test", false),
    AnswerCase(to: "example.test", from: "example.test/admin", false),
    AnswerCase(to: "rooms.example.test", from: "rooms.example.test", true),
    AnswerCase(to: "rooms.example.test", from: "example.test", false),
    AnswerCase(to: "rooms.example.test", from: nil, false),
    AnswerCase(to: "room@rooms.example.test/Bob", from: "room@rooms.example.test/Bob", true),
    AnswerCase(to: "room@rooms.example.test/Bob", from: "room@rooms.example.test/Eve", false),
  ]

  static let unknown: [AnswerCase] = [
    // Before the binding, any resource of the account may be our own.
    AnswerCase(to: nil, from: "alice@example.test/laptop", true, resource: nil),
    AnswerCase(to: nil, from: "bob@example.test/laptop", false, resource: nil),
    AnswerCase(to: "alice@example.test/laptop", from: nil, false, resource: nil),
    // Without an account, only the server can leave the sender out.
    AnswerCase(to: nil, from: nil, true, resource: nil, isAccountKnown: false),
    AnswerCase(to: nil, from: "alice@example.test", false, resource: nil, isAccountKnown: false),
    AnswerCase(to: nil, from: "example.test", false, resource: nil, isAccountKnown: false),
    AnswerCase(to: "example.test", from: nil, false, resource: nil, isAccountKnown: false),
    AnswerCase(
      to: "alice@example.test", from: "alice@example.test", true, resource: nil,
      isAccountKnown: false),
  ]

  @Test("An answer counts if its sender was asked", arguments: account + others + unknown)
  func answers(_ test: AnswerCase) {
    let from = test.from.map { address($0) }
    let to = test.to.map { address($0) }
    #expect(test.owner.mayAnswer(from, to: to) == test.isAccepted)
    let query = OpenQuery(id: "1", to: to, sent: RecordStamp(record: 1), subject: "roster")
    #expect(query.mayBeAnswered(by: from, in: test.owner) == test.isAccepted)
  }

  @Test("A request goes to our own account by no address or by the bare one")
  func ownAccount() {
    let owner = SessionOwner(account: bare("alice@example.test"), resource: "phone")
    #expect(owner.isOwnAccount(nil))
    #expect(owner.isOwnAccount(address("alice@example.test")))
    #expect(!owner.isOwnAccount(address("alice@example.test/phone")))
    #expect(!owner.isOwnAccount(address("example.test")))
    let unknown = SessionOwner(account: nil, resource: "phone")
    #expect(unknown.isOwnAccount(nil))
    #expect(!unknown.isOwnAccount(address("alice@example.test")))
  }

  @Test(
    "The server of an account has the account's domain as its address",
    arguments: [
      ("example.test", true), ("EXAMPLE.test", true), ("example.test.", true),
      ("example.test/x", false), ("alice@example.test", false), ("test", false),
    ])
  func server(_ text: String, isServer: Bool) {
    #expect(address(text).isServer(of: bare("alice@example.test")) == isServer)
  }
}
