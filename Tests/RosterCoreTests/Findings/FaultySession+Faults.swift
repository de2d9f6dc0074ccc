import TestSupport
import XMPPStanza

// One fault, or something that only looks like one.
extension FaultySession {
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
    case .deadServer:
      culprit = mine
      let jid = newContact()
      scenario.on(device) { $0.sends("subscribe", to: jid) }
      items[jid] = ("Asked", "none' ask='subscribe")
      push(jid)
      scenario.on(device) {
        $0.receives("error", from: jid, stanzaError("remote-server-not-found"))
      }
    case .hiddenPresence:
      culprit = mine
      logOut(device)
      pause()
      logIn(device, isShown: false)
      pause()
      rename("frank", by: device)
      pause()
      scenario.on(device) {
        $0.ended(.outbound)
        $0.ended(.inbound)
      }
      pause()
      logIn(device)
    case .staleCopy:
      culprit = mine
      let old = items["frank@example.test"]?.0
      rename("frank", by: other)
      pause()
      relogIn(device)
      rename("frank", to: old, by: device)
    case .renameWar:
      culprit = mine
      for number in 0..<8 {
        let editor = number % 2 == 0 ? device : other
        rename("frank", to: number % 2 == 0 ? "One" : "Two", by: editor)
        scenario.time = (scenario.time ?? 0) + 700
      }
    case .brokenStream:
      culprit = mine
      fail(device, "policy-violation")
      pause()
      logIn(device)
    case .conflictLoop:
      culprit = mine
      for _ in 0..<6 {
        fail(device, "conflict")
        scenario.time = (scenario.time ?? 0) + 300
        logIn(device)
        scenario.time = (scenario.time ?? 0) + 300
      }
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

  private mutating func fail(_ device: UInt32, _ condition: String) {
    scenario.on(device) {
      $0.failed(.inbound, condition)
      $0.ended(.inbound)
    }
  }

  // MARK: What only looks like a fault

  mutating func play(_ nearMiss: NearMiss) {
    pause()
    let (device, other): (UInt32, UInt32) = Bool.random(using: &random) ? (1, 2) : (2, 1)
    switch nearMiss {
    case .latePush: editFrank(by: device, pushedTo: other, after: 1_500, acknowledgedAfter: 0)
    case .lateAcknowledgement:
      editFrank(by: device, pushedTo: other, after: 0, acknowledgedAfter: 30_000)
    case .lateAnswer:
      let set = newName()
      scenario.on(device) { $0.sets(set, id: "late") }
      scenario.time = (scenario.time ?? 0) + 30_000
      push("frank@example.test")
      scenario.on(device) { $0.receivesEmptyResult(id: "late") }
    case .manyEdits:
      for _ in 0..<12 { rename("frank", by: device) }
    case .renamedBackByItself:
      let old = items["frank@example.test"]?.0
      rename("frank", by: device)
      pause()
      rename("frank", to: old, by: device)
    case .shownLate:
      logOut(device)
      pause()
      logIn(device, isShown: false)
      scenario.time = (scenario.time ?? 0) + 1_000
      scenario.on(device) { $0.sends() }
    case .orderlyEnd:
      scenario.on(device) { $0.ended(.inbound) }
      pause()
      logIn(device)
    case .crossingRequests:
      let jid = newContact()
      scenario.on(device) { $0.sends("subscribe", to: jid) }
      items[jid] = ("Asked", "none' ask='subscribe")
      push(jid)
      for device in devices() { scenario.on(device) { $0.receives("subscribe", from: jid) } }
      pause()
      scenario.on(device) { $0.sends("subscribed", to: jid) }
      items[jid] = ("Asked", "from' ask='subscribe")
      push(jid)
      for device in devices() { scenario.on(device) { $0.receives("subscribed", from: jid) } }
      items[jid] = ("Asked", "both")
      push(jid)
    case .cancelledRequest:
      let jid = newContact()
      scenario.on(device) { $0.sends("subscribe", to: jid) }
      items[jid] = ("Asked", "none' ask='subscribe")
      push(jid)
      pause()
      scenario.on(device) { $0.sends("unsubscribe", to: jid) }
      items[jid] = ("Asked", "none")
      push(jid)
    case .ownEnding:
      scenario.on(device) { $0.sends("unsubscribe", to: "erin@example.test") }
      items["erin@example.test"]?.1 = "from"
      push("erin@example.test")
    case .crossingPushes:
      let sets = [newName(), newName()]
      for (set, editor) in zip(sets, [device, other]) {
        scenario.on(editor) { $0.sets(set, id: "both") }
      }
      // The numbers of the sets whose pushes each device has yet to receive.
      var coming = [device: [0, 1], other: [1, 0]]
      while let receiver = devices().first(where: { coming[$0]?.isEmpty == false }) {
        let number = coming[receiver]?.removeFirst() ?? 0
        scenario.on(receiver) {
          $0.pushed(sets[number], id: "crossing \(number)")
          $0.sent("<iq id='crossing \(number)' type='result'/>")
        }
      }
      for editor in [device, other] { scenario.on(editor) { $0.receivesEmptyResult(id: "both") } }
    }
    pause()
    presence()
  }

  private mutating func newName() -> String {
    serial += 1
    items["frank@example.test"]?.0 = "Frank \(serial)"
    return xml("frank@example.test")
  }

  /// An edit whose push reaches the other device, or is acknowledged by it, only some time later.
  private mutating func editFrank(
    by device: UInt32, pushedTo other: UInt32, after wait: Int64, acknowledgedAfter late: Int64
  ) {
    let set = newName()
    scenario.on(device) {
      $0.sets(set, id: "edit")
      $0.pushed(set, id: "mine")
      $0.sent("<iq id='mine' type='result'/>")
      $0.receivesEmptyResult(id: "edit")
    }
    scenario.time = (scenario.time ?? 0) + wait
    scenario.on(other) { $0.pushed(set, id: "theirs") }
    scenario.time = (scenario.time ?? 0) + late
    scenario.on(other) { $0.sent("<iq id='theirs' type='result'/>") }
  }
}
