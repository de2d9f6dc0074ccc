extension GeneratedCapture {
  /// Generates a capture, identical on every machine for equal parameters.
  ///
  /// - Parameter checkpoints: The records whose states are kept; those beyond the end count as the
  ///   last one.
  public init(_ shape: CaptureShape, checkpoints: [Int] = []) {
    var maker = CaptureMaker(shape, checkpoints: checkpoints)
    maker.run()
    self = maker.capture
  }
}

/// A random simulation of the account's server, its contacts and its client.
///
/// It keeps the roster as a server does: each item is as in the last push, and requests follow RFC
/// 6121. It does not use the library under test.
///
/// Each change of the expected state is made right before the stanza that reveals it is written, so
/// that the state is right after every single record.
struct CaptureMaker {
  static let account = "alice@example.test"
  static let resource = "alice@example.test/Conversations.k3Qz"
  /// The entity-capabilities hash of each program, constant as for a real one.
  static let capsHashes = Vocabulary.nodes.indices.map {
    var hash = Chance(seed: UInt64($0) + 77)
    return String(decoding: hash.base64(bytes: 20), as: UTF8.self)
  }

  let shape: CaptureShape
  var chance: Chance
  var buffer: CaptureBuffer
  var contacts: [Contact] = []
  var listed = ContactList()
  var incoming = ContactList()
  var unconfirmed = ContactList()
  var outgoing = ContactList()
  var version = 1
  /// Whether the roster has been fetched; before that, a reader cannot know it.
  var isFetched = false
  private var identifier = 0
  private let wanted: Set<Int>
  private var reached: [Int: ModelState] = [:]
  private let order: [Int]

  init(_ shape: CaptureShape, checkpoints: [Int]) {
    self.shape = shape
    chance = Chance(seed: shape.seed)
    buffer = CaptureBuffer(stanzas: shape.stanzas)
    order = checkpoints
    wanted = Set(checkpoints)
    // Some contacts are strangers at first. Removed ones can be added again, so that the roster
    // keeps its size.
    let universe = shape.contacts + max(10, shape.contacts / 10)
    contacts = (0..<universe).map { Contact(number: $0, &chance) }
  }

  var isFull: Bool { buffer.ends.count >= shape.stanzas }

  mutating func run() {
    fillRoster()
    buffer.header(account: Self.resource)
    openSession(isFirst: true)
    var left = sessionLength
    while !isFull {
      let before = buffer.ends.count
      act()
      left -= buffer.ends.count - before
      if left <= 0, !isFull {
        closeSession()
        openSession(isFirst: false)
        left = sessionLength
      }
    }
  }

  /// The number of stanzas in a session, large enough that its initial presences do not dominate.
  private var sessionLength: Int { max(3000, 3 * shape.contacts) }

  private mutating func fillRoster() {
    for contact in 0..<shape.contacts {
      contacts[contact].list(&chance)
      contacts[contact].subscription = chance.pick([.both, .both, .both, .both, .to, .from, .none])
      listed.insert(contact)
    }
  }

  // MARK: Writing

  mutating func id() -> String {
    identifier += 1
    return "\(chance.hex(8))-\(identifier)"
  }

  mutating func put(_ markup: String) { buffer.put(markup) }

  mutating func escape(_ text: String) { buffer.escape(text) }

  /// Ends the stanza that was put. Does nothing if the capture is full.
  mutating func end(_ direction: Direction) {
    guard !isFull else { return }
    buffer.time += chance.below(1500)
    buffer.end(direction)
    note()
  }

  mutating func stream(_ word: String, jid: String?) {
    guard !isFull else { return }
    buffer.stream(word, jid: jid)
    note()
  }

  // MARK: Answers

  private mutating func note() {
    let record = buffer.records
    if wanted.contains(record) || isFull { reached[record] = state }
  }

  private var state: ModelState {
    func jids(_ list: ContactList) -> [String] { list.members.map { contacts[$0].jid }.sorted() }
    var state = ModelState()
    state.record = buffer.records
    if isFetched {
      state.items = listed.members.map { contacts[$0].item }.sorted { $0.jid < $1.jid }
    }
    state.incoming = jids(incoming)
    state.unconfirmed = jids(unconfirmed)
    state.outgoing = jids(outgoing)
    for contact in contacts where !contact.available.isEmpty {
      state.resources[contact.jid] = contact.available.count
    }
    return state
  }

  var capture: GeneratedCapture {
    let final = reached[buffer.records] ?? state
    var elements = 0
    var before: UInt8 = 0
    let stanzas = Array(buffer.stanzas[..<(buffer.ends.last ?? 0)])
    for byte in stanzas {
      if before == UInt8(ascii: "<"), byte != UInt8(ascii: "/") { elements += 1 }
      before = byte
    }
    return GeneratedCapture(
      shape: shape, account: Self.account, file: buffer.file, stanzas: stanzas, ends: buffer.ends,
      elements: elements, records: buffer.records, final: final,
      checkpoints: order.map { reached[$0] ?? final })
  }
}
