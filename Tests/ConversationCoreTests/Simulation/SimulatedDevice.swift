@testable import ConversationCore

/// A device of ours and its connection, as far as the server knows it.
struct SimulatedDevice {
  enum Link {
    case offline, online
    /// The network is gone, and neither side has noticed.
    case broken
    /// The connection is lost, and the server waits for a resumption (XEP-0198).
    case hibernating
  }

  /// A stanza that the server sends to the device.
  struct Delivery {
    enum Form {
      case plain, sentCarbon, receivedCarbon
      /// An error that answers a stanza of the device.
      case error
    }
    var stanza: Int
    var form: Form
    var time: Int64
    /// The archive id that the server added; nil if it adds none.
    var archiveID: String?
    /// The number of stanzas that the device had received with this one; nil if it has not.
    var count: Int?
  }

  let name: String
  let isRecorded: Bool
  let hasCarbons: Bool
  var link = Link.offline
  var connection: UInt32 = 0
  /// The id of the resumable session; nil without stream management.
  var session: String?
  /// The stanzas that the device has written in this session: 0, or a number and one more.
  var counted: [Int] = []
  /// How many of them the server has handled.
  var handled = 0
  /// What is left of the last resumption: the device has not written it again so far.
  var waiting: [Int] = []
  /// How many stanzas the device has received in this session, and how many it has told the server.
  var heard = 0
  var confirmed = 0
  /// What the server has sent and the device has not acknowledged.
  var queue: [Delivery] = []
  /// What the device has written since it last received something.
  var unheard: [Int] = []
  var isInRoom = false

  init(name: String, isRecorded: Bool, hasCarbons: Bool) {
    (self.name, self.isRecorded, self.hasCarbons) = (name, isRecorded, hasCarbons)
  }
}

extension SimulatedWorld {
  // MARK: The log

  private mutating func note(_ content: SimulatedLog.Line.Content, on device: Int) {
    guard devices[device].isRecorded else { return }
    log.append(content, on: devices[device].connection, at: now)
  }

  mutating func receive(_ xml: String, on device: Int) {
    note(.received(xml), on: device)
    devices[device].unheard = []
    let isStanza = ["<message", "<presence", "<iq"].contains { xml.hasPrefix($0) }
    if isStanza, devices[device].session != nil { devices[device].heard += 1 }
  }

  mutating func send(_ xml: String, on device: Int) {
    note(.sent(xml), on: device)
    guard devices[device].session != nil else { return }
    devices[device].counted.append(0)
    if devices[device].link == .online { devices[device].handled += 1 }
  }

  // MARK: Delivering

  /// The server sends something to a device.
  mutating func deliver(_ delivery: SimulatedDevice.Delivery, to device: Int) {
    switch devices[device].link {
    case .offline: return
    case .online:
      show(delivery, on: device)
      keep(delivery, for: device)
    case .broken, .hibernating:
      if devices[device].session != nil { devices[device].queue.append(delivery) }
    }
  }

  /// The server keeps what a device has received until the device confirms it.
  private mutating func keep(_ delivery: SimulatedDevice.Delivery, for device: Int) {
    guard devices[device].session != nil else { return }
    var delivery = delivery
    delivery.count = devices[device].heard
    devices[device].queue.append(delivery)
  }

  /// A device receives something; `delay` is who delayed it.
  mutating func show(
    _ delivery: SimulatedDevice.Delivery, on device: Int, delayedBy delay: String? = nil
  ) {
    let number = delivery.stanza
    let own = "\(Dialogue.account)/\(devices[device].name)"
    let time = stamp(delay == nil ? delivery.time : jitter(delivery.time))
    let delayed = delay.map { ConversationCoreTests.delay(time, from: $0) } ?? ""
    let added = element(ofArchiveID: delivery.archiveID, in: stanzas[number].peer)
    let inner = xml(number, to: addressee(of: number), added)
    switch delivery.form {
    case .plain:
      receive(xml(number, to: own, added + delayed), on: device)
    case .sentCarbon, .receivedCarbon:
      let name = delivery.form == .sentCarbon ? "sent" : "received"
      receive(
        message(
          from: Dialogue.account, to: own, type: "chat", "",
          "<\(name) xmlns='urn:xmpp:carbons:2'>\(forwarded(inner))</\(name)>" + delayed),
        on: device)
    case .error:
      receive(
        message(
          from: stanzas[number].peer.address, to: own, type: "error", id: stanzas[number].id, "",
          "<error type='cancel'><service-unavailable "
            + "xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error>"), on: device)
      if devices[device].isRecorded { sightings[number, default: Sighting()].isFailed = true }
      return
    }
    guard devices[device].isRecorded else { return }
    let isRoom = stanzas[number].peer == .room
    note(
      number,
      delivery.form != .plain ? .carbon : isRoom && delay == Peer.roomAddress ? .history : .live)
    if let id = delivery.archiveID { noteArchiveID(id, of: number) }
  }

  /// What the server delivers now of a stanza that it has just processed.
  func delivery(
    of number: Int, as form: SimulatedDevice.Delivery.Form = .plain
  ) -> SimulatedDevice.Delivery {
    .init(stanza: number, form: form, time: now, archiveID: newestAddedID(of: number))
  }

  func addressee(of number: Int) -> String {
    stanzas[number].sender.isUs ? stanzas[number].peer.address : Dialogue.account
  }

  /// A recorded device sees a stanza that the server shows to it.
  mutating func note(_ number: Int, _ route: Route) {
    var sighting = sightings[number] ?? Sighting()
    sighting.routes.insert(route)
    sighting.isAcknowledged = true
    sightings[number] = sighting
  }

  mutating func noteArchiveID(_ id: String, of number: Int) {
    sightings[number, default: Sighting()].archiveIDs.insert(id)
    if sightings[number]?.archiveIDs.count == 2 { wanted.insert(.deliveredTwice) }
  }

  // MARK: Writing

  /// A device writes a stanza, which is lost if the network is gone.
  mutating func write(_ number: Int, on device: Int) {
    let peer = stanzas[number].peer
    let content = stanzas[number].content(naming: stanzas)
    if devices[device].isRecorded {
      log.append(
        .sent(
          message(
            to: peer.address, type: peer == .room ? "groupchat" : "chat", id: stanzas[number].id,
            "", content)), on: devices[device].connection, at: now)
      if sightings[number]?.isWritten == true { sightings[number]?.isResent = true }
      sightings[number, default: Sighting()].isWritten = true
      sightings[number]?.isUnconfirmed = false
      sightings[number]?.routes.insert(.live)
      devices[device].unheard.append(number)
      (stanzas[number].lastWritten, stanzas[number].writtenLine) = (now, log.lines.count)
    }
    if devices[device].session != nil { devices[device].counted.append(number + 1) }
    guard devices[device].link == .online else { return }
    if devices[device].session != nil { devices[device].handled += 1 }
    process(number)
    if peer == .room { return reflect(number, by: device) }
    for other in devices.indices where other != device && devices[other].hasCarbons {
      guard peer != .whisper else { break }
      deliver(delivery(of: number, as: .sentCarbon), to: other)
    }
    if stanzas[number].bounces {
      deliver(delivery(of: number, as: .error), to: device)
    }
  }

  /// Another person's stanza arrives at our server, for all devices or for one.
  mutating func arrive(_ number: Int, for target: Int? = nil) {
    process(number)
    if stanzas[number].peer == .room { return reflect(number, by: nil) }
    let reachable = devices.indices.filter { devices[$0].link != .offline }
    guard !reachable.isEmpty else {
      if isStored(number) { offline.append(delivery(of: number)) }
      return
    }
    let chosen = target.flatMap { reachable.contains($0) ? $0 : nil }
    let first = chosen ?? reachable[0]
    for device in reachable {
      let isPlain = chosen == nil && habits.deliversToAllDevices || device == first
      if !isPlain && (stanzas[number].peer == .whisper || !devices[device].hasCarbons) { continue }
      deliver(delivery(of: number, as: isPlain ? .plain : .receivedCarbon), to: device)
    }
  }

  // MARK: Stream management

  /// The server says how many stanzas it has handled.
  mutating func acknowledge(_ device: Int) {
    guard devices[device].link == .online, devices[device].session != nil else { return }
    receive("<a xmlns='urn:xmpp:sm:3' h='\(devices[device].handled)'/>", on: device)
    noteHandled(device)
  }

  private mutating func noteHandled(_ device: Int) {
    for count in devices[device].counted.prefix(devices[device].handled) where count > 0 {
      if sightings[count - 1]?.isWritten == true { sightings[count - 1]?.isAcknowledged = true }
    }
  }

  /// The device says how many stanzas it has received.
  mutating func confirm(_ device: Int) {
    guard devices[device].link == .online, devices[device].session != nil else { return }
    devices[device].confirmed = devices[device].heard
    note(.sent("<a xmlns='urn:xmpp:sm:3' h='\(devices[device].heard)'/>"), on: device)
    devices[device].queue = []
  }

  // MARK: Sessions

  /// A device binds a new session.
  mutating func bind(_ device: Int) {
    tick()
    openStream(device)
    startSession(device)
  }

  private mutating func openStream(_ device: Int) {
    devices[device].connection = newConnection()
    devices[device].unheard = []
    note(.header, on: device)
  }

  private mutating func startSession(_ device: Int) {
    devices[device].link = .online
    devices[device].session = nil
    devices[device].waiting = []
    devices[device].isInRoom = false
    note(.bound("\(Dialogue.account)/\(devices[device].name)"), on: device)
    if devices[device].isRecorded, chance(60) {
      let session = "s\(devices[device].connection)"
      note(.sent("<enable xmlns='urn:xmpp:sm:3' resume='true'/>"), on: device)
      receive("<enabled xmlns='urn:xmpp:sm:3' id='\(session)' resume='true'/>", on: device)
      devices[device].session = session
      devices[device].counted = []
      devices[device].handled = 0
      (devices[device].heard, devices[device].confirmed) = (0, 0)
    }
    send("<presence xmlns='jabber:client'/>", on: device)
    let waiting = offline
    offline = []
    for delivery in waiting {
      show(delivery, on: device, delayedBy: "example.test")
      keep(delivery, for: device)
    }
  }

  /// The connection of a device is lost, or ends in order.
  mutating func close(_ device: Int, inOrder: Bool) {
    tick()
    if inOrder {
      note(.ended, on: device)
    } else {
      for number in devices[device].unheard where sightings[number]?.isAcknowledged != true {
        sightings[number]?.isUnconfirmed = true
      }
    }
    note(.closed, on: device)
    devices[device].unheard = []
    if devices[device].session != nil, !inOrder {
      devices[device].link = .hibernating
    } else {
      devices[device].link = .offline
      devices[device].isInRoom = false
      devices[device].queue = []
    }
  }

  /// A device continues its session: both sides send again what the other has not handled.
  mutating func resume(_ device: Int) {
    guard let session = devices[device].session else { return }
    tick()
    openStream(device)
    // A client that was restarted knows only what it has confirmed.
    let heard = chance(50) ? devices[device].confirmed : devices[device].heard
    note(.sent("<resume xmlns='urn:xmpp:sm:3' previd='\(session)' h='\(heard)'/>"), on: device)
    (devices[device].heard, devices[device].confirmed) = (heard, heard)
    devices[device].queue.removeAll { $0.count.map { $0 <= heard } ?? false }
    let handled = devices[device].handled
    receive("<resumed xmlns='urn:xmpp:sm:3' previd='\(session)' h='\(handled)'/>", on: device)
    devices[device].link = .online
    for count in devices[device].counted where count > 0 {
      sightings[count - 1]?.isUnconfirmed = false
    }
    noteHandled(device)
    let again = devices[device].counted.dropFirst(handled) + devices[device].waiting
    devices[device].counted = Array(devices[device].counted.prefix(handled))
    sendAgain(Array(again), on: device)
  }

  /// Both sides send again what the other has not handled, unless the connection is lost before.
  private mutating func sendAgain(_ again: [Int], on device: Int) {
    let count = devices[device].queue.count
    let isLost = chance(25)
    let limit = isLost ? number(0...(count + again.count)) : count + again.count
    for index in 0..<min(limit, count) {
      let delivery = devices[device].queue[index]
      // Some servers stamp only what they could not deliver at once.
      let isStamped = habits.stampsRedeliveries || delivery.count == nil
      show(delivery, on: device, delayedBy: isStamped ? Dialogue.account : nil)
      devices[device].queue[index].count = devices[device].heard
    }
    let written = again.prefix(max(0, limit - count))
    devices[device].waiting = Array(again.dropFirst(written.count))
    // What the device writes then may be lost once more.
    if isLost, chance(50) { devices[device].link = .broken }
    for count in written where count > 0 {
      tick()
      write(count - 1, on: device)
    }
    if isLost { close(device, inOrder: false) }
  }

  /// The server has given up the session of a device, which binds a new one.
  mutating func rebind(_ device: Int) {
    tick()
    let old = devices[device]
    devices[device].link = .offline
    devices[device].isInRoom = false
    devices[device].queue = []
    if devices.allSatisfy({ $0.link == .offline }) {
      offline += old.queue.filter { delivery in
        delivery.form == .plain && stanzas[delivery.stanza].peer != .room
          && isStored(delivery.stanza)
      }
    }
    openStream(device)
    if let session = old.session, chance(60) {
      note(
        .sent("<resume xmlns='urn:xmpp:sm:3' previd='\(session)' h='\(old.heard)'/>"), on: device)
      let says = chance(50)
      receive(
        "<failed xmlns='urn:xmpp:sm:3'" + (says ? " h='\(old.handled)'" : "")
          + "><item-not-found xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></failed>", on: device)
      if says { noteHandled(device) }
    }
    startSession(device)
    // Some clients send again what may be lost.
    guard chance(40) else { return }
    for count in old.counted.dropFirst(old.handled) + old.waiting where count > 0 {
      let stanza = stanzas[count - 1]
      guard stanza.processed == nil, stanza.id != nil, stanza.peer != .room,
        stanza.peer != .whisper
      else { continue }
      tick()
      write(count - 1, on: device)
    }
  }
}
