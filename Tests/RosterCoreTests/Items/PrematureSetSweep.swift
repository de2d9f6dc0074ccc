import RosterCore
import TestSupport
import Testing
import XMPPStanza

/// A phone, another device that no log shows, and a server between them. Whether the phone's set
/// lost anything follows from what the server had and what the phone knew.
@Suite("Sets before the roster, by seeds") struct PrematureSetSweep {
  /// The fields of the contact that a set can change.
  private struct Fields: Equatable {
    var name: String?
    var groups: Set<String> = []

    var xml: String { bobItem(name ?? "", groups.sorted()) }
  }

  private static let groups = ["A", "B", "C"]
  private static let names: [String?] = ["Bob", "Rob", "Robert", nil]

  /// Whether a set removes what its sender did not know, or restores what it did not know was gone.
  private static func loses(_ set: Fields, known: Fields, replaced: Fields?) -> Bool {
    guard let replaced else { return false }
    return set.name == known.name && replaced.name != known.name
      || groups.contains { group in
        let knew = known.groups.contains(group)
        return set.groups.contains(group) == knew && replaced.groups.contains(group) != knew
      }
  }

  /// A message to the server.
  private enum Request { case query, edit(Fields) }
  /// A message to the phone.
  private enum Answer { case roster(Fields?), push(Fields), taken }

  private struct World {
    var random: SeededGenerator
    var scenario = Scenario()
    /// What the phone knows about the contact.
    var known = Fields()
    var hasRoster = false
    var requests: [Request] = []
    /// The server's state of the contact; nil for no item.
    var server: Fields?
    var answers: [Answer] = []
    /// What the log shows before the server processes the set, in order.
    var told: [Fields?] = []
    var isToldPushes = false
    var isPremature = false
    /// Whether the set lost anything, whether the log can show it, and whether two equal values
    /// make it ambiguous which of them is the set's.
    var (isLost, isVisible, isAmbiguous) = (false, false, false)

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func pick<Value>(_ values: [Value]) -> Value {
      values[Int.random(in: 0..<values.count, using: &random)]
    }

    mutating func edited(_ fields: Fields?) -> Fields {
      var new = fields ?? Fields()
      switch pick([0, 1, 2, 3]) {
      case 0: new.name = pick(PrematureSetSweep.names)
      case 1: new.groups.insert(pick(PrematureSetSweep.groups))
      case 2: new.groups.remove(pick(PrematureSetSweep.groups))
      default:
        new = Fields(name: pick(PrematureSetSweep.names), groups: [pick(PrematureSetSweep.groups)])
      }
      return new
    }

    mutating func editElsewhere() {
      let new = edited(server)
      server = new
      guard isToldPushes else { return }
      answers.append(.push(new))
      told.append(new)
    }

    mutating func serverActs() {
      guard !requests.isEmpty else { return }
      switch requests.removeFirst() {
      case .query:
        answers.append(.roster(server))
        told.append(server)
        isToldPushes = true
      case .edit(let set):
        isLost = PrematureSetSweep.loses(set, known: known, replaced: server)
        isVisible = PrematureSetSweep.loses(set, known: known, replaced: told.last ?? nil)
        isAmbiguous = told.contains(set)
        server = set
        answers += [.push(set), .taken]
      }
    }

    mutating func phoneHears() {
      guard !answers.isEmpty else { return }
      switch answers.removeFirst() {
      case .roster(let fields):
        scenario.receivesResult(fields?.xml ?? "", id: "get")
        hasRoster = true
      case .push(let fields): scenario.pushed(fields.xml)
      case .taken: scenario.receivesEmptyResult(id: "set")
      }
    }

    mutating func phoneSets() {
      isPremature = !hasRoster
      if hasRoster, let item = scenario.roster.item(bare("bob@example.test")) {
        known = Fields(name: item.name, groups: Set(item.groups))
      }
      let set = edited(known)
      scenario.sets(set.xml)
      requests.append(.edit(set))
    }

    mutating func run(isOld: Bool) {
      scenario.opened("alice@example.test/phone")
      if isOld {
        for _ in 0..<3 { server = edited(server) }
        known = server ?? Fields()
        scenario.fetches(known.xml)
        scenario.lost()
        scenario.opened("alice@example.test/phone")
        told.append(known)
      }
      for _ in 0..<Int.random(in: 0...4, using: &random) { server = edited(server) }
      var steps = Bool.random(using: &random) ? ["get", "set"] : ["set", "get"]
      while !steps.isEmpty || !requests.isEmpty || !answers.isEmpty {
        switch Int.random(in: 0..<12, using: &random) {
        case 0, 1:
          guard !steps.isEmpty else { continue }
          if steps.removeFirst() == "set" {
            phoneSets()
          } else {
            scenario.gets(id: "get")
            requests.append(.query)
          }
        case 2...5: serverActs()
        case 6: editElsewhere()
        default: phoneHears()
        }
      }
    }
  }

  @Test("There is a finding if the log can show a loss, and never without one")
  func sweep() {
    var found = 0
    var premature = [false: 0, true: 0]
    for seed in Seeds.chosen(or: 0...599) {
      var world = World(seed: seed)
      let isOld = seed % 2 == 0
      world.run(isOld: isOld)
      let count = world.scenario.allCodes.count { $0 == .prematureSet }
      let note: Comment = "ROLLCALL_SEEDS=\(seed)-\(seed)"
      #expect(count <= 1, note)
      if count > 0 { #expect(world.isPremature && (world.isLost || world.isAmbiguous), note) }
      if world.isPremature, world.isVisible, !world.isAmbiguous { #expect(count == 1, note) }
      found += count
      if world.isPremature { premature[isOld, default: 0] += 1 }
    }
    // The default run must include both kinds of phones, premature sets, and losses.
    #expect(found > 0 && premature.values.allSatisfy { $0 > 0 }, "\(found), \(premature)")
  }
}
