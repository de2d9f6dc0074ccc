import RosterCore
import TestSupport
import XMPPStanza

/// A server, and Alice's only device, over an unreliable network. What is on its way when it breaks
/// is sent again once the session continues on a new stream (XEP-0198 §5), or is lost with the
/// session.
///
/// The device's log contains what it sends immediately, and what it receives on arrival. The
/// server's log contains what the device sends on arrival, and what it sends the device
/// immediately. So what is sent again is twice in the sender's log.
struct ResumingServer {
  enum Log: CaseIterable {
    case device, server
  }

  private struct Item {
    var name: String?
    var isTo = false
    var isFrom = false
    var isAsked = false

    var subscription: String { isTo ? isFrom ? "both" : "to" : isFrom ? "from" : "none" }

    func xml(_ jid: String) -> String {
      item(
        jid,
        "subscription='\(subscription)'" + (name.map { " name='\($0)'" } ?? "")
          + (isAsked ? " ask='subscribe'" : ""))
    }
  }

  /// What the device has sent and the server has yet to process.
  private enum Deed {
    case set(String, name: String, id: String)
    case removal(String, id: String)
    case presence(String, to: String)
    case get(id: String)
    case appearance

    var xml: String {
      switch self {
      case .set(let jid, let name, let id): Self.set(item(jid, "name='\(name)'"), id)
      case .removal(let jid, let id): Self.set(item(jid, "subscription='remove'"), id)
      case .presence(let type, let jid): "<presence type='\(type)' to='\(jid)'/>"
      case .get(let id): "<iq id='\(id)' type='get'><query xmlns='jabber:iq:roster'/></iq>"
      case .appearance: "<presence/>"
      }
    }

    private static func set(_ item: String, _ id: String) -> String {
      "<iq id='\(id)' type='set'><query xmlns='jabber:iq:roster'>\(item)</query></iq>"
    }
  }

  private(set) var scenario = Scenario()
  private var random: SeededGenerator
  private var items: [String: Item] = [:]
  private(set) var requests: Set<String> = []
  private var version = 0
  private var ids = 0
  private var isConnected = true
  /// Whether the server has received its first presence, so it sends requests to it.
  private var hasAppeared = false
  private let log: Log
  /// What the server has yet to send to the device.
  private var coming: [String] = []
  /// What it has sent, if its log contains that before it arrives.
  private var underWay: [String] = []
  /// What the device has sent, if its log contains that before it arrives.
  private var going: [Deed] = []

  private static let contacts = ["bob", "carol", "dave"].map { "\($0)@example.test" }

  init(seed: UInt64, log: Log) {
    random = SeededGenerator(seed: seed)
    self.log = log
    scenario.time = 0
    logIn()
  }

  var shownItems: [String] {
    items.sorted { $0.key < $1.key }.map { "\($0.value.xml($0.key))" }
  }

  // MARK: What happens

  mutating func step() {
    let contact = Self.contacts.randomElement(using: &random) ?? ""
    switch Int.random(in: 0..<20, using: &random) {
    case 0: if isConnected { lose() }
    case 1, 2: if !isConnected { resume() }
    case 3: if !isConnected, Int.random(in: 0..<4, using: &random) == 0 { logIn() }
    case 4: underWay.removeFirst(Int.random(in: 0...underWay.count, using: &random))
    case 5, 6: if !isConnected || !isRefusing(contact) { contactActs(contact) }
    case 7...10: if isConnected { act(on: contact) }
    case 11...14: work()
    default: deliver()
    }
  }

  /// Reconnects the device, and lets everything on its way arrive.
  mutating func settle() {
    if !isConnected { resume() }
    while !going.isEmpty { work() }
    while !coming.isEmpty { deliver() }
  }

  private mutating func logIn() {
    (isConnected, hasAppeared) = (true, false)
    (coming, underWay, going) = ([], [], [])
    scenario.opened("alice@example.test/phone")
    scenario.received("<enabled xmlns='urn:xmpp:sm:3' id='sm' resume='true'/>")
    send(.get(id: nextID()))
    send(.appearance)
  }

  private mutating func lose() {
    // Some of it has arrived.
    for _ in 0..<Int.random(in: 0...going.count, using: &random) { work() }
    isConnected = false
    scenario.lost()
  }

  private mutating func resume() {
    isConnected = true
    scenario.received("<resumed xmlns='urn:xmpp:sm:3' previd='sm' h='1'/>")
    coming = underWay + coming
    underWay = []
    for deed in going { scenario.sent(deed.xml) }
  }

  private mutating func nextID() -> String {
    ids += 1
    return "id\(ids)"
  }

  // MARK: The device

  private mutating func act(on contact: String) {
    switch Int.random(in: 0..<10, using: &random) {
    case 0, 1:
      send(.set(contact, name: ["A", "B"].randomElement(using: &random) ?? "", id: nextID()))
    case 2: send(.removal(contact, id: nextID()))
    case 3: send(.get(id: nextID()))
    case 4: send(.presence("subscribe", to: contact))
    case 5: send(.presence("unsubscribe", to: contact))
    case 6, 7: answer("subscribed", contact)
    default: answer("unsubscribed", contact)
    }
  }

  /// Alice answers a contact only after reading everything from it, if she knows its request. The
  /// device's log cannot show a refusal that crosses a request in a stream that continues.
  private mutating func answer(_ word: String, _ contact: String) {
    let isOf = { (stanza: String) in stanza.contains("from='\(contact)'") }
    while coming.contains(where: isOf) { deliver() }
    underWay.removeFirst((underWay.lastIndex(where: isOf) ?? -1) + 1)
    let isKnown =
      scenario.incoming.contains(contact) || scenario.unconfirmed.contains(contact)
      || scenario.item(contact)?.subscription.includesFrom == true
    if isKnown { send(.presence(word, to: contact)) }
  }

  private mutating func send(_ deed: Deed) {
    scenario.sent(deed.xml)
    going.append(deed)
    if log == .server { work() }
  }

  private func isRefusing(_ contact: String) -> Bool {
    going.contains { deed in
      if case .presence("unsubscribed", contact) = deed { true } else { false }
    }
  }

  private mutating func deliver() {
    guard isConnected, !coming.isEmpty else { return }
    let stanza = coming.removeFirst()
    if log == .server { underWay.append(stanza) }
    scenario.received(stanza)
    guard stanza.contains("type='set'"), let id = stanza.split(separator: "'").dropFirst().first
    else { return }
    scenario.sent("<iq id='\(id)' type='result'/>")
  }

  // MARK: The server

  /// Processes the next thing that the device has sent.
  private mutating func work() {
    guard isConnected, !going.isEmpty else { return }
    switch going.removeFirst() {
    case .set(let contact, let name, let id):
      items[contact, default: Item()].name = name
      push(contact)
      coming.append("<iq id='\(id)' type='result'/>")
    case .removal(let contact, let id):
      guard items.removeValue(forKey: contact) != nil else {
        coming.append(
          "<iq id='\(id)' type='error'><error type='cancel'><item-not-found "
            + "xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></iq>")
        return
      }
      push(contact)
      coming.append("<iq id='\(id)' type='result'/>")
    case .get(let id):
      let list = shownItems.joined()
      coming.append(
        "<iq id='\(id)' type='result'><query xmlns='jabber:iq:roster' ver='v\(version)'>"
          + "\(list)</query></iq>")
    case .appearance:
      hasAppeared = true
      coming += requests.sorted().map { "<presence from='\($0)' type='subscribe'/>" }
    case .presence(let type, let contact): presenceCame(type, to: contact)
    }
  }

  private mutating func presenceCame(_ type: String, to contact: String) {
    switch type {
    case "subscribe" where items[contact]?.isTo != true: change(contact) { $0.isAsked = true }
    case "unsubscribe" where items[contact] != nil:
      change(contact) { ($0.isTo, $0.isAsked) = (false, false) }
    case "subscribed" where requests.contains(contact):
      requests.remove(contact)
      change(contact) { $0.isFrom = true }
    case "unsubscribed":
      requests.remove(contact)
      if items[contact]?.isFrom == true { change(contact) { $0.isFrom = false } }
    default: break
    }
  }

  private mutating func contactActs(_ contact: String) {
    switch Int.random(in: 0..<6, using: &random) {
    case 0, 1, 2:
      guard items[contact]?.isFrom != true, !requests.contains(contact) else { return }
      requests.insert(contact)
      tell("subscribe", contact)
    case 3, 4:
      guard requests.remove(contact) != nil || items[contact]?.isFrom == true else { return }
      tell("unsubscribe", contact)
      if items[contact]?.isFrom == true { change(contact) { $0.isFrom = false } }
    default:
      guard items[contact]?.isAsked == true else { return }
      let isYes = Bool.random(using: &random)
      tell(isYes ? "subscribed" : "unsubscribed", contact)
      change(contact) { ($0.isTo, $0.isAsked) = (isYes, false) }
    }
  }

  private mutating func tell(_ type: String, _ contact: String) {
    guard hasAppeared else { return }
    coming.append("<presence from='\(contact)' type='\(type)'/>")
  }

  private mutating func change(_ contact: String, _ body: (inout Item) -> Void) {
    body(&items[contact, default: Item()])
    push(contact)
  }

  private mutating func push(_ contact: String) {
    version += 1
    let xml = items[contact]?.xml(contact) ?? item(contact, "subscription='remove'")
    coming.append(
      "<iq id='push\(version)' type='set'><query xmlns='jabber:iq:roster' ver='v\(version)'>"
        + "\(xml)</query></iq>")
  }
}
