import RosterCore
import XMPPStanza

/// A server with several devices of Alice, to each of which it sends every change at its own time.
///
/// Each device receives everything in the order in which it happened, as over a stream; which
/// device is first is random. The lines of all devices form one dialogue.
package struct SimulatedServer {
  private struct Item {
    var name: String?
    var subscription = "none"

    func xml(_ jid: String) -> String {
      item(jid, "subscription='\(subscription)'" + (name.map { " name='\($0)'" } ?? ""))
    }
  }

  private struct Device {
    var resource: String
    var connection: UInt32
    var isOnline = false
    var isLost = false
    /// What the server has yet to send to it.
    var queue: [String] = []
    /// The requests that it has received.
    var requests: Set<String> = []
    var sets = 0
  }

  package private(set) var scenario = Scenario()
  private var random: SeededGenerator
  private var items: [String: Item] = [:]
  private var version = 0
  private var requests: Set<String> = []
  private var presence: [String: String] = [:]
  private var devices: [Device]
  private var connections: UInt32
  private var pushes = 0

  package static let contacts = ["bob", "carol", "dave", "erin"].map { "\($0)@example.test" }

  package init(seed: UInt64, devices count: Int) {
    random = SeededGenerator(seed: seed)
    devices = (1...count).map { Device(resource: "r\($0)", connection: UInt32($0)) }
    connections = UInt32(count)
    scenario.time = 0
  }

  // MARK: The server's state

  package var shownItems: [String] {
    items.sorted { $0.key < $1.key }.map {
      "\($0.key) \($0.value.name ?? "-") \($0.value.subscription)"
    }
  }

  package var openRequests: [String] { requests.sorted() }

  /// The available resources with their presence, as far as any device receives it.
  package var shownPresence: [String] {
    guard devices.contains(where: { $0.isOnline && !$0.isLost }) else { return [] }
    return presence.filter { items[$0.key]?.subscription == "both" }
      .map { "\($0.key) \($0.value)" }.sorted()
  }

  package var versionText: String { "v\(version)" }

  // MARK: Events

  package mutating func step() {
    let place = devices.indices.randomElement(using: &random) ?? 0
    let contact = Self.contacts.randomElement(using: &random) ?? ""
    switch Int.random(in: 0..<24, using: &random) {
    case 0: if devices[place].isOnline { logOut(place) } else { logIn(place) }
    case 1: if !devices[place].isOnline { logIn(place) }
    case 2: if devices[place].isOnline, !devices[place].isLost { lose(place) }
    case 3: if devices[place].isLost { resume(place) }
    case 4, 5: rename(contact, by: place)
    case 6: remove(contact, by: place)
    case 7: ask(contact)
    case 8: answer(by: place)
    case 9, 10: changePresence(of: contact)
    default: deliver(place)
    }
  }

  /// Reconnects all devices, and delivers everything that is on its way.
  package mutating func settle() {
    for place in devices.indices where devices[place].isLost { resume(place) }
    while let place = devices.indices.filter({ !devices[$0].queue.isEmpty }).randomElement(
      using: &random)
    {
      deliver(place)
    }
    scenario.on(devices[0].connection) { $0.sends("probe", to: "nobody@example.test", at: 30_000) }
  }

  private mutating func logIn(_ place: Int) {
    if random.next() % 2 == 0 {
      connections += 1
      devices[place].connection = connections
    }
    devices[place].isOnline = true
    devices[place].requests = []
    let (number, resource) = (devices[place].connection, devices[place].resource)
    scenario.on(number) {
      $0.opened("alice@example.test/\(resource)")
      $0.received("<enabled xmlns='urn:xmpp:sm:3' id='sm-\(resource)-\(number)' resume='true'/>")
      $0.gets(id: "get", version: "")
      $0.sends()
    }
    let list = items.sorted { $0.key < $1.key }.map { $0.value.xml($0.key) }.joined()
    devices[place].queue = [
      "<iq id='get' type='result'><query xmlns='jabber:iq:roster' ver='\(versionText)'>\(list)"
        + "</query></iq>"
    ]
    devices[place].queue += requests.sorted().map { "<presence from='\($0)' type='subscribe'/>" }
    devices[place].queue += presence.sorted { $0.key < $1.key }
      .filter { items[$0.key]?.subscription == "both" }.map { line($0.key, $0.value) }
  }

  private mutating func logOut(_ place: Int) {
    scenario.on(devices[place].connection) { $0.closed() }
    devices[place].isOnline = false
    devices[place].isLost = false
    devices[place].queue = []
  }

  private mutating func lose(_ place: Int) {
    scenario.on(devices[place].connection) { $0.lost() }
    devices[place].isLost = true
  }

  private mutating func resume(_ place: Int) {
    let old = devices[place].connection
    let id = "sm-\(devices[place].resource)-\(old)"
    if random.next() % 2 == 0 {
      connections += 1
      devices[place].connection = connections
    }
    let number = devices[place].connection
    scenario.on(number) { $0.received("<resumed xmlns='urn:xmpp:sm:3' previd='\(id)' h='1'/>") }
    scenario.on(number) {
      let id = "sm-\(devices[place].resource)-\(number)"
      $0.received("<enabled xmlns='urn:xmpp:sm:3' id='\(id)' resume='true'/>")
    }
    devices[place].isLost = false
  }

  private func canAct(_ place: Int) -> Bool { devices[place].isOnline && !devices[place].isLost }

  private mutating func rename(_ contact: String, by place: Int) {
    guard canAct(place) else { return }
    let name = ["A", "B", "C"].randomElement(using: &random) ?? ""
    devices[place].sets += 1
    let id = "set\(devices[place].sets)"
    scenario.on(devices[place].connection) { $0.sets(item(contact, "name='\(name)'"), id: id) }
    items[contact, default: Item()].name = name
    push(items[contact]?.xml(contact) ?? "")
    devices[place].queue.append("<iq id='\(id)' type='result'/>")
  }

  private mutating func remove(_ contact: String, by place: Int) {
    guard canAct(place), items[contact] != nil, !requests.contains(contact) else { return }
    devices[place].sets += 1
    let id = "set\(devices[place].sets)"
    let removal = item(contact, "subscription='remove'")
    scenario.on(devices[place].connection) { $0.sets(removal, id: id) }
    items[contact] = nil
    push(removal)
    devices[place].queue.append("<iq id='\(id)' type='result'/>")
  }

  private mutating func ask(_ contact: String) {
    guard items[contact]?.subscription != "both", !requests.contains(contact) else { return }
    requests.insert(contact)
    tellAvailable("<presence from='\(contact)' type='subscribe'/>")
  }

  private mutating func answer(by place: Int) {
    guard canAct(place),
      let contact = devices[place].requests.intersection(requests).sorted().first
    else { return }
    scenario.on(devices[place].connection) { $0.sends("subscribed", to: contact) }
    requests.remove(contact)
    items[contact, default: Item()].subscription = "both"
    push(items[contact]?.xml(contact) ?? "")
    if let state = presence[contact] { tellAvailable(line(contact, state)) }
  }

  private mutating func changePresence(of contact: String) {
    presence[contact] = [nil, "away", "dnd", "xa"].randomElement(using: &random) ?? nil
    guard items[contact]?.subscription == "both" else { return }
    tellAvailable(line(contact, presence[contact]))
  }

  private func line(_ contact: String, _ show: String?) -> String {
    guard let show else { return "<presence from='\(contact)/pc' type='unavailable'/>" }
    return "<presence from='\(contact)/pc'><show>\(show)</show></presence>"
  }

  private mutating func push(_ item: String) {
    version += 1
    pushes += 1
    for place in devices.indices where devices[place].isOnline {
      devices[place].queue.append(
        "<iq id='push\(pushes)' type='set'><query xmlns='jabber:iq:roster' ver='\(versionText)'>"
          + "\(item)</query></iq>")
    }
  }

  private mutating func tellAvailable(_ stanza: String) {
    for place in devices.indices where devices[place].isOnline {
      devices[place].queue.append(stanza)
    }
  }

  /// Sends a device the next element in its queue; the device acknowledges pushes.
  private mutating func deliver(_ place: Int) {
    guard canAct(place), !devices[place].queue.isEmpty else { return }
    let stanza = devices[place].queue.removeFirst()
    scenario.on(devices[place].connection) {
      $0.received(stanza)
      guard stanza.contains("type='set'"), let id = stanza.split(separator: "'").dropFirst().first
      else { return }
      $0.sent("<iq id='\(id)' type='result'/>")
    }
    if stanza.contains("type='subscribe'"),
      let from = stanza.split(separator: "'").dropFirst().first
    {
      devices[place].requests.insert(String(from))
    }
  }
}
