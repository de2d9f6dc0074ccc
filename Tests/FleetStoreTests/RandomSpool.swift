import Foundation
import TestSupport

/// A spool as a server's tap writes it over several runs, from a seed: sessions that are opened,
/// cut off and resumed, rosters, requests, pushes, presence, forms, stored rosters, and lines that
/// the tap could not write.
struct RandomSpool {
  /// A segment's file name and its bytes; the last line may be cut.
  struct Segment {
    let name: String
    var bytes: [UInt8]
  }

  private(set) var segments: [Segment] = []
  let accounts: [String]
  private var generator: SeededGenerator
  private var time: Int64 = 1_795_168_200_000
  private var boot = ""
  private var lines = 0
  private var connections: [Int: Session] = [:]
  private var lastConnection = 0

  private struct Session {
    let account: String
    var isOpen = false
  }

  init(seed: UInt64, accounts count: Int = 5, runs: Int = 3, linesPerRun: Int = 120) {
    generator = SeededGenerator(seed: seed)
    accounts = (0..<count).map { "user\($0)@\($0 % 2 == 0 ? "example" : "other").test" }
    for run in 0..<runs {
      begin(run)
      for _ in 0..<linesPerRun { act() }
      // A killed server can leave half a line.
      if chance(2) { cut() }
    }
  }

  /// The whole lines of all segments, in one capture.
  var capture: [UInt8] {
    segments.flatMap { segment in
      segment.bytes[...(segment.bytes.lastIndex(of: UInt8(ascii: "\n")) ?? -1)]
    }
  }

  // MARK: Segments

  private mutating func begin(_ run: Int) {
    boot = String(format: "%08x", generator.next() & 0xFFFF_FFFF)
    (connections, lastConnection) = ([:], 0)
    beginSegment()
  }

  private mutating func beginSegment() {
    let number = segments.count + 1
    segments.append(Segment(name: String(format: "%@-%06d.jsonl", boot, number), bytes: []))
    add(
      #"{"rollcall-tap":1,"boot":"\#(boot)","segment":\#(number),"server":"Prosody 0.12.3","what":"all"}"#
    )
  }

  private mutating func add(_ line: String) {
    segments[segments.count - 1].bytes += Array((line + "\n").utf8)
    lines += 1
  }

  private mutating func cut() {
    let last = segments.count - 1
    segments[last].bytes += Array(#"{"t":1,"c":1,"a":"user0@example.test","dir":"in","xm"#.utf8)
  }

  // MARK: Lines

  private mutating func chance(_ of: Int) -> Bool { Int.random(in: 0..<of, using: &generator) == 0 }

  private mutating func pick<Value>(_ values: [Value]) -> Value {
    values[Int.random(in: 0..<values.count, using: &generator)]
  }

  private mutating func tick() -> Int64 {
    // Clocks of threads differ a little, and some jump back.
    time += Int64.random(in: -5...4_000, using: &generator)
    return chance(80) ? time - 100_000 : time
  }

  private mutating func stream(_ number: Int, _ session: Session, _ event: String) {
    add(#"{"t":\#(tick()),"c":\#(number),"a":"\#(session.account)","stream":\#(event)}"#)
  }

  private mutating func element(_ number: Int, _ session: Session, _ way: String, _ xml: String) {
    let text = xml.replacing("\"", with: "\\\"")
    add(
      #"{"t":\#(tick()),"c":\#(number),"a":"\#(session.account)","dir":"\#(way)","xml":"\#(text)"}"#
    )
  }

  private mutating func act() {
    if chance(40) { beginSegment() }
    if chance(50) { add(#"{"t":\#(tick()),"alive":\#(lines)}"#) }
    if chance(60) { add(#"{"t":\#(tick()),"gap":3}"#) }
    if chance(90) { add("this is no line of a tap") }
    if chance(15) { return stored(pick(accounts)) }
    if connections.isEmpty || chance(6) { return connect() }
    let number = pick(connections.keys.sorted())
    guard let session = connections[number] else { return }
    if chance(12) {
      stream(
        number, session,
        pick([#""lost""#, #""closed","by":"client""#, #""closed","reason":"idle""#]))
      connections[number] = nil
      // What the server had queued can still come.
      if chance(3) { element(number, session, "in", "<presence from='late@example.test/x'/>") }
      return
    }
    talk(number, session)
  }

  private mutating func connect() {
    lastConnection += 1
    let number = lastConnection
    var session = Session(account: pick(accounts))
    stream(number, session, #""authenticated","over":"tls""#)
    let jid = "\(session.account)/r\(number)"
    if chance(3) {
      element(
        number, session, "out",
        "<iq type='set' id='b'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/></iq>")
      if chance(4) { beginSegment() }
      stream(number, session, #""opened","jid":"\#(jid)""#)
      element(
        number, session, "in",
        "<iq type='result' id='b'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'><jid>\(jid)</jid></bind></iq>"
      )
    } else {
      stream(number, session, #""\#(chance(6) ? "resumed" : "opened")","jid":"\#(jid)""#)
    }
    session.isOpen = true
    connections[number] = session
    guard !chance(4) else { return }
    element(number, session, "out", "<iq type='get' id='r1'><query xmlns='jabber:iq:roster'/></iq>")
    element(number, session, "in", "<iq type='result' id='r1' to='\(jid)'>\(query())</iq>")
    element(number, session, "out", "<presence/>")
  }

  private mutating func query() -> String {
    let items = accounts.filter { _ in chance(2) }.map { item($0) }.joined()
    return "<query xmlns='jabber:iq:roster'>\(items)</query>"
  }

  private mutating func item(_ contact: String) -> String {
    let ask = chance(4) ? " ask='subscribe'" : ""
    return "<item jid='\(contact)' subscription='\(pick(["none", "to", "from", "both"]))'\(ask)/>"
  }

  private mutating func stored(_ account: String) {
    let asked = chance(2) ? #""\#(pick(accounts))""# : ""
    add(
      #"{"t":\#(tick()),"a":"\#(account)","stored":"all","xml":"<iq type='result' id='rollcall-tap' to='\#(account)'>\#(query())</iq>","asked":[\#(asked)]}"#
    )
  }

  private mutating func talk(_ number: Int, _ session: Session) {
    let contact = pick(accounts)
    let kind = pick(["subscribe", "subscribed", "unsubscribe", "unsubscribed"])
    switch Int.random(in: 0..<9, using: &generator) {
    case 0: element(number, session, "out", "<presence to='\(contact)' type='\(kind)'/>")
    case 1:
      element(
        number, session, "in",
        "<presence to='\(session.account)' from='\(contact)' type='\(kind)'/>")
    case 2:
      let pushed = chance(5) ? "<item jid='\(contact)' subscription='remove'/>" : item(contact)
      element(
        number, session, "in",
        "<iq type='set' id='p\(lines)'><query xmlns='jabber:iq:roster'>\(pushed)</query></iq>")
      element(number, session, "out", "<iq type='result' id='p\(lines - 1)'/>")
    case 3:
      element(
        number, session, "in",
        "<iq type='set' id='f\(lines)' from='\(contact)'><x xmlns='jabber:x:data' type='form'><field var='door' type='text-private'/></x></iq>"
      )
    case 4:
      element(
        number, session, "out",
        "<iq type='set' id='g\(lines)' to='\(contact)'><x xmlns='jabber:x:data' type='submit'><field var='door'><value>open \(lines)</value></field></x></iq>"
      )
    case 5:
      element(
        number, session, "out",
        "<iq type='set' id='k\(lines)'><block xmlns='urn:xmpp:blocking'><item jid='\(contact)'/></block></iq>"
      )
      element(number, session, "in", "<iq type='result' id='k\(lines - 1)'/>")
    default: element(number, session, "in", "<presence from='\(contact)/x'/>")
    }
  }
}
