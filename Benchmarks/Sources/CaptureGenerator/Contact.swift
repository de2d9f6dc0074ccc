/// Who sees whose presence, as the server of the account keeps it.
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

/// Somebody who is or may come to be in the roster.
struct Contact {
  /// The prepared address.
  let jid: String
  /// The address as it stands in stanzas; some servers do not prepare it.
  let wire: String
  /// What the user may call the contact, for a new name at each renaming.
  let names: [String]
  let resources: [String]

  var isListed = false
  var name: String?
  var subscription = Subscription.none
  var ask = false
  var approved = false
  var groups: [String] = []
  /// The available ones, as indices of `resources`.
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
    // Folding the case of an address must not be for nothing.
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

/// Some of the contacts, in an order that the seed repeats.
struct ContactList {
  private(set) var members: [Int] = []
  private var places: [Int: Int] = [:]

  var count: Int { members.count }

  func contains(_ contact: Int) -> Bool { places[contact] != nil }

  mutating func insert(_ contact: Int) {
    guard places[contact] == nil else { return }
    places[contact] = members.count
    members.append(contact)
  }

  mutating func remove(_ contact: Int) {
    guard let place = places.removeValue(forKey: contact) else { return }
    let last = members.removeLast()
    guard last != contact else { return }
    members[place] = last
    places[last] = place
  }

  mutating func any(_ chance: inout Chance) -> Int? {
    members.isEmpty ? nil : chance.pick(members)
  }
}
