import Rollcall
import TestSupport

/// The order in which a server carries out a roster set.
enum ServerRules: CaseIterable {
  /// It answers the set, then pushes it.
  case prosody
  /// It pushes the set, then answers it.
  case ejabberd
}

/// A server that keeps one account's roster, and two devices of the account.
///
/// Each device has a `RosterSession`, like an application. Messages between a device and the server
/// are on their way until a step delivers them. If a connection is lost, they wait until the
/// session is resumed, and are dropped if the device begins a new session.
struct SharedAccount {
  private struct Device {
    let session = RosterSession(idPrefix: "c")
    let resource: String
    var isConnected = false
    /// Whether the server has a session of the device, which it may resume.
    var hasSession = false
    /// Whether the device has requested the roster in this session, so that the server pushes.
    var isInterested = false
    /// What the device has sent and the server has not yet processed.
    var going: [[UInt8]] = []
    /// What the server has sent, and the device has not received yet.
    var coming: [String] = []
  }

  private let rules: ServerRules
  private let isAlone: Bool
  private var random: SeededGenerator
  private(set) var items: [String: KeptItem]
  private let initial: [String: KeptItem]
  /// The contacts whose presence the account has asked to see.
  private var asked: Set<String> = []
  private var version = 1
  private var pushes = 0
  private var devices: [Device]
  private var touched = TouchedItems()
  /// The number of roster sets that the server has carried out.
  private(set) var sets = 0
  /// The commands that the devices carried out.
  private(set) var commands: [String] = []
  /// The items that the accepted commands lead to, carried out one after another.
  private(set) var wanted: [String: KeptItem]

  private static let names = ["Bob", "Robert", "鲍勃"]
  private static let groups = ["Work", "家人", "Old", "New"]
  private static let contacts = ["bob", "carol", "dave", "erin"].map { "\($0)@example.test" }

  /// An account whose server has three contacts that the devices have not seen.
  init(_ rules: ServerRules, seed: UInt64, isAlone: Bool = false) throws {
    (self.rules, self.isAlone) = (rules, isAlone)
    random = SeededGenerator(seed: seed)
    items = [
      Self.contacts[0]: KeptItem(name: "Bob", groups: ["Work", "家人"]),
      Self.contacts[1]: KeptItem(name: nil, groups: ["Work", "Old"]),
      Self.contacts[2]: KeptItem(name: "Dave"),
    ]
    (initial, wanted) = (items, items)
    devices = [Device(resource: "phone"), Device(resource: "pad")]
    if isAlone {
      try logIn(0)
      while try work(0) || deliver(0) {}
    }
  }

  // MARK: What must hold

  /// The names and groups that are missing although no command changed them.
  var lost: [String] { touched.lost(from: initial, in: items) }

  /// The devices whose roster differs from the server's.
  var differences: [String] {
    devices.compactMap { device in
      let shown = device.session.roster.sortedItems.map { item in
        "\(item.jid) \(KeptItem(name: item.name, groups: Set(item.groups)))"
      }
      let kept = items.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
      return shown == kept ? nil : "\(device.resource) has \(shown), the server \(kept)"
    }
  }

  // MARK: What happens

  mutating func step() throws {
    let number = isAlone ? 0 : Int.random(in: 0..<2, using: &random)
    switch Int.random(in: 0..<20, using: &random) {
    case 0 where devices[number].isConnected: try lose(number)
    case 1, 2:
      guard !devices[number].isConnected else { break }
      let resumes = isAlone || Int.random(in: 0..<3, using: &random) > 0
      if resumes, devices[number].hasSession { try resume(number) } else { try logIn(number) }
    case 3...7: try command(number)
    case 8...13: _ = try work(number)
    default: _ = try deliver(number)
    }
  }

  /// Reconnects both devices, and delivers everything that is on its way.
  mutating func settle() throws {
    for number in devices.indices where !devices[number].isConnected && !(isAlone && number == 1) {
      if devices[number].hasSession { try resume(number) } else { try logIn(number) }
    }
    for number in devices.indices where devices[number].isConnected {
      // A device that has not requested the roster requests it now.
      if !devices[number].isInterested { try fetch(number) }
    }
    var isMoving = true
    while isMoving {
      isMoving = false
      for number in devices.indices {
        if try work(number) { isMoving = true }
        if try deliver(number) { isMoving = true }
      }
    }
  }

  private mutating func logIn(_ number: Int) throws {
    devices[number].going = []
    devices[number].coming = []
    (devices[number].isConnected, devices[number].hasSession) = (true, true)
    devices[number].isInterested = false
    let session = devices[number].session
    try session.opened(as: JID(parsing: "alice@example.test/\(devices[number].resource)"), at: nil)
    try session.received(
      """
      <features xmlns='http://etherx.jabber.org/streams'><ver xmlns='urn:xmpp:features:rosterver'/>\
      </features>
      """.utf8, at: nil)
    // Some applications do not request it at once.
    if isAlone || Int.random(in: 0..<4, using: &random) > 0 { try fetch(number) }
  }

  private mutating func lose(_ number: Int) throws {
    try devices[number].session.closed(at: nil)
    devices[number].isConnected = false
  }

  private mutating func resume(_ number: Int) throws {
    devices[number].isConnected = true
    try devices[number].session.resumed(at: nil)
    for bytes in devices[number].going { try devices[number].session.sent(bytes, at: nil) }
  }

  private mutating func fetch(_ number: Int) throws {
    try send(devices[number].session.decide(.fetch), number)
  }

  /// Lets a device decide a command at any moment, even before it knows the roster or while it has
  /// no connection.
  private mutating func command(_ number: Int) throws {
    let jid = bare(Self.contacts.randomElement(using: &random) ?? "")
    let name = Self.names.randomElement(using: &random)
    let groups = Self.groups.filter { _ in Int.random(in: 0..<3, using: &random) == 0 }
    let (old, new) = (
      Self.groups.randomElement(using: &random) ?? "",
      Self.groups.randomElement(using: &random) ?? ""
    )
    let commands: [RosterCommand] = [
      .add(jid), .add(jid, name: name), .add(jid, groups: groups), .rename(jid, to: name),
      .add(jid, name: name, subscribes: false), .rename(jid, to: nil), .setGroups(jid, groups),
      .regroup([jid: groups]), .renameGroup(old, to: new),
      .deleteGroup(old), .fetch, .remove(jid),
    ]
    let chosen = commands.randomElement(using: &random) ?? .fetch
    let decided: DecidedCommand
    do {
      decided = try devices[number].session.decide(chosen)
    } catch {
      return
    }
    // Without a connection, an application drops what it would send.
    guard devices[number].isConnected, !decided.elements.isEmpty else { return }
    touched.sent(chosen)
    carryOut(chosen)
    self.commands.append("\(devices[number].resource): \(chosen)")
    try send(decided, number)
  }

  /// The effect of a command if nothing else happens at the time.
  private mutating func carryOut(_ command: RosterCommand) {
    switch command {
    case .add(let jid, let name, let groups, _, _):
      var item = wanted[jid.text] ?? KeptItem()
      item.name = name ?? item.name
      if !groups.isEmpty { item.groups = Set(groups) }
      wanted[jid.text] = item
    case .rename(let jid, let name): wanted[jid.text]?.name = name
    case .setGroups(let jid, let groups): wanted[jid.text]?.groups = Set(groups)
    case .regroup(let all):
      for (jid, groups) in all { wanted[jid.text]?.groups = Set(groups) }
    case .renameGroup(let old, let new):
      for (jid, item) in wanted where item.groups.contains(old) {
        wanted[jid]?.groups.remove(old)
        wanted[jid]?.groups.insert(new)
      }
    case .deleteGroup(let group):
      for jid in wanted.keys { wanted[jid]?.groups.remove(group) }
    case .remove(let jid): wanted[jid.text] = nil
    case .fetch, .accept, .reject, .cancel, .unsubscribe, .revoke, .preApprove, .block, .unblock:
      break
    }
  }

  private mutating func send(_ decided: DecidedCommand, _ number: Int) throws {
    for element in decided.elements {
      try devices[number].session.sent(element.bytes, at: nil)
      devices[number].going.append(element.bytes)
    }
  }

  /// Delivers the next thing that the server has sent to a device.
  private mutating func deliver(_ number: Int) throws -> Bool {
    guard devices[number].isConnected, !devices[number].coming.isEmpty else { return false }
    let session = devices[number].session
    try session.received(devices[number].coming.removeFirst().utf8, at: nil)
    for answer in session.acknowledgements { try session.sent(answer.bytes, at: nil) }
    return true
  }

  // MARK: The server

  /// Processes the next thing that a device has sent.
  private mutating func work(_ number: Int) throws -> Bool {
    guard devices[number].isConnected, !devices[number].going.isEmpty else { return false }
    let bytes = devices[number].going.removeFirst()
    let node = element(String(decoding: bytes, as: UTF8.self))
    if node.attribute("type") == "subscribe" {
      let jid = node.attribute("to") ?? ""
      if items[jid] == nil { items[jid] = KeptItem() }
      asked.insert(jid)
      push(jid)
      return true
    }
    let query = node.child("query", in: Namespace.roster)
    let id = node.attribute("id") ?? ""
    guard node.attribute("type") == "set" else {
      roster(query?.attribute("ver"), id, number)
      return true
    }
    guard let item = query?.child("item", in: Namespace.roster), let jid = item.attribute("jid")
    else { return true }
    if item.attribute("subscription") == "remove" {
      guard items.removeValue(forKey: jid) != nil else {
        devices[number].coming.append(
          """
          <iq type='error' id='\(id)'><error type='cancel'><item-not-found \
          xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></iq>
          """)
        return true
      }
    } else {
      items[jid, default: KeptItem()].name = item.attribute("name")
      items[jid]?.groups = Set(item.children.map(\.text))
    }
    sets += 1
    let result = "<iq type='result' id='\(id)'/>"
    if rules == .prosody { devices[number].coming.append(result) }
    push(jid)
    if rules == .ejabberd { devices[number].coming.append(result) }
    return true
  }

  private mutating func roster(_ known: String?, _ id: String, _ number: Int) {
    devices[number].isInterested = true
    guard known != "v\(version)" else {
      return devices[number].coming.append("<iq type='result' id='\(id)'/>")
    }
    let list = items.keys.sorted().map { xml($0) }.joined()
    devices[number].coming.append(
      "<iq type='result' id='\(id)'><query xmlns='jabber:iq:roster' ver='v\(version)'>\(list)"
        + "</query></iq>")
  }

  private func xml(_ jid: String) -> String {
    guard let kept = items[jid] else { return item(jid, "subscription='remove'") }
    let name = kept.name.map { "name='\($0)'" } ?? ""
    let ask = asked.contains(jid) ? " ask='subscribe'" : ""
    return item(jid, name + ask, groups: kept.groups.sorted())
  }

  private mutating func push(_ jid: String) {
    version += 1
    pushes += 1
    let xml = xml(jid)
    for number in devices.indices where devices[number].hasSession && devices[number].isInterested {
      devices[number].coming.append(
        "<iq type='set' id='p\(pushes)'><query xmlns='jabber:iq:roster' ver='v\(version)'>\(xml)"
          + "</query></iq>")
    }
  }
}
