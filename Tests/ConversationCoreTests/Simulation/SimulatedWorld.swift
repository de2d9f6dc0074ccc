import TestSupport

@testable import ConversationCore

/// Our server and its archive, the server of a room, several devices of ours, and who writes to us,
/// with everything that can happen to a message between them.
///
/// It knows what really happened: each stanza once, and what the log of the recorded devices shows
/// of it.
struct SimulatedWorld {
  /// What differs between servers and between clients.
  struct Habits {
    var addsStanzaIDs: Bool
    var stampsWholeSeconds: Bool
    var archivesSigns: Bool
    var namesOwnArchive: Bool
    var deliversToAllDevices: Bool
    var keepsTombstones: Bool
    var roomHasOccupantIDs: Bool
    var stampsRedeliveries: Bool
    /// Whether servers stamp what they deliver late at another moment of its second than archives.
    var jittersStamps: Bool

    /// Whether the log shows which of two times of one second is earlier.
    var stampsExactly: Bool { !stampsWholeSeconds && !jittersStamps }

    init(using random: inout SeededGenerator) {
      addsStanzaIDs = Int.random(in: 0..<4, using: &random) > 0
      stampsWholeSeconds = Bool.random(using: &random)
      archivesSigns = Bool.random(using: &random)
      namesOwnArchive = Bool.random(using: &random)
      deliversToAllDevices = Bool.random(using: &random)
      keepsTombstones = Bool.random(using: &random)
      roomHasOccupantIDs = Bool.random(using: &random)
      stampsRedeliveries = Bool.random(using: &random)
      jittersStamps = Bool.random(using: &random)
    }
  }

  /// An entry of an archive.
  struct Archived {
    var id: String
    var stanza: Int
    var time: Int64
  }

  var random: SeededGenerator
  let habits: Habits
  /// 2026-11-26T12:00:00Z
  var now: Int64 = 1_795_694_400_000
  var log = SimulatedLog()
  var devices: [SimulatedDevice]
  var stanzas: [SimulatedStanza] = []
  var sightings: [Int: Sighting] = [:]
  var archive: [Archived] = []
  var roomArchive: [Archived] = []
  /// What waits for the first device that comes online.
  var offline: [SimulatedDevice.Delivery] = []
  var spans: [CoveredSpan] = []
  /// The codes of findings that the log must show, and no others of their kind.
  var wanted: Set<ConversationFinding.Code> = []
  /// Whether what happens follows what happened before within a second.
  var isHasty = false
  /// When we first joined the room.
  var firstJoin: Int64?
  /// What was done, for a seed that fails.
  var deeds: [String] = []
  private var nextConnection: UInt32 = 1
  private var nextQuery = 1

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
    habits = Habits(using: &random)
    let secondIsRecorded = Bool.random(using: &random)
    devices = [
      SimulatedDevice(name: "d0", isRecorded: true, hasCarbons: true),
      SimulatedDevice(name: "d1", isRecorded: secondIsRecorded, hasCarbons: true),
      SimulatedDevice(name: "d2", isRecorded: false, hasCarbons: true),
    ]
    devices[2].link = .online
  }

  /// Plays a number of random steps.
  mutating func play(_ steps: Int) {
    bind(0)
    for _ in 0..<steps { step() }
  }

  // MARK: Chance

  mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

  mutating func pick<Element>(_ values: [Element]) -> Element? {
    values.randomElement(using: &random)
  }

  mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

  /// Advances to another second, unless everything of this step happens within one.
  mutating func tick() {
    guard !isHasty else { return hurry() }
    now = (now / 1000 + Int64(number(1...4))) * 1000 + Int64(number(1...899))
  }

  /// Advances within the second, as long as it lasts.
  mutating func hurry() {
    let next = now + Int64(number(1...30))
    now = next % 1000 < now % 1000 ? (now / 1000 + 1) * 1000 + Int64(number(1...899)) : next
  }

  mutating func newConnection() -> UInt32 {
    nextConnection += 1
    return nextConnection - 1
  }

  mutating func newQuery() -> String {
    nextQuery += 1
    return "q\(nextQuery - 1)"
  }

  // MARK: Stanzas

  /// A new stanza that no one has sent yet.
  mutating func make(
    _ meaning: SimulatedStanza.Meaning, from sender: Sender, in peer: Peer
  ) -> Int {
    let number = stanzas.count
    var stanza = SimulatedStanza(
      peer: peer, sender: sender, meaning: meaning, body: "m\(number)", written: now)
    stanza.id = "\(sender.isUs ? "u" : "t")\(number)"
    if case .text = meaning { nameText(&stanza, number) }
    stanzas.append(stanza)
    deeds.append("\(number): \(peer) \(sender) \(meaning)")
    return number
  }

  /// Makes a text a second one like another, so that only their number shows that they are two.
  mutating func makeTwin(_ number: Int, of other: Int) {
    (stanzas[number].id, stanzas[number].originID) = (nil, nil)
    (stanzas[other].id, stanzas[other].originID) = (nil, nil)
    stanzas[number].body = stanzas[other].body
    (stanzas[number].isTwin, stanzas[other].isTwin) = (true, true)
  }

  /// A time of the second of another one.
  mutating func jitter(_ time: Int64) -> Int64 {
    habits.jittersStamps ? time / 1000 * 1000 + Int64(number(1...899)) : time
  }

  /// Gives a text the ids that its client sends.
  private mutating func nameText(_ stanza: inout SimulatedStanza, _ number: Int) {
    switch self.number(0...4) {
    case 0: stanza.id = nil
    case 1 where !stanza.sender.isUs: stanza.id = SimulatedStanza.reusedID
    case 2: stanza.originID = "o\(number)"
    case 3: stanza.originID = stanza.id
    default: break
    }
    // Only the archive's ids distinguish texts that are equal in all else.
    if !stanza.sender.isUs, stanza.peer != .room, habits.addsStanzaIDs, chance(30) {
      stanza.body = "ok"
    }
  }

  /// Whether the archive keeps a stanza.
  func isStored(_ number: Int) -> Bool {
    switch stanzas[number].meaning {
    case .text, .correction, .foreignCorrection, .retraction, .foreignRetraction, .moderation,
      .reactions:
      true
    case .receipt, .received, .displayed: habits.archivesSigns
    case .published: false
    }
  }

  /// The server processes a stanza: its archive keeps it.
  mutating func process(_ number: Int) {
    if stanzas[number].processed == nil { stanzas[number].processed = now }
    guard isStored(number) else { return }
    let isRoom = stanzas[number].peer == .room
    let id = "\(isRoom ? "r" : "a")\(number)" + (stanzas[number].archiveIDs.isEmpty ? "" : "x")
    stanzas[number].archiveIDs.append(id)
    let entry = Archived(id: id, stanza: number, time: now)
    if isRoom { roomArchive.append(entry) } else { archive.append(entry) }
  }

  /// Numbers of stanzas with some property, oldest first.
  func numbers(where isWanted: (SimulatedStanza) -> Bool) -> [Int] {
    stanzas.indices.filter { isWanted(stanzas[$0]) }
  }

  // MARK: XML

  /// A stanza as a person receives or writes it.
  func xml(_ number: Int, to: String?, _ more: String = "", content: String? = nil) -> String {
    let stanza = stanzas[number]
    let from: String? =
      switch stanza.sender {
      case .us(let device):
        stanza.peer == .room
          ? Peer.roomAddress + "/alice" : "\(Dialogue.account)/\(devices[device].name)"
      case .peer: stanza.peer.sender
      case .occupant(let nick): "\(Peer.roomAddress)/\(nick)"
      case .theRoom: Peer.roomAddress
      }
    return message(
      from: from, to: to, type: stanza.peer == .room ? "groupchat" : "chat", id: stanza.id, "",
      (content ?? stanza.content(naming: stanzas)) + occupantID(of: number) + more)
  }

  private func occupantID(of number: Int) -> String {
    guard habits.roomHasOccupantIDs, stanzas[number].peer == .room else { return "" }
    return switch stanzas[number].sender {
    case .us: Self.occupantID("alice")
    case .occupant(let nick): Self.occupantID(nick)
    case .peer, .theRoom: ""
    }
  }

  static func occupantID(_ nick: String) -> String {
    "<occupant-id xmlns='urn:xmpp:occupant-id:0' id='occ-\(nick)'/>"
  }

  /// The archive id that a server adds to what it passes on; nil if it adds none.
  func newestAddedID(of number: Int) -> String? {
    habits.addsStanzaIDs ? stanzas[number].archiveIDs.last : nil
  }

  func element(ofArchiveID id: String?, in peer: Peer) -> String {
    id.map { stanzaID($0, by: peer == .room ? Peer.roomAddress : Dialogue.account) } ?? ""
  }

  /// A time as a server stamps it.
  func stamp(_ time: Int64) -> String {
    // The simulation ends on the day on which it begins.
    let day = time - 1_795_651_200_000
    func digits(_ number: Int64, _ count: Int) -> String {
      let text = String(number)
      return String(repeating: "0", count: count - text.count) + text
    }
    let seconds = day / 1000
    let clock =
      "\(digits(seconds / 3600, 2)):\(digits(seconds / 60 % 60, 2)):\(digits(seconds % 60, 2))"
    return "2026-11-26T\(clock)" + (habits.stampsWholeSeconds ? "Z" : ".\(digits(day % 1000, 3))Z")
  }
}
