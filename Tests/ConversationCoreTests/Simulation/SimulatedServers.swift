@testable import ConversationCore

// Archives, the room, and those who lie.
extension SimulatedWorld {
  /// When a stanza happened: for ours when it was written.
  func instant(of number: Int) -> Int64 { stanzas[number].processed ?? stanzas[number].written }

  // MARK: Archives

  /// A recorded device asks an archive for a chain of pages.
  mutating func query() {
    let askers = devices.indices.filter {
      devices[$0].isRecorded && devices[$0].link == .online
    }
    guard let device = pick(askers) else { return }
    tick()
    let isRoom = device == 0 && devices[0].isInRoom && chance(40)
    let peer: Peer? = isRoom || chance(70) ? nil : pick([.bob, .carol])
    let entries = (isRoom ? roomArchive : archive).filter { entry in
      peer.map { stanzas[entry.stanza].peer == $0 } ?? true
    }
    let size = number(1...6)
    let pages = chance(50) ? Int.max : number(1...3)
    if chance(50) {
      readForward(entries, by: device, size, pages, isRoom: isRoom, peer: peer)
    } else {
      readBackward(entries, by: device, size, pages, isRoom: isRoom, peer: peer)
    }
  }

  private mutating func readForward(
    _ entries: [Archived], by device: Int, _ size: Int, _ pages: Int, isRoom: Bool, peer: Peer?
  ) {
    // From the beginning, or after what the log has.
    let known = entries.indices.filter {
      sightings[entries[$0].stanza]?.archiveIDs.contains(entries[$0].id) == true
    }
    var first = 0
    var start = Int64.min
    if chance(50), let last = pick(known) {
      first = last + 1
      start = entries[last].time
    }
    var page = 0
    repeat {
      let shown = entries[first..<min(first + size, entries.count)]
      let isLast = shown.endIndex == entries.count
      let set = first == 0 ? "" : "<after>\(entries[first - 1].id)</after>"
      guard ask(shown, set, isLast, by: device, isRoom: isRoom, peer: peer) else { return }
      if let end = isLast ? now : shown.last?.time {
        spans.append(
          CoveredSpan(
            peer: peer, isRoom: isRoom, start: start, end: end, answered: log.lines.count))
      }
      first = shown.endIndex
      page += 1
    } while first < entries.count && page < pages
  }

  private mutating func readBackward(
    _ entries: [Archived], by device: Int, _ size: Int, _ pages: Int, isRoom: Bool, peer: Peer?
  ) {
    var end = entries.count
    let latest = now
    var page = 0
    repeat {
      let shown = entries[max(0, end - size)..<end]
      let isLast = shown.startIndex == 0
      let set = end == entries.count ? "<before/>" : "<before>\(entries[end].id)</before>"
      guard ask(shown, set, isLast, by: device, isRoom: isRoom, peer: peer) else { return }
      if let start = isLast ? Int64.min : shown.first?.time {
        spans.append(
          CoveredSpan(
            peer: peer, isRoom: isRoom, start: start, end: latest, answered: log.lines.count))
      }
      end = shown.startIndex
      page += 1
    } while end > 0 && page < pages
  }

  /// Asks for one page.
  ///
  /// - Returns: False if the connection broke before the answer.
  private mutating func ask(
    _ shown: ArraySlice<Archived>, _ set: String, _ isLast: Bool, by device: Int, isRoom: Bool,
    peer: Peer?
  ) -> Bool {
    let id = newQuery()
    let to = isRoom ? " to='\(Peer.roomAddress)'" : ""
    let form =
      peer.map {
        "<x xmlns='jabber:x:data' type='submit'><field var='with'><value>\($0.address)</value>"
          + "</field></x>"
      } ?? ""
    send(
      "<iq xmlns='jabber:client' type='set' id='\(id)'\(to)>"
        + "<query xmlns='\(Dialogue.archive)' queryid='\(id)'>\(form)"
        + "<set xmlns='http://jabber.org/protocol/rsm'>\(set)</set></query></iq>", on: device)
    let from = isRoom ? Peer.roomAddress : habits.namesOwnArchive ? Dialogue.account : nil
    for entry in shown {
      if chance(2) {
        devices[device].link = .broken
        return false
      }
      receive(
        message(
          from: from, type: nil, "",
          "<result xmlns='\(Dialogue.archive)' queryid='\(id)' id='\(entry.id)'>"
            + forwarded(archivedXML(entry), stamp: stamp(entry.time)) + "</result>"), on: device)
      note(entry.stanza, .archive)
      noteArchiveID(entry.id, of: entry.stanza)
    }
    let sender = from.map { " from='\($0)'" } ?? ""
    receive(
      "<iq xmlns='jabber:client' type='result' id='\(id)'\(sender)>"
        + "<fin xmlns='\(Dialogue.archive)' complete='\(isLast)'/></iq>", on: device)
    return true
  }

  /// What the archive has of a stanza.
  private mutating func archivedXML(_ entry: Archived) -> String {
    let number = entry.stanza
    let isBuried =
      habits.keepsTombstones && stanzas[number].isText
      && stanzas.contains { $0.retracted == number && $0.processed != nil }
      && !stanzas.contains { $0.corrected == number }
    guard isBuried else { return xml(number, to: addressee(of: number)) }
    sightings[number, default: Sighting()].isBuried = true
    let origin = stanzas[number].originID.map { originID($0) } ?? ""
    return xml(
      number, to: addressee(of: number),
      content: "<retracted xmlns='urn:xmpp:message-retract:1' stamp='\(stamp(now))'/>" + origin)
  }

  // MARK: The room

  /// The room passes a message on to those of our devices that are in it.
  mutating func reflect(_ number: Int, by device: Int?) {
    for other in devices.indices where devices[other].isInRoom {
      deliver(delivery(of: number), to: other)
    }
  }

  mutating func enterOrLeaveRoom() {
    guard devices[0].link == .online else { return }
    tick()
    let room = Peer.roomAddress
    let muc = "xmlns='http://jabber.org/protocol/muc"
    func presence(_ nick: String, _ type: String, _ more: String) -> String {
      "<presence xmlns='jabber:client' from='\(room)/\(nick)'\(type)>"
        + (habits.roomHasOccupantIDs ? Self.occupantID(nick) : "") + "<x \(muc)#user'>\(more)</x>"
        + "</presence>"
    }
    if devices[0].isInRoom {
      send("<presence xmlns='jabber:client' to='\(room)/alice' type='unavailable'/>", on: 0)
      receive(presence("alice", " type='unavailable'", "<status code='110'/>"), on: 0)
      devices[0].isInRoom = false
      return
    }
    let history = roomArchive.filter { stanzas[$0.stanza].isText }.suffix(number(0...4))
    send(
      "<presence xmlns='jabber:client' to='\(room)/alice'><x \(muc)'/></presence>", on: 0)
    for nick in ["bob", "carol"] { receive(presence(nick, "", ""), on: 0) }
    receive(presence("alice", "", "<status code='110'/>"), on: 0)
    devices[0].isInRoom = true
    firstJoin = firstJoin ?? now
    for entry in history where !isRetracted(entry.stanza) {
      let added = habits.addsStanzaIDs ? entry.id : nil
      show(
        .init(stanza: entry.stanza, form: .plain, time: entry.time, archiveID: added), on: 0,
        delayedBy: room)
    }
    receive(message(from: room, type: "groupchat", "", "<subject>Room</subject>"), on: 0)
    tick()
  }

  // MARK: Forgeries

  /// A sender claims what he may not.
  mutating func forge() {
    let victims = devices.indices.filter { devices[$0].isRecorded && devices[$0].link == .online }
    guard let device = pick(victims) else { return }
    tick()
    let quoted = forwarded(
      message(from: "bob@example.test/peer", to: Dialogue.account, id: "f1", "forged"),
      stamp: stamp(now))
    let ours = pick(
      numbers { $0.sender.isUs && $0.peer == .bob && $0.isText && $0.canBeNamed })
    let theirs = pick(numbers { !$0.sender.isUs && $0.peer == .bob && $0.isText && $0.canBeNamed })
    switch number(0...8) {
    case 0, 1:
      let kind = chance(50) ? "sent" : "received"
      lie("<\(kind) xmlns='urn:xmpp:carbons:2'>\(quoted)</\(kind)>", on: device)
      wanted.insert(.carbonForged)
    case 2:
      lie(
        "<result xmlns='\(Dialogue.archive)' queryid='q1' id='a0'>\(quoted)</result>", on: device)
      wanted.insert(.archiveForged)
    case 3:
      guard let ours else { return }
      lie(receipt(stanzas[ours].id ?? ""), on: device)
      if sightings[ours] != nil { wanted.insert(.receiptByAnother) }
    case 4:
      guard let ours else { return }
      lie(displayed(stanzas[ours].id ?? ""), on: device)
      if sightings[ours] != nil { wanted.insert(.markerByAnother) }
    case 5:
      guard let theirs else { return }
      // A body next to a retraction is no message (rule 21).
      lie(retracts(stanzas[theirs].id ?? ""), on: device, besideText: false)
    case 6:
      guard habits.addsStanzaIDs, let known = pick(archive) else { return }
      writeAsStranger(stanzaID(known.id), to: device)
    case 7:
      // Bob retracts what we wrote.
      guard let ours, sightings[ours] != nil else { return }
      arrive(make(.foreignRetraction(of: ours), from: .peer, in: .bob), for: device)
      wanted.insert(.retractionByAnother)
    default:
      // An occupant corrects what another one wrote.
      guard device == 0, devices[0].isInRoom,
        let known = pick(
          numbers {
            $0.peer == .room && $0.sender == .occupant("bob") && $0.isText && $0.canBeNamed
          }
        ), sightings[known]?.routes.contains(.live) == true
      else { return }
      arrive(make(.foreignCorrection(of: known), from: .occupant("carol"), in: .room))
      wanted.insert(.correctionByAnother)
    }
  }

  /// Mallory sends something to a device, with a text of his own, if that may be, or without one.
  private mutating func lie(_ content: String, on device: Int, besideText: Bool = true) {
    guard besideText, chance(40) else {
      return receive(
        message(from: Peer.stranger.sender, to: Dialogue.account, "", content), on: device)
    }
    writeAsStranger(content, to: device)
  }

  private mutating func writeAsStranger(_ more: String, to device: Int) {
    let text = make(.text, from: .peer, in: .stranger)
    process(text)
    let added = newestAddedID(of: text)
    receive(
      xml(text, to: Dialogue.account, more + element(ofArchiveID: added, in: .stranger)),
      on: device)
    note(text, .live)
    if let added { noteArchiveID(added, of: text) }
  }
}
