import Captures
import Foundation
import Rollcall
@testable import RosterClient
import RosterCore
import TestSupport
import Testing
import XMPPStanza
import XMPPStream

/// Whatever bytes a server sends, in whatever order. `ROLLCALL_SEEDS=1000-4999` tries others.
@Suite("Whatever a server says") struct RandomServerTests {
  private static var seeds: ClosedRange<UInt64> {
    let given = ProcessInfo.processInfo.environment["ROLLCALL_SEEDS"]?.split(separator: "-")
    guard let given, given.count == 2, let first = UInt64(given[0]), let last = UInt64(given[1])
    else { return 0...399 }
    return first...last
  }

  @Test("No secret is shown, nothing is done after the end, and the roster is the account's")
  func sequences() throws {
    for seed in Self.seeds {
      var server = RandomServer(seed: seed)
      var client = try WatchedClient(allowsPlain: seed % 3 != 0, isDirect: seed % 2 == 0)
      for _ in 0..<Int.random(in: 1...60, using: &server.random) {
        try client.turn(&server)
      }
      try client.end()
      for fault in client.faults { Issue.record("seed \(seed): \(fault)") }
    }
  }

  @Test("However the bytes are cut, the client does the same")
  func cuts() {
    for seed in Self.seeds {
      var server = RandomServer(seed: seed)
      var bytes = Array((Talk.header + Talk.saslFeatures + Talk.success + Talk.header).utf8)
      bytes += Array((Talk.features(Talk.bind + Talk.counting) + Talk.bound("r1")).utf8)
      for _ in 0..<Int.random(in: 0...20, using: &server.random) { bytes += server.bytes() }
      // Each has a parser of its own.
      var (whole, pieces) = (Talk(), Talk())
      whole.securesDirectly()
      pieces.securesDirectly()
      whole.hears(bytes)
      var rest = bytes[...]
      while !rest.isEmpty {
        let piece = rest.prefix(Int.random(in: 1...40, using: &server.random))
        rest = rest.dropFirst(piece.count)
        pieces.hears(Array(piece))
      }
      // Which of two mistakes in one tag is named depends on how much of it is there.
      let (one, other) = (whole.done.map(\.withoutReason), pieces.done.map(\.withoutReason))
      #expect(one == other, "seed \(seed)")
    }
  }
}

extension String {
  fileprivate var withoutReason: String {
    let unreadable = "finish the data from the server cannot be read"
    return hasPrefix(unreadable) ? unreadable : self
  }
}

extension Talk {
  fileprivate mutating func securesDirectly() {
    happens { $0.connected(to: "example.test:5223", isDirectTLS: true) }
    happens { $0.secured(by: nil, serverEndPoint: nil) }
  }
}

/// A server that says what comes to its mind: mostly what could be right, sometimes spoilt.
private struct RandomServer {
  var random: SeededGenerator
  private var number = 0

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  private static let froms = [
    "", "", "", "from='alice@example.test'", "from='ALICE@example.test'", "from='example.test'",
    "from='alice@example.test/phone'", "from='alice@example.test/other'",
    "from='mallory@evil.test/x'", "from='bob@example.test/x'", "from='@'",
  ]

  /// What would bring a client on that waits for something.
  mutating func right(for machine: ClientMachine) -> String {
    switch machine.state {
    case .header: Talk.header
    case .features(.plain): Talk.tlsFeatures
    case .features(.secured):
      pick([Talk.saslFeatures, LoginScript.mechanisms(["SCRAM-SHA-256", "PLAIN"]), sasl2])
    case .features(.authenticated): Talk.features(Talk.bind + pick(["", Talk.counting]))
    case .startTLS: Talk.proceed
    case .sasl: Talk.success
    case .sasl2: letIn
    case .boundFeatures: Talk.features("")
    case .binding(_, let id): Talk.bound(id)
    case .idle, .handshake, .registrationForm, .registration, .resuming, .legacySession, .online,
      .closing, .over:
      word()
    }
  }

  private var sasl2: String {
    Talk.features(
      """
      <authentication xmlns='urn:xmpp:sasl:2'><mechanism>PLAIN</mechanism><inline>\
      <bind xmlns='urn:xmpp:bind:0'><inline><feature var='urn:xmpp:sm:3'/></inline></bind></inline>\
      </authentication>
      """)
  }

  private var letIn: String {
    """
    <success xmlns='urn:xmpp:sasl:2'><authorization-identifier>alice@example.test/phone\
    </authorization-identifier><bound xmlns='urn:xmpp:bind:0'>\
    <enabled xmlns='urn:xmpp:sm:3' id='i' resume='true'/></bound></success>
    """
  }

  /// Anything, spoilt now and then.
  mutating func bytes() -> [UInt8] { spoilt(Array(word().utf8)) }

  mutating func spoilt(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    guard !bytes.isEmpty else { return bytes }
    let place = Int.random(in: 0..<bytes.count, using: &random)
    switch Int.random(in: 0..<40, using: &random) {
    case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    case 1: bytes.removeSubrange(place...)
    case 2: bytes += bytes
    case 3: bytes.insert(contentsOf: Array(word().utf8), at: place)
    case 4: bytes.remove(at: place)
    default: break
    }
    return bytes
  }

  private mutating func word() -> String {
    number += 1
    let from = pick(Self.froms)
    let jid = pick(["bob@example.test", "carol@example.test", "dave@x.test"])
    let item = "<item jid='\(jid)' subscription='\(pick(["both", "to", "none", "remove"]))'/>"
    let query = "<query xmlns='jabber:iq:roster'>\(item)</query>"
    return pick([
      "<iq type='set' id='p\(number)' \(from)>\(query)</iq>",
      "<iq type='set' id='p\(number)' \(from)>\(query)</iq>",
      "<iq type='result' id='c-\(number % 4)' \(from)>\(query)</iq>",
      "<iq type='get' id='g\(number)' \(from)><ping xmlns='urn:xmpp:ping'/></iq>",
      "<iq type='get' id='g\(number)' \(from)>\(query)</iq>",
      "<presence from='\(jid)/x'/>", "<presence type='subscribe' from='\(jid)'/>",
      "<message from='\(jid)'><body>hi</body></message>",
      "<r xmlns='urn:xmpp:sm:3'/>", "<a xmlns='urn:xmpp:sm:3' h='\(number % 5)'/>",
      "<enabled xmlns='urn:xmpp:sm:3' id='i' resume='true'/>", "<failed xmlns='urn:xmpp:sm:3'/>",
      "<resumed xmlns='urn:xmpp:sm:3' h='0' previd='i'/>", Talk.header, Talk.tlsFeatures,
      Talk.saslFeatures, Talk.features(Talk.bind), Talk.success, letIn, Talk.proceed, "\n",
      Talk.bound("r1", pick(["alice@example.test/phone", "mallory@evil.test/x"])),
      "<challenge xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>cj14</challenge>",
      "<iq type='error' id='r1'/>", "<stream:error/>", "</stream:stream>",
    ])
  }

  private mutating func pick(_ words: [String]) -> String {
    words[Int.random(in: 0..<words.count, using: &random)]
  }
}

/// A client, what it records, and what holds of both, looked at from outside.
private struct WatchedClient {
  private var machine: ClientMachine
  private var intake = StreamIntake(SessionLimits())
  private let session: RosterSession
  private let folder: TemporaryFolder
  private let allowsPlain: Bool
  private var isSecured = false
  private var isOver = false
  /// Whether our side of the stream is at its end.
  private var isEnded = false
  /// How often each request of the server may still be answered.
  private var asked: [String: Int] = [:]
  /// Who the account's server said is in the roster, in a session.
  private var told: Set<BareJID> = []
  private(set) var faults: [String] = []

  init(allowsPlain: Bool, isDirect: Bool) throws {
    folder = try TemporaryFolder()
    session = try RosterSession(recordingTo: folder.file("a.rollcall"), idPrefix: "c-")
    self.allowsPlain = allowsPlain
    machine = ClientMachine(
      Talk.login { login in
        login.allowsPlain = allowsPlain
        login.password = Password("pencil-s3cret")
      })
    try happens { $0.connected(to: "example.test:5222", isDirectTLS: isDirect) }
  }

  mutating func turn(_ server: inout RandomServer) throws {
    switch Int.random(in: 0..<30, using: &server.random) {
    case 0: try happens { $0.silenceElapsed() }
    case 1: try happens { $0.pinged().result }
    case 2 where Bool.random(using: &server.random): try happens { $0.closed() }
    case 3 where Bool.random(using: &server.random):
      try happens { $0.disconnected(.lost(reason: "x")) }
    case 4...19:
      if case .handshake = machine.state {
        isSecured = true
        try happens { $0.secured(by: nil, serverEndPoint: nil) }
      }
      let right = server.right(for: machine)
      try hears(server.spoilt(Array(right.utf8)))
    default: try hears(server.bytes())
    }
  }

  private mutating func hears(_ bytes: [UInt8]) throws {
    // In TLS that has not begun nothing can be read.
    if case .handshake = machine.state { return }
    let parts = intake.take(bytes)
    for (index, part) in parts.enumerated() where !machine.isOver {
      let result = machine.received(part)
      if machine.hasFailed {
        _ = try session.refused(part, at: nil)
      } else {
        _ = try session.received(part, at: nil)
      }
      note(part)
      try carryOut(result.actions)
      guard case .handshake = machine.state else { continue }
      if index < parts.count - 1 || !intake.isBetweenElements { try happens { $0.injected() } }
      intake.reset()
      return
    }
    guard !machine.isOver else { return }
    for answer in session.acknowledgements { try happens { $0.sent(answer.bytes) } }
  }

  /// What a part allows to happen.
  private mutating func note(_ part: StreamIntake.Part) {
    guard case .element(let element) = part, element.node.name.local == "iq" else { return }
    let (node, type) = (element.node, element.node.attribute("type"))
    if type == "get" || type == "set" { asked[node.attribute("id") ?? "", default: 0] += 1 }
    let from = node.attribute("from")
    let isOwn =
      from == nil || from?.lowercased() == "alice@example.test"
      || (type == "result" && ["example.test", "alice@example.test/phone"].contains(from))
    guard machine.hadSession, isOwn, type == "set" || type == "result",
      let query = node.child("query", in: "jabber:iq:roster")
    else { return }
    for item in query.children {
      if let jid = item.attribute("jid").flatMap({ try? JID(parsing: $0) }) {
        told.insert(jid.bare)
      }
    }
  }

  private mutating func happens(_ event: (inout ClientMachine) -> ClientResult) throws {
    try carryOut(event(&machine).actions)
  }

  private mutating func carryOut(_ actions: [ClientAction]) throws {
    for action in actions {
      if case .answered = action { continue }
      if isOver { faults.append("something is done after the end: \(action)") }
      switch action {
      case .send(let bytes):
        try session.sent(bytes, at: nil)
        watch(String(decoding: bytes, as: UTF8.self))
      case .startTLS: if isSecured { faults.append("TLS begins within TLS") }
      case .note(let lifecycle): try session.note(lifecycle, at: nil)
      case .derive(let derivation):
        try happens { machine in
          machine.derived(Result { () throws(SASLFailure) in try derivation.keys() })
        }
      case .online:
        for element in try session.decide(.fetch).elements {
          try happens { $0.sent(element.bytes) }
        }
      case .answered: break
      case .finish: isOver = true
      }
    }
    if isOver != machine.isOver { faults.append("it is over, or not, and does not say so") }
  }

  private mutating func watch(_ text: String) {
    let plain = LoginScript.base64("\0alice\0pencil-s3cret")
    if isEnded { faults.append("something is said after our end of the stream: \(text)") }
    isEnded = text.hasSuffix("</stream:stream>")
    if text.contains("pencil") { faults.append("the password is sent as it is") }
    if text.contains(plain), !isSecured || !allowsPlain { faults.append("the password is sent") }
    if !isSecured, text.contains("alice") { faults.append("the account is named in the clear") }
    guard let match = text.firstMatch(of: /^<iq type="(?:result|error)" id="([^"]*)"/) else {
      return
    }
    let id = String(match.1)
    asked[id, default: 0] -= 1
    if asked[id, default: 0] < 0 { faults.append("\(id) is answered more often than asked") }
  }

  mutating func end() throws {
    try session.note(.closed(reason: nil), at: nil)
    let live = session.roster
    try session.close()
    for item in live.sortedItems where !told.contains(item.jid) {
      faults.append("\(item.jid) is in the roster, and nobody who may has said so")
    }
    if let account = live.account, account != Talk.account {
      faults.append("the log is named \(account)'s")
    }
    let log = try Timeline(ofLogAt: folder.file("a.rollcall"))
    let replayed = try log.state(at: .head(minus: 0)).roster
    if replayed != live { faults.append("the log says something else than was live") }
  }
}
