import EventStore
import Foundation
import Rollcall
import TestSupport

/// What a client recorded of one account, as a native capture. Times are in seconds.
struct AccountScript {
  /// 2026-11-20T10:00:00Z.
  static let start: Int64 = 1_795_168_800_000

  let account: String
  /// The seconds by which the clock is ahead.
  let ahead: Double
  private(set) var lines: [String]
  private var fetches = 0

  init(_ account: String, ahead: Double = 0) {
    self.account = account
    self.ahead = ahead
    lines = ["{\"rollcall-capture\":1,\"account\":\"\(account)/pc\"}"]
  }

  private mutating func add(_ time: Double, _ rest: String) {
    let time = Self.start + Int64(((time + ahead) * 1000).rounded())
    lines.append("{\"t\":\(time),\(rest)}")
  }

  mutating func sent(_ time: Double, _ xml: String) {
    add(time, "\"dir\":\"out\",\"xml\":\"\(xml)\"")
  }

  mutating func received(_ time: Double, _ xml: String) {
    add(time, "\"dir\":\"in\",\"xml\":\"\(xml)\"")
  }

  /// Binds a session, fetches the roster and, unless told otherwise, shows the presence.
  mutating func login(_ time: Double, _ items: String = "", showsPresence: Bool = true) {
    fetches += 1
    add(time, "\"stream\":\"opened\",\"jid\":\"\(account)/pc\"")
    sent(time, "<iq type='get' id='r\(fetches)'><query xmlns='jabber:iq:roster'/></iq>")
    received(
      time,
      "<iq type='result' id='r\(fetches)'><query xmlns='jabber:iq:roster'>\(items)</query></iq>")
    if showsPresence { sent(time, "<presence/>") }
  }

  mutating func closed(_ time: Double) { add(time, "\"stream\":\"closed\"") }

  mutating func push(_ time: Double, _ item: String) {
    received(
      time,
      "<iq type='set' id='p\(lines.count)'><query xmlns='jabber:iq:roster'>\(item)</query></iq>")
    sent(time, "<iq type='result' id='p\(lines.count - 1)'/>")
  }

  /// A subscription stanza to or from the other account.
  mutating func subscription(_ time: Double, _ type: String, to other: String) {
    sent(time, "<presence to='\(other)' type='\(type)' id='\(type)\(Int(time * 10))'/>")
  }

  mutating func subscription(
    _ time: Double, _ type: String, from other: String, sentAt: Double
  ) {
    received(
      time, "<presence from='\(other)' type='\(type)' id='\(type)\(Int(sentAt * 10))'/>")
  }

  /// The end of the log: something that the server sends of itself.
  mutating func alive(_ time: Double) {
    received(time, "<message from='\(account.split(separator: "@")[1])'><body>up</body></message>")
  }

  var text: String { lines.joined(separator: "\n") + "\n" }

  func write(to path: String) throws { try Data(text.utf8).write(to: URL(filePath: path)) }
}

/// The scripts of two accounts.
struct TwoAccounts {
  var alice: AccountScript
  var bob: AccountScript

  static let aliceJID = "alice@example.test"
  static let bobJID = "bob@example.org"

  init(bobAhead: Double = 0) {
    alice = AccountScript(Self.aliceJID)
    bob = AccountScript(Self.bobJID, ahead: bobAhead)
  }

  /// The item of the other account in a roster.
  static func item(_ jid: String, _ subscription: String, asks: Bool = false) -> String {
    "<item jid='\(jid)' subscription='\(subscription)'\(asks ? " ask='subscribe'" : "")/>"
  }

  /// Both log in, and neither knows the other.
  mutating func login(_ time: Double = 0) {
    alice.login(time)
    bob.login(time)
  }

  /// Both log in as friends.
  mutating func loginAsFriends(_ time: Double = 0) {
    alice.login(time, Self.item(Self.bobJID, "both"))
    bob.login(time, Self.item(Self.aliceJID, "both"))
  }

  /// A message that arrives, which aligns the clocks.
  mutating func message(_ time: Double, fromAlice: Bool, after delay: Double = 0.02) {
    let (sender, receiver) = fromAlice ? (alice.account, bob.account) : (bob.account, alice.account)
    let content = "id='m\(Int(time * 10))' type='chat'><body>hello</body></message>"
    let (sent, received) = (
      "<message to='\(receiver)' \(content)", "<message from='\(sender)/pc' \(content)"
    )
    if fromAlice {
      alice.sent(time, sent)
      bob.received(time + delay, received)
    } else {
      bob.sent(time, sent)
      alice.received(time + delay, received)
    }
  }

  /// Alice asks, and the request arrives.
  mutating func request(_ time: Double) {
    alice.subscription(time, "subscribe", to: Self.bobJID)
    alice.push(time + 0.01, Self.item(Self.bobJID, "none", asks: true))
    bob.subscription(time + 0.02, "subscribe", from: Self.aliceJID, sentAt: time)
  }

  /// Bob accepts, and his server shows it.
  mutating func acceptance(_ time: Double, arrives: Bool = true) {
    bob.subscription(time, "subscribed", to: Self.aliceJID)
    bob.push(time + 0.01, Self.item(Self.aliceJID, "from"))
    guard arrives else { return }
    alice.subscription(time + 0.03, "subscribed", from: Self.bobJID, sentAt: time)
    alice.push(time + 0.03, Self.item(Self.bobJID, "to"))
  }

  /// Both logs last until a time.
  mutating func alive(_ time: Double) {
    alice.alive(time)
    bob.alive(time)
  }

  /// The two logs compared.
  func ends(in folder: TemporaryFolder) throws -> TwoEnds {
    let timelines = try [alice, bob].map { script in
      let path = folder.file("\(UUID()).jsonl")
      try script.write(to: path)
      return Timeline(try importedLog(of: path, nil, in: folder))
    }
    return try TwoEnds(
      timelines[0], upTo: .head(minus: 0), timelines[1], upTo: .head(minus: 0))
  }
}

extension TwoAccounts {
  /// The verdicts of both directions: whether alice sees bob, and whether bob sees alice.
  func verdicts(in folder: TemporaryFolder) throws -> [EndsComparison.Verdict] {
    try ends(in: folder).comparison.directions.map(\.verdict)
  }
}

extension EndsComparison.Verdict {
  /// What it says against the ends; nil if it says nothing.
  var disagreement: EndsComparison.Disagreement? {
    if case .disagree(let disagreement) = self { disagreement } else { nil }
  }
}
