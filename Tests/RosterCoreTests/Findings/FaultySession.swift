import RosterCore
import TestSupport
import XMPPStanza

/// Two devices of Alice, and a server that pushes to both in any order.
struct FaultySession {
  var scenario = Scenario()
  /// The device that the fault is about, if it is about one.
  var culprit: String?
  var random: SeededGenerator
  var items = [
    "bob@example.test": ("Bob", "both"), "carol@example.test": ("Carol", "none"),
    "erin@example.test": ("Erin", "both"), "frank@example.test": ("Frank", "none"),
  ]
  var serial = 0
  var presences = 0

  static let resources: [UInt32: String] = [1: "phone", 2: "laptop"]

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
    scenario.time = 0
    for device in [1, 2] as [UInt32] { logIn(device) }
  }

  // MARK: A session in order

  mutating func step() {
    pause()
    let device: UInt32 = Bool.random(using: &random) ? 1 : 2
    switch Int.random(in: 0..<8, using: &random) {
    case 0: relogIn(device)
    case 1: accept(by: device)
    case 2: befriend(by: device)
    case 3, 4: presence()
    default: rename(["bob", "carol"].randomElement(using: &random) ?? "bob", by: device)
    }
  }

  mutating func end() {
    presence()
    pause()
    for device in [1, 2] as [UInt32] { logOut(device) }
    scenario.ends()
  }

  mutating func pause() {
    scenario.time = (scenario.time ?? 0) + Int64.random(in: 2_500...20_000, using: &random)
  }

  mutating func logIn(_ device: UInt32, isShown: Bool = true) {
    let list = items.keys.sorted().map(xml).joined()
    let resource = Self.resources[device] ?? ""
    scenario.on(device) {
      $0.opened("alice@example.test/\(resource)")
      $0.fetches(list, id: "fetch")
      if isShown { $0.sends() }
    }
  }

  mutating func logOut(_ device: UInt32) {
    scenario.on(device) {
      $0.sends("unavailable")
      $0.ended(.outbound)
      $0.ended(.inbound)
    }
  }

  mutating func relogIn(_ device: UInt32) {
    logOut(device)
    pause()
    logIn(device)
  }

  /// Bob comes or goes for a while. Every second presence says nothing new, which is ordinary; ten
  /// of them would be a fault.
  mutating func presence() {
    let content = presences / 2 % 2 == 0 ? "" : "<show>away</show>"
    presences += 1
    for device in devices() {
      scenario.on(device) { $0.receives(from: "bob@example.test/pc", content) }
    }
  }

  mutating func rename(
    _ name: String, to new: String? = nil, by device: UInt32, _ fault: PlantedFault? = nil,
    of victim: UInt32? = nil
  ) {
    serial += 1
    let (jid, id, isPushedFirst) = (
      "\(name)@example.test", "s\(serial)", Bool.random(using: &random)
    )
    items[jid]?.0 = new ?? "\(name) \(serial)"
    let set = xml(jid)
    scenario.on(device) { $0.sets(set, id: id) }
    if fault == .ignoredSet { return }
    guard fault != .refusedSet else {
      scenario.on(device) {
        $0.received("<iq id='\(id)' type='error'>\(stanzaError("not-allowed"))</iq>")
      }
      return
    }
    if !isPushedFirst { scenario.on(device) { $0.receivesEmptyResult(id: id) } }
    push(jid, fault, to: victim)
    if isPushedFirst { scenario.on(device) { $0.receivesEmptyResult(id: id) } }
  }

  mutating func push(_ jid: String, _ fault: PlantedFault? = nil, to victim: UInt32? = nil) {
    serial += 1
    let (id, pushed) = ("p\(serial)", xml(jid))
    for device in devices() {
      if fault == .droppedPush, device == victim { continue }
      scenario.on(device) {
        $0.pushed(pushed, id: id)
        guard fault != .missingAcknowledgement || device != victim else { return }
        $0.sent("<iq id='\(id)' type='result'/>")
      }
    }
  }

  /// A new contact asks, and a device accepts.
  mutating func accept(by device: UInt32, _ fault: PlantedFault? = nil) {
    let jid = newContact()
    for device in devices() { scenario.on(device) { $0.receives("subscribe", from: jid) } }
    pause()
    let answer = fault == .wrongRefusal ? "unsubscribe" : "subscribed"
    scenario.on(device) { $0.sends(answer, to: jid) }
    guard fault == nil else { return }
    items[jid] = ("New", "from")
    push(jid)
  }

  /// A device asks a new contact, which accepts.
  mutating func befriend(by device: UInt32, _ fault: PlantedFault? = nil) {
    let jid = newContact()
    scenario.on(device) { $0.sends("subscribe", to: jid) }
    items[jid] = ("Asked", "none' ask='subscribe")
    push(jid)
    pause()
    let answer = fault == .denial ? "unsubscribed" : fault == nil ? "subscribed" : "subscribe"
    // Once the push has ended our request, the contact's stanza denies nothing any more.
    let isPushedFirst = fault != .denial && Bool.random(using: &random)
    items[jid] = ("Asked", fault == .denial ? "none" : "to")
    let isShown = fault != .requestForRequest
    if !isShown { items[jid] = ("Asked", "none' ask='subscribe") }
    if isPushedFirst, isShown { push(jid) }
    for device in devices() { scenario.on(device) { $0.receives(answer, from: jid) } }
    if !isPushedFirst, isShown { push(jid) }
  }

  mutating func newContact() -> String {
    serial += 1
    return "new\(serial)@example.test"
  }

  mutating func devices() -> [UInt32] { [1, 2].shuffled(using: &random) }

  func xml(_ jid: String) -> String {
    let (name, subscription) = items[jid] ?? ("", "none")
    return item(jid, "name='\(name)' subscription='\(subscription)'")
  }
}
