import Captures
import Testing
import XMPPStanza

@Suite("The account of a connection")
struct AccountFilterTests {
  private func inbound(_ xml: String, _ connection: String = "1") throws -> CapturedRecord {
    try record("S>C", xml, connection)
  }

  private func record(
    _ direction: String, _ xml: String, _ connection: String
  ) throws -> CapturedRecord {
    let escaped = xml.replacing("\"", with: "\\\"")
    let line = "{\"conn\":\"\(connection)\",\"dir\":\"\(direction)\",\"data\":\"\(escaped)\"}"
    return try #require(try read(line, "raw-jsonl").records.first)
  }

  private func bound(_ jid: String, _ connection: String = "1") throws -> CapturedRecord {
    let bind = "<bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'><jid>\(jid)</jid></bind>"
    return try inbound("<iq type='result' id='b'>\(bind)</iq>", connection)
  }

  private func event(_ lifecycle: Lifecycle, _ connection: String = "1") -> CapturedRecord {
    CapturedRecord(
      connection: connection, time: nil, line: 1, content: .lifecycle(lifecycle))
  }

  /// The indices of the records that pass, and the filter afterwards.
  private func filtered(
    _ records: [CapturedRecord], account: String? = nil
  ) throws -> (passed: [Int], filter: AccountFilter) {
    var filter = AccountFilter(account: try account.map(BareJID.init(parsing:)))
    var passed: [Int] = []
    for (index, record) in records.enumerated() {
      var numbered = record
      numbered.line = index
      filter.take(numbered) { passed.append($0.line) }
    }
    filter.finish { passed.append($0.line) }
    return (passed, filter)
  }

  @Test("Records before the bind result are held, and then pass")
  func recordsBeforeBindAreHeld() throws {
    var filter = AccountFilter(account: nil)
    var passed = 0
    try filter.take(inbound("<stream:features/>")) { _ in passed += 1 }
    try filter.take(record("C>S", "<iq type='set'/>", "1")) { _ in passed += 1 }
    #expect(passed == 0)
    try filter.take(bound("alice@a.test/x")) { _ in passed += 1 }
    #expect(passed == 3)
    #expect(filter.accounts.map(\.text) == ["alice@a.test"])
  }

  @Test("Only the records of the chosen account pass")
  func oneAccountOfSeveral() throws {
    let records = try [
      inbound("<stream:features/>", "1"), inbound("<stream:features/>", "2"),
      bound("bob@a.test/x", "2"), bound("alice@a.test/x", "1"), inbound("<presence/>", "2"),
      inbound("<presence/>", "1"),
    ]
    #expect(try filtered(records, account: "alice@a.test").passed == [0, 3, 5])
    #expect(try filtered(records, account: "BOB@a.test").passed == [1, 2, 4])
    #expect(try filtered(records, account: "eve@a.test").passed == [])
    let open = try filtered(records)
    #expect(open.filter.accounts.map(\.text) == ["alice@a.test", "bob@a.test"])
  }

  @Test("A second bind result in a connection begins another session")
  func aSecondBindIsAnotherSession() throws {
    let records = try [
      bound("alice@a.test/x"), inbound("<presence to='alice@a.test/x'/>"), bound("bob@a.test/y"),
      inbound("<presence to='bob@a.test/y'/>"), record("C>S", "<presence/>", "1"),
    ]
    for (account, passed) in [("alice@a.test", [0, 1]), ("bob@a.test", [2, 3, 4])] {
      let result = try filtered(records, account: account)
      #expect(result.passed == passed)
      #expect(!result.filter.isMixed)
    }
  }

  @Test("A bind result ends a session whose account was inferred from addresses")
  func aBindResultEndsAnInferredSession() throws {
    for name in ["", "1"] {
      let records = try [
        inbound("<presence to='alice@a.test/x'/>", name), record("C>S", "<presence/>", name),
        bound("bob@a.test/y", name), inbound("<presence to='bob@a.test/y'/>", name),
        record("C>S", "<presence/>", name),
      ]
      let alice = try filtered(records, account: "alice@a.test")
      // An inferred account is announced.
      #expect(alice.passed == [0, 0, 1])
      let bob = try filtered(records, account: "bob@a.test")
      #expect(bob.passed == [2, 3, 4])
      for filter in [alice.filter, bob.filter] {
        #expect(!filter.isMixed)
        #expect(filter.accounts.map(\.text) == ["alice@a.test", "bob@a.test"])
      }
    }
    // The user replaced the domain with a mark.
    let marked = try [inbound("<presence to='alice@[server]/x'/>"), bound("alice@a.test/x")]
    #expect(try filtered(marked).filter.accounts.map(\.text) == ["alice@[server]"])
  }

  @Test("Several accounts at a time in one connection are detected")
  func severalAccountsAtATimeInOneConnection() throws {
    let records = try [
      bound("alice@a.test/x"), bound("bob@a.test/y"), inbound("<presence to='bob@a.test/y'/>"),
      inbound("<presence to='alice@a.test/x'/>"),
    ]
    #expect(try filtered(records, account: "alice@a.test").filter.isMixed)
    #expect(try filtered(records, account: "bob@a.test").filter.isMixed)
    #expect(try filtered(records).filter.isMixed)
  }

  @Test("A stanza to another account's session belongs to that account, known or not")
  func anotherAccountsSession() throws {
    for first in [try bound("alice@a.test/x"), try inbound("<iq to='alice@a.test/x'/>")] {
      let other = try inbound("<presence to='bob@a.test/y'/>")
      for records in try [
        [first, other], [first, inbound("<presence to='alice@a.test'/>"), other],
      ] {
        let filter = try filtered(records).filter
        #expect(filter.isMixed)
        #expect(filter.accounts.map(\.text) == ["alice@a.test", "bob@a.test"])
      }
    }
    let aliases = try [bound("alice@a.test/x"), inbound("<presence to='bob@a.test'/>")]
    #expect(try !filtered(aliases).filter.isMixed)
  }

  @Test("Success in SASL 2 names the account of a connection")
  func theAccountFromSASL2() throws {
    let success =
      "<success xmlns='urn:xmpp:sasl:2'><authorization-identifier>alice@a.test/x"
      + "</authorization-identifier></success>"
    let result = try filtered([inbound(success)])
    #expect(result.filter.accounts.map(\.text) == ["alice@a.test"])
  }

  @Test("A line about a stream names its account")
  func theAccountFromLifecycle() throws {
    let alice = try JID(parsing: "alice@a.test/x")
    for lifecycle in [Lifecycle.opened(alice), .resumed(alice)] {
      let result = try filtered([event(lifecycle), inbound("<presence/>")])
      #expect(result.filter.accounts == [alice.bare])
      #expect(result.passed == [0, 1])
    }
  }

  @Test("The header of a capture names the account of all its connections")
  func theAccountFromTheHeader() throws {
    let alice = try JID(parsing: "alice@a.test")
    let records = try [
      event(.header(account: alice, inboundOnly: false), ""), inbound("<presence/>", ""),
      event(.closed(reason: nil), ""), inbound("<presence/>", ""),
    ]
    #expect(try filtered(records, account: "alice@a.test").passed == [0, 1, 2, 3])
    #expect(try filtered(records, account: "bob@a.test").passed == [])
  }

  @Test("A log that begins in mid-session belongs to the recipient of the server's stanzas")
  func aLogFromTheMiddle() throws {
    let full = try [
      inbound("<presence from='x@y'/>", ""), inbound("<presence to='alice@a.test/x'/>", ""),
    ]
    #expect(try filtered(full).filter.accounts.map(\.text) == ["alice@a.test"])
    // A bare address is used if there is nothing better.
    let bare = try [inbound("<presence to='alice@a.test'/>"), inbound("<presence/>")]
    #expect(try filtered(bare).filter.accounts.map(\.text) == ["alice@a.test"])
    #expect(try filtered(bare, account: "alice@a.test").passed == [0, 0, 1])
    // The recipients of our own stanzas do not show our account.
    let sent = try [record("C>S", "<presence to='bob@a.test/x'/>", "")]
    #expect(try filtered(sent).filter.accounts.isEmpty)
  }

  @Test("A log that names no account passes completely")
  func aLogWithoutAccountPasses() throws {
    let records = try [
      inbound("<presence/>", ""), event(.closed(reason: nil), ""), inbound("<a/>", ""),
    ]
    #expect(try filtered(records).passed == [0, 1, 2])
    #expect(try filtered(records, account: "alice@a.test").passed == [0, 0, 1, 2])
  }

  /// The records that pass.
  private func passing(
    _ records: [CapturedRecord], account: String? = nil
  ) throws -> [CapturedRecord] {
    var filter = AccountFilter(account: try account.map(BareJID.init(parsing:)))
    var passed: [CapturedRecord] = []
    for record in records { filter.take(record) { passed.append($0) } }
    filter.finish { passed.append($0) }
    return passed
  }

  private func header(
    _ account: String, inboundOnly: Bool = false
  ) throws -> CapturedRecord.Content {
    .lifecycle(.header(account: try JID(parsing: account), inboundOnly: inboundOnly))
  }

  @Test("An inferred account is announced once")
  func anInferredAccountIsAnnouncedOnce() throws {
    var first = try inbound("<presence from='x@y'/>")
    first.line = 7
    first.time = 5
    let records = try [
      first, inbound("<presence to='alice@a.test/x'/>"), event(.closed(reason: nil)),
      inbound("<presence to='alice@a.test/y'/>"),
    ]
    let passed = try passing(records)
    #expect(passed.count == 5)
    #expect(passed[0].content == (try header("alice@a.test/x")))
    #expect(passed[0].line == 7)
    #expect(passed[0].time == nil)
    #expect(Array(passed.dropFirst()) == records)
  }

  @Test("A chosen account is announced if no record names one")
  func aChosenAccountIsAnnounced() throws {
    let records = try [inbound("<presence/>"), inbound("<presence/>")]
    let passed = try passing(records, account: "alice@a.test")
    #expect(passed.map(\.content) == (try [header("alice@a.test")]) + records.map(\.content))
    #expect(try passing(records) == records)
  }

  @Test("An account that the capture names is not announced")
  func aNamedAccountIsNotAnnounced() throws {
    let alice = try JID(parsing: "alice@a.test/x")
    let names: [CapturedRecord] = try [
      bound("alice@a.test/x"), event(.opened(alice)), event(.resumed(alice)),
      event(.header(account: alice, inboundOnly: false)),
    ]
    for name in names {
      // The account of a later connection, seen alone, is already known.
      let records = try [
        name, event(.closed(reason: nil)), inbound("<presence to='alice@a.test/x'/>", "2"),
      ]
      #expect(try passing(records) == records)
      #expect(try passing(records, account: "alice@a.test") == records)
    }
  }

  @Test("A header without an account keeps its directions")
  func aHeaderWithoutAccountKeepsItsDirections() throws {
    let records = try [
      event(.header(account: nil, inboundOnly: true)),
      inbound("<presence to='alice@a.test/x'/>"),
    ]
    let passed = try passing(records)
    #expect(passed[0].content == (try header("alice@a.test/x", inboundOnly: true)))
    #expect(Array(passed.dropFirst()) == records)
  }

  @Test("A failed login belongs to the account of the next login")
  func aFailedLoginBelongsToTheNext() throws {
    let records = try [
      inbound("<stream:features/>", ""), event(.closed(reason: nil), ""),
      bound("alice@a.test/x", ""),
    ]
    #expect(try filtered(records, account: "alice@a.test").passed == [0, 0, 1, 2])
  }

  @Test("A connection whose account stays unknown is dropped")
  func aConnectionOfUnknownAccount() throws {
    let records = try [
      inbound("<stream:features/>", "1"), bound("alice@a.test/x", "2"),
      event(.closed(reason: nil), "1"),
      inbound("<presence/>", "2"),
    ]
    let result = try filtered(records, account: "alice@a.test")
    #expect(result.passed == [1, 3])
    #expect(result.filter.unattributed == 2)
  }

  @Test("An unfinished login at the end of a client's log belongs to the log's account")
  func endingInNegotiation() throws {
    let records = try [
      bound("alice@a.test/x", ""), event(.closed(reason: nil), ""),
      inbound("<stream:features/>", ""),
    ]
    #expect(try filtered(records, account: "alice@a.test").passed == [0, 1, 2])
    #expect(try filtered(records, account: "bob@a.test").passed == [])
    // If the log has several accounts, the account is unknown.
    let several =
      try records + [bound("bob@a.test/x", ""), event(.closed(reason: nil), "")] + records.suffix(1)
    #expect(try filtered(several, account: "alice@a.test").passed == [0, 1])
  }

  @Test("A name that is used again belongs to another connection")
  func aNameUsedAgainIsAnotherConnection() throws {
    let records = try [
      bound("alice@a.test/x"), event(.closed(reason: nil)), bound("bob@a.test/x"),
      inbound("<presence/>"),
    ]
    #expect(try filtered(records, account: "alice@a.test").passed == [0, 1])
    #expect(try filtered(records, account: "bob@a.test").passed == [2, 3])
  }

  /// The number of records of a known connection until those that wait for another one are dropped.
  private func waiting(behind unknown: CapturedRecord) throws -> Int {
    var filter = AccountFilter(account: try BareJID(parsing: "alice@a.test"))
    var passed = 0
    filter.take(unknown) { _ in passed += 1 }
    let known = try bound("alice@a.test/x", "2")
    for count in 1...20_000 {
      filter.take(known) { _ in passed += 1 }
      guard passed == 0 else {
        #expect(passed == count)
        #expect(filter.unattributed == 1)
        return count
      }
    }
    return 0
  }

  @Test("At most 10,000 records wait for the account of a connection")
  func heldRecordsAreBounded() throws {
    #expect(try waiting(behind: inbound("<stream:features/>", "1")) == 10_000)
  }

  @Test("At most 16 MiB wait for the account of a connection")
  func heldBytesAreBounded() throws {
    var unknown = try inbound("<stream:features/>", "1")
    guard case .element(let direction, let node, _) = unknown.content else {
      Issue.record("\(unknown)")
      return
    }
    // An element is held twice, as a tree and as its bytes.
    unknown.content = .element(direction, node, bytes: Array(repeating: 0x20, count: 8 << 20))
    #expect(try waiting(behind: unknown) == 1)
    unknown.content = .element(direction, node, bytes: Array(repeating: 0x20, count: 4 << 20))
    #expect(try waiting(behind: unknown) == 10_000)
  }
}
