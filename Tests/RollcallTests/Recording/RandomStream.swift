import Captures
import TestSupport
import XMPPStanza

/// A random stream of an account with messages, stream management, lost connections and questions
/// to the archive. The server and the client may count wrongly.
struct RandomStream {
  typealias Part = (content: CapturedRecord.Content, time: Int64?)

  private(set) var parts: [Part] = []
  private var random: SeededGenerator
  private var time: Int64 = 1_795_694_400_000
  private var isOpen = false
  private var counts: [Direction: UInt32] = [:]
  private var number = 0

  init(seed: UInt64, steps: Int) {
    random = SeededGenerator(seed: seed)
    note(.header(account: address("alice@example.test"), inboundOnly: false))
    for _ in 0..<steps { step() }
  }

  private mutating func chance(_ percent: Int) -> Bool {
    Int.random(in: 0..<100, using: &random) < percent
  }

  // MARK: Steps

  private mutating func step() {
    guard isOpen else { return begin() }
    time += Int64.random(in: 0...90_000, using: &random)
    switch Int.random(in: 0..<100, using: &random) {
    case ..<25: message(.outbound)
    case ..<40: message(.inbound)
    case ..<60: pass("<r xmlns='urn:xmpp:sm:3'/>", chance(50) ? .inbound : .outbound)
    case ..<85: acknowledge(chance(50) ? .inbound : .outbound)
    case ..<88: stanza("<presence from='bob@example.test/pc'/>", .inbound)
    case ..<91:
      stanza("<iq type='get' id='\(next())'><ping xmlns='urn:xmpp:ping'/></iq>", .outbound)
    case ..<94: askArchive()
    default: end()
    }
  }

  private mutating func begin() {
    time += Int64.random(in: 1...200_000, using: &random)
    parts.append(
      (.streamHeader(.outbound, header, bytes: Array("<stream:stream>".utf8)), time))
    if chance(40) {
      let handled = counts[.inbound] ?? 0
      pass("<resume xmlns='urn:xmpp:sm:3' previd='s' h='\(handled)'/>", .outbound)
      counts[.outbound] = counts[.outbound].map { $0 - min($0, chance(50) ? 1 : 0) }
      pass("<resumed xmlns='urn:xmpp:sm:3' previd='s' h='\(counts[.outbound] ?? 0)'/>", .inbound)
    } else {
      note(.opened(address("alice@example.test/phone")))
      if chance(80) {
        pass("<enable xmlns='urn:xmpp:sm:3' resume='true'/>", .outbound)
        pass("<enabled xmlns='urn:xmpp:sm:3' id='s' resume='true'/>", .inbound)
      }
      counts = [:]
    }
    isOpen = true
  }

  private var header: XMPPElement {
    XMPPElement(XMLName("stream", in: Namespace.streams), attributes: [], content: [])
  }

  private mutating func end() {
    if chance(30) { parts.append((.streamEnd(.outbound), time)) }
    if chance(30) { acknowledge(.inbound) }
    if chance(90) { note(.closed(reason: nil)) }
    isOpen = false
  }

  private mutating func message(_ direction: Direction) {
    let id = chance(50) ? " id='m\(next())'" : ""
    let other = direction == .inbound ? "from='bob@example.test/pc'" : "to='bob@example.test'"
    let text = ["yes", "no", "hello"][Int.random(in: 0..<3, using: &random)]
    stanza("<message type='chat' \(other)\(id)><body>\(text)</body></message>", direction)
  }

  private mutating func acknowledge(_ direction: Direction) {
    let counted = counts[direction == .inbound ? .outbound : .inbound] ?? 0
    let handled = chance(70) ? counted : UInt32.random(in: 0...(counted + 3), using: &random)
    pass("<a xmlns='urn:xmpp:sm:3' h='\(handled)'/>", direction)
  }

  /// A question for everything since some moment, and the answer that this is nothing.
  private mutating func askArchive() {
    let start = time - Int64.random(in: 0...300_000, using: &random)
    let id = next()
    stanza(
      "<iq type='set' id='\(id)'><query xmlns='urn:xmpp:mam:2'><x xmlns='jabber:x:data' "
        + "type='submit'><field var='start'><value>\(Self.stamp(start))</value></field></x>"
        + "</query></iq>", .outbound)
    stanza(
      "<iq type='result' id='\(id)'><fin xmlns='urn:xmpp:mam:2' complete='true'/></iq>", .inbound)
  }

  /// XEP-0082; all times are on one day.
  private static func stamp(_ time: Int64) -> String {
    let ofDay = time - 1_795_694_400_000 + 12 * 3_600_000
    let parts = [ofDay / 3_600_000, ofDay / 60_000 % 60, ofDay / 1000 % 60].map { part in
      (part < 10 ? "0" : "") + "\(part)"
    }
    return "2026-11-26T\(parts.joined(separator: ":"))Z"
  }

  // MARK: Parts

  private mutating func next() -> Int {
    number += 1
    return number
  }

  private mutating func note(_ lifecycle: Lifecycle) {
    parts.append((.lifecycle(lifecycle), time))
  }

  private mutating func stanza(_ xml: String, _ direction: Direction) {
    counts[direction, default: 0] += 1
    pass(xml, direction)
  }

  private mutating func pass(_ xml: String, _ direction: Direction) {
    parts.append((.element(direction, element(xml), bytes: Array(xml.utf8)), time))
  }
}
