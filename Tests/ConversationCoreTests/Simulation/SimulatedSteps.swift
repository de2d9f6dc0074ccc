@testable import ConversationCore

// What people and networks do.
extension SimulatedWorld {
  /// One random step.
  mutating func step() {
    isHasty = chance(20)
    switch number(0...99) {
    case 0..<16: writeText()
    case 16..<36: receiveTexts()
    case 36..<46: peerSigns()
    case 46..<52: readByUs()
    case 52..<58: change(isOurs: true)
    case 58..<66: change(isOurs: false)
    case 66..<78: changeLink()
    case 78..<84: query()
    case 84..<89: forge()
    case 89..<93: enterOrLeaveRoom()
    case 93..<97:
      let device = number(0...1)
      if chance(50) { acknowledge(device) } else { confirm(device) }
    default: now += Int64(number(10...600)) * 1000
    }
  }

  /// The devices on which we can write now.
  private var writers: [Int] {
    devices.indices.filter { devices[$0].link == .online || devices[$0].link == .broken }
  }

  /// The conversations in which a device can write now.
  private func peers(of device: Int) -> [Peer] {
    guard device == 0 ? devices[0].isInRoom : device == 2 else { return [.bob, .carol] }
    return device == 0 ? [.bob, .carol, .room, .whisper] : [.bob, .carol, .room]
  }

  private mutating func writeText() {
    guard let device = pick(writers), let peer = pick(peers(of: device)) else { return }
    tick()
    let number = make(.text, from: .us(device), in: peer)
    if peer == .carol, stanzas[number].id != nil, chance(15) { stanzas[number].bounces = true }
    write(number, on: device)
  }

  /// One text of another, or several within a second.
  private mutating func receiveTexts() {
    let others: [Peer] = [.bob, .bob, .carol, .room]
    guard let peer = pick(devices[0].isInRoom ? others + [.whisper] : others) else { return }
    tick()
    if chance(15) { return receiveTwins(in: peer) }
    for index in 0..<(chance(25) ? number(2...3) : 1) {
      if index > 0 { hurry() }
      let text = make(.text, from: author(in: peer), in: peer)
      send(text)
    }
    // A client that reconnects sends its last text again, which the archive then has twice.
    guard let last = stanzas.indices.last, stanzas[last].originID != nil, peer == .bob,
      habits.addsStanzaIDs, chance(10)
    else { return }
    tick()
    send(last)
  }

  private mutating func author(in peer: Peer) -> Sender {
    peer == .room ? .occupant(chance(50) ? "bob" : "carol") : .peer
  }

  /// Two equal texts of one second, without ids.
  private mutating func receiveTwins(in peer: Peer) {
    isHasty = false
    tick()
    let sender = author(in: peer)
    let first = make(.text, from: sender, in: peer)
    let second = make(.text, from: sender, in: peer)
    makeTwin(second, of: first)
    let target = chance(30) ? number(0...2) : nil
    for text in [first, second] {
      stanzas[text].written = now
      send(text, for: target)
      // The last tick left a tenth of its second.
      now += Int64(number(1...30))
    }
  }

  /// Another person's stanza is on its way to us.
  private mutating func send(_ number: Int) {
    send(number, for: chance(30) ? self.number(0...2) : nil)
  }

  /// Another person's stanza is on its way to one of our devices, or to all.
  private mutating func send(_ number: Int, for target: Int?) {
    switch stanzas[number].peer {
    case .whisper: arrive(number, for: 0)
    case .room: arrive(number)
    case .bob, .carol, .stranger: arrive(number, for: target)
    }
  }

  // MARK: Signs

  /// A receipt or a marker of the other party for what it received.
  private mutating func peerSigns() {
    let others: [Peer] = devices[0].isInRoom ? [.bob, .carol, .whisper] : [.bob, .carol]
    guard let peer = pick(others) else { return }
    let received = numbers {
      $0.peer == peer && $0.sender.isUs && $0.meaning.hasContent && $0.processed != nil
        && !$0.bounces && $0.canBeNamed
    }
    guard let named = pick(received.suffix(4)) else { return }
    tick()
    let meaning: SimulatedStanza.Meaning =
      switch number(0...3) {
      case 0, 1: .receipt(of: named)
      case 2: .received(named)
      default: .displayed(named)
      }
    send(make(meaning, from: .peer, in: peer))
  }

  /// A device of ours displays a conversation, or sends a receipt.
  private mutating func readByUs() {
    guard let device = pick(writers), let peer = pick(peers(of: device)) else { return }
    let incoming = numbers {
      $0.peer == peer && !$0.sender.isUs && $0.isVersion && $0.processed != nil && !$0.isTwin
        && (peer == .room ? !$0.archiveIDs.isEmpty : $0.canBeNamed)
    }
    // What it displays, it has; and what arrives within a second is displayed together.
    let known = incoming.filter { number in
      let isLastOfSecond = !incoming.contains {
        $0 > number && instant(of: $0) / 1000 == instant(of: number) / 1000
      }
      return isLastOfSecond && (device == 2 || sightings[number] != nil)
    }
    guard let named = pick(known.suffix(3)) else { return }
    tick()
    if peer != .room, chance(30) {
      write(make(.receipt(of: named), from: .us(device), in: peer), on: device)
    } else if peer != .room, peer != .whisper, chance(30) {
      publishRead(upTo: named)
    } else {
      write(make(.displayed(named), from: .us(device), in: peer), on: device)
    }
  }

  /// Our other device publishes what it has read (XEP-0490).
  private mutating func publishRead(upTo named: Int) {
    guard let id = stanzas[named].archiveIDs.first else { return }
    let sign = make(.published(named), from: .us(2), in: stanzas[named].peer)
    stanzas[sign].processed = now
    for device in devices.indices where devices[device].link == .online {
      guard devices[device].isRecorded else { continue }
      receive(
        message(
          from: Dialogue.account, type: "headline", "",
          "<event xmlns='http://jabber.org/protocol/pubsub#event'>"
            + "<items node='urn:xmpp:mds:displayed:0'><item id='\(stanzas[named].peer.address)'>"
            + "<displayed xmlns='urn:xmpp:mds:displayed:0'>\(stanzaID(id))</displayed>"
            + "</item></items></event>"), on: device)
      sightings[sign, default: Sighting()].isAcknowledged = true
    }
  }

  // MARK: Changes

  /// A correction, a retraction or reactions, by us or by others.
  private mutating func change(isOurs: Bool) {
    guard let device = isOurs ? pick(writers) : 0 else { return }
    let allowed = isOurs ? Set(peers(of: device)) : Set(Peer.allCases)
    let texts = numbers {
      $0.isText && allowed.contains($0.peer) && $0.peer != .stranger && $0.processed != nil
        && !$0.bounces && $0.canBeNamed && (devices[0].isInRoom || $0.peer != .whisper)
    }
    guard let target = pick(texts.suffix(8)) else { return }
    // Nothing orders two changes of one message within a second.
    isHasty = false
    let stanza = stanzas[target]
    let isAuthor = stanza.sender.isUs == isOurs
    let sender: Sender =
      isOurs
      ? .us(device)
      : stanza.peer == .room
        ? isAuthor ? stanza.sender : .occupant(chance(50) ? "bob" : "carol") : .peer
    tick()
    let change: Int
    if chance(40) {
      let emojis = pick([["👍"], ["👍", "❤"], ["😀"], []]) ?? []
      change = make(.reactions(to: target, emojis), from: sender, in: stanza.peer)
    } else if isAuthor, !isRetracted(target) {
      if chance(35) {
        change = make(.retraction(of: target), from: sender, in: stanza.peer)
      } else {
        // Without occupant ids, no one knows who corrects what the log shows only later.
        guard isOurs || stanza.peer != .room || habits.roomHasOccupantIDs else { return }
        let earlier = numbers { $0.corrected == target && $0.processed != nil }
        // Some clients name the first version, others the last one.
        let named = chance(70) ? target : earlier.last ?? target
        change = make(.correction(of: target, naming: named), from: sender, in: stanza.peer)
      }
    } else {
      return
    }
    if isOurs { write(change, on: device) } else { send(change) }
  }

  func isRetracted(_ number: Int) -> Bool {
    stanzas.contains { $0.retracted == number }
  }

  // MARK: Connections

  private mutating func changeLink() {
    let device = number(0...2)
    switch devices[device].link {
    case .offline: bind(device)
    case .hibernating: if chance(70) { resume(device) } else { rebind(device) }
    case .broken: close(device, inOrder: false)
    case .online:
      guard devices[device].isRecorded else { return devices[device].link = .offline }
      switch number(0...3) {
      case 0: close(device, inOrder: true)
      default: devices[device].link = .broken
      }
    }
  }
}

extension SimulatedStanza {
  var isText: Bool { if case .text = meaning { true } else { false } }
  /// Whether it is a text or a correction of one.
  var isVersion: Bool { isText || corrected != nil }
  /// The text that a correction really changes.
  var corrected: Int? { if case .correction(let number, _) = meaning { number } else { nil } }
  var retracted: Int? {
    switch meaning {
    case .retraction(let number), .moderation(let number): number
    case .text, .correction, .foreignCorrection, .reactions, .receipt, .received, .displayed,
      .published, .foreignRetraction:
      nil
    }
  }
}
