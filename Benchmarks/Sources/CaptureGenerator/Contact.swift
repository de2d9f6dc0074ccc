/// The subscription state of a contact, as the account's server keeps it.
enum Subscription: String {
  case none, to, from, both

  var seesThem: Bool { self == .to || self == .both }
  var seesUs: Bool { self == .from || self == .both }

  func with(seesThem: Bool? = nil, seesUs: Bool? = nil) -> Subscription {
    switch (seesThem ?? self.seesThem, seesUs ?? self.seesUs) {
    case (false, false): .none
    case (true, false): .to
    case (false, true): .from
    case (true, true): .both
    }
  }
}

/// A contact that is in the roster or may be added to it.
struct Contact {
  /// The prepared address.
  let jid: String
  /// The address as written in stanzas; some servers do not prepare it.
  let wire: String
  /// The names that the user may give the contact.
  let names: [String]
  let resources: [String]

  var isListed = false
  var name: String?
  var subscription = Subscription.none
  var ask = false
  var approved = false
  var groups: [String] = []
  /// The available resources, as indices of `resources`.
  var available: [Int] = []

  init(number: Int, _ chance: inout Chance) {
    let domain = chance.pick(Vocabulary.domains)
    let local: String
    let full: String
    if chance.perMille(600) {
      let surname = chance.pick(Vocabulary.surnames)
      let given = chance.pick(Vocabulary.given)
      full = surname.0 + given.0
      // A few addresses are not ASCII.
      local = chance.perMille(30) ? full + "\(number)" : "\(surname.1).\(given.1)\(number)"
      names = [full, "\(given.0)哥", "老\(surname.0)", "\(full)（\(number)）"]
    } else {
      let first = chance.pick(Vocabulary.latinFirst)
      let last = chance.pick(Vocabulary.latinLast)
      full = "\(first) \(last)"
      local = "\(first.lowercased().filter(\.isASCII))\(number)"
      names = [full, first, "\(last), \(first)", "\(first) (\(number))"]
    }
    jid = "\(local)@\(domain)"
    // A few addresses need case folding.
    wire = chance.perMille(20) ? "\(local.uppercased())@\(domain)" : jid
    resources = (0...chance.below(3)).map { "\(chance.pick(Vocabulary.resources))\($0)" }
  }

  mutating func list(_ chance: inout Chance) {
    isListed = true
    name = chance.perMille(900) ? chance.pick(names) : nil
    groups = (0..<[0, 1, 1, 1, 2][chance.below(5)]).map { _ in chance.pick(Vocabulary.groups) }
    normalizeGroups()
  }

  mutating func normalizeGroups() {
    groups = Array(Set(groups)).sorted()
  }

  mutating func unlist() {
    isListed = false
    name = nil
    subscription = .none
    ask = false
    approved = false
    groups = []
    available = []
  }

  var item: ModelState.Item {
    ModelState.Item(
      jid: jid, name: name, subscription: subscription.rawValue, ask: ask, approved: approved,
      groups: groups)
  }
}

/// A set of contacts in a reproducible order.
struct ContactList {
  private(set) var members: [Int] = []
  /// The index of each member in `members`.
  private var indices: [Int: Int] = [:]

  var count: Int { members.count }

  func contains(_ contact: Int) -> Bool { indices[contact] != nil }

  mutating func insert(_ contact: Int) {
    guard indices[contact] == nil else { return }
    indices[contact] = members.count
    members.append(contact)
  }

  mutating func remove(_ contact: Int) {
    guard let index = indices.removeValue(forKey: contact) else { return }
    let last = members.removeLast()
    guard last != contact else { return }
    members[index] = last
    indices[last] = index
  }

  mutating func any(_ chance: inout Chance) -> Int? {
    members.isEmpty ? nil : chance.pick(members)
  }
}
