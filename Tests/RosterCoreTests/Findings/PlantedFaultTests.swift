import RosterCore
import TestSupport
import Testing
import XMPPStanza

/// A fault that a server, a device or a contact makes once in a session that is otherwise in order.
enum PlantedFault: CaseIterable {
  case droppedPush, missingAcknowledgement, ignoredSet, refusedSet, forgedPush, forgedRoster
  case answeredAnswer, repeatedPushes, lostAcceptance, wrongRefusal, requestForRequest, denial
  case leavingFriend

  /// The code of the only finding that it causes.
  var code: Finding.Code {
    switch self {
    case .droppedPush: .missedPush
    case .missingAcknowledgement: .unacknowledgedPush
    case .ignoredSet: .unansweredEdit
    case .refusedSet: .refusedEdit
    case .forgedPush: .foreignPush
    case .forgedRoster: .foreignRoster
    case .answeredAnswer: .answerToNothing
    case .repeatedPushes: .idlePushes
    case .lostAcceptance: .unshownAcceptance
    case .wrongRefusal: .wrongRefusal
    case .requestForRequest: .requestForRequest
    case .denial: .deniedRequest
    case .leavingFriend: .friendLeft
    }
  }
}

/// Two devices of Alice, and a server that pushes to both in any order.
struct FaultySession {
  private(set) var scenario = Scenario()
  /// The device that the fault is about, if it is about one.
  private(set) var culprit: String?
  private var random: SeededGenerator
  private var items = [
    "bob@example.test": ("Bob", "both"), "carol@example.test": ("Carol", "none"),
    "erin@example.test": ("Erin", "both"), "frank@example.test": ("Frank", "none"),
  ]
  private var serial = 0
  private var presences = 0

  private static let resources: [UInt32: String] = [1: "phone", 2: "laptop"]

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

  private mutating func pause() {
    scenario.time = (scenario.time ?? 0) + Int64.random(in: 2_500...20_000, using: &random)
  }

  private mutating func logIn(_ device: UInt32) {
    let list = items.keys.sorted().map(xml).joined()
    let resource = Self.resources[device] ?? ""
    scenario.on(device) {
      $0.opened("alice@example.test/\(resource)")
      $0.fetches(list, id: "fetch")
      $0.sends()
    }
  }

  private mutating func logOut(_ device: UInt32) {
    scenario.on(device) {
      $0.sends("unavailable")
      $0.ended(.outbound)
      $0.ended(.inbound)
    }
  }

  private mutating func relogIn(_ device: UInt32) {
    logOut(device)
    pause()
    logIn(device)
  }

  /// Bob comes or goes for a while. Every second presence says nothing new, which is ordinary; ten
  /// of them would be a fault.
  private mutating func presence() {
    let content = presences / 2 % 2 == 0 ? "" : "<show>away</show>"
    presences += 1
    for device in devices() {
      scenario.on(device) { $0.receives(from: "bob@example.test/pc", content) }
    }
  }

  private mutating func rename(
    _ name: String, by device: UInt32, _ fault: PlantedFault? = nil, of victim: UInt32? = nil
  ) {
    serial += 1
    let (jid, id, isPushedFirst) = (
      "\(name)@example.test", "s\(serial)", Bool.random(using: &random)
    )
    items[jid]?.0 = "\(name) \(serial)"
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

  private mutating func push(_ jid: String, _ fault: PlantedFault? = nil, to victim: UInt32? = nil)
  {
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
  private mutating func accept(by device: UInt32, _ fault: PlantedFault? = nil) {
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
  private mutating func befriend(by device: UInt32, _ fault: PlantedFault? = nil) {
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

  private mutating func newContact() -> String {
    serial += 1
    return "new\(serial)@example.test"
  }

  private mutating func devices() -> [UInt32] { [1, 2].shuffled(using: &random) }

  private func xml(_ jid: String) -> String {
    let (name, subscription) = items[jid] ?? ("", "none")
    return item(jid, "name='\(name)' subscription='\(subscription)'")
  }

  // MARK: Faults

  mutating func plant(_ fault: PlantedFault) {
    pause()
    let (device, other): (UInt32, UInt32) = Bool.random(using: &random) ? (1, 2) : (2, 1)
    let (mine, others) = (Self.resources[device], Self.resources[other])
    switch fault {
    case .droppedPush, .missingAcknowledgement:
      culprit = others
      rename("frank", by: device, fault, of: other)
    case .ignoredSet, .refusedSet:
      culprit = mine
      let before = items
      rename("frank", by: device, fault)
      items = before
    case .forgedPush:
      culprit = mine
      scenario.on(device) { $0.pushed(item("eve@evil.test"), id: "x", from: "eve@evil.test") }
    case .forgedRoster:
      culprit = mine
      scenario.on(device) { $0.receivesResult(item("eve@evil.test"), from: "eve@evil.test/x") }
    case .answeredAnswer:
      culprit = mine
      relogIn(device)
      scenario.on(device) { $0.sent("<iq id='fetch' type='result'/>") }
    case .repeatedPushes:
      culprit = mine
      let same = xml("frank@example.test")
      scenario.on(device) { scenario in
        for number in 0..<12 {
          scenario.pushed(same, id: "r\(number)")
          scenario.sent("<iq id='r\(number)' type='result'/>")
        }
      }
    case .lostAcceptance, .wrongRefusal:
      culprit = mine
      accept(by: device, fault)
      // The session continues for a while.
      presence()
      pause()
      presence()
    case .requestForRequest, .denial: befriend(by: device, fault)
    case .leavingFriend:
      items["erin@example.test"]?.1 = "from"
      for device in devices() {
        scenario.on(device) { $0.receives("unsubscribed", from: "erin@example.test") }
      }
      push("erin@example.test")
    }
    pause()
    presence()
  }
}

@Suite("A session in order with one planted fault")
struct PlantedFaultTests {
  @Test("The fault is found, on its device, and nothing else", arguments: PlantedFault.allCases)
  func found(_ fault: PlantedFault) {
    for seed in UInt64(0)..<60 {
      var session = FaultySession(seed: seed)
      for _ in 0..<Int(seed % 12) { session.step() }
      session.plant(fault)
      for _ in 0..<12 { session.step() }
      session.end()
      let findings = session.scenario.findings
      #expect(findings.map(\.code) == [fault.code], "seed \(seed)")
      guard let culprit = session.culprit, let finding = findings.first else { continue }
      #expect(finding.device == culprit, "seed \(seed)")
    }
  }

  @Test("In a session without a fault, nothing is found")
  func nothing() {
    for seed in UInt64(0)..<200 {
      var session = FaultySession(seed: seed)
      for _ in 0..<20 { session.step() }
      session.end()
      #expect(session.scenario.allCodes.isEmpty, "seed \(seed)")
    }
  }
}
