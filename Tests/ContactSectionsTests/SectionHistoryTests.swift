import ContactSections
import Testing

/// What a table view holds, and the two ways to apply changes to it.
private struct Screen: Equatable {
  var sections: [[SectionIndex.Row]]

  init(_ index: SectionIndex) {
    sections = (0..<index.sectionCount).map { index.rows(inSection: $0) }
  }

  private subscript(position: RowPosition) -> SectionIndex.Row {
    sections[position.section][position.row]
  }

  /// As UITableView does: all at once, old numbers for what goes, new ones for what comes. A row
  /// that comes or is reloaded is asked of the new screen; all others keep what they showed.
  mutating func applyBatch(_ changes: SectionChanges, asking new: Screen) {
    let old = self
    var kept = old.sections.map { $0.map { Optional($0) } }
    for position in changes.reloadedRows {
      // Asked by the number that the row has on the new screen: found by its id.
      kept[position.section][position.row] = new.row(like: old[position])
    }
    for position in changes.deletedRows + changes.movedRows.map(\.from) {
      kept[position.section][position.row] = nil
    }
    var result = kept.map { $0.compactMap { $0 } }
    for section in changes.deletedSections.reversed() { result.remove(at: section) }
    for section in changes.insertedSections { result.insert(new.sections[section], at: section) }
    let coming =
      changes.insertedRows.map { ($0, new[$0]) }
      + changes.movedRows.map { ($0.to, old[$0.from]) }
    for (position, row) in coming.sorted(by: { $0.0 < $1.0 }) {
      result[position.section].insert(row, at: position.row)
    }
    for position in changes.reloadedAfterMove {
      result[position.section][position.row] = new[position]
    }
    sections = result
  }

  /// As NSTableView and ListModel do: one at a time, in the order that is documented.
  mutating func applyOneByOne(_ changes: SectionChanges, asking new: Screen) {
    for place in changes.reloadedRows {
      sections[place.section][place.row] = new.row(like: self[place]) ?? self[place]
    }
    for place in (changes.deletedRows + changes.movedRows.map(\.from)).sorted(by: >) {
      sections[place.section].remove(at: place.row)
    }
    for section in changes.deletedSections.reversed() { sections.remove(at: section) }
    for section in changes.insertedSections { sections.insert(new.sections[section], at: section) }
    for place in (changes.insertedRows + changes.movedRows.map(\.to)).sorted() {
      sections[place.section].insert(new[place], at: place.row)
    }
  }

  private func row(like old: SectionIndex.Row) -> SectionIndex.Row? {
    sections.joined().first { $0.id == old.id }
  }
}

extension SectionIndex.Row {
  fileprivate var id: String {
    switch self {
    case .contact(let contact): "contact \(contact.id)"
    case .request(let request): "request \(request.id)"
    }
  }
}

/// SplitMix64: small, seeded and the same on every machine.
private struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

@Suite("Random histories of a contacts screen")
struct SectionHistoryTests {
  private static let names = [
    "张三", "章", "曾经", "曾国藩", "Bob", "白", "bob", "1", "10", "", "单车", "单雄信", "あ", "😀", "李",
  ]
  private static let groups = ["同事", "Bowling", "长沙", "家"]

  private func contact(_ random: inout SeededGenerator) -> ListedContact {
    let id = "u\(Int.random(in: 0..<12, using: &random))@example.test"
    let groups = Self.groups.filter { _ in Int.random(in: 0..<3, using: &random) == 0 }
    return ListedContact(
      id: id, displayName: Self.names.randomElement(using: &random) ?? "",
      userReading: Int.random(in: 0..<9, using: &random) == 0 ? "qi" : nil, groups: Set(groups),
      subscription: [.both, .both, .both, .to, .none].randomElement(using: &random) ?? .both,
      onlineRank: [nil, 0, 1].randomElement(using: &random) ?? nil,
      isStarred: Int.random(in: 0..<4, using: &random) == 0)
  }

  private func policy(_ random: inout SeededGenerator) -> SectionPolicy {
    SectionPolicy(
      friends: SectionPolicy.Friends.allCases.randomElement(using: &random) ?? .all,
      grouping: SectionPolicy.Grouping.allCases.randomElement(using: &random) ?? .index,
      showsRequests: .random(using: &random), showsStarred: .random(using: &random),
      onlineFirst: .random(using: &random))
  }

  @Test("Applying the changes to the old screen gives the one built afresh", arguments: 0..<150)
  func history(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let policy = policy(&random)
    var index = SectionIndex(policy: policy)
    var contacts: [String: ListedContact] = [:]
    var requests: [String: ListedRequest] = [:]
    for step in 0..<60 {
      let old = Screen(index)
      let changes: SectionChanges
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<6:
        let contact = contact(&random)
        contacts[contact.id] = contact
        changes = index.update(contact)
      case 6:
        let id = contact(&random).id
        contacts[id] = nil
        changes = index.removeContact(id)
      case 7, 8:
        let request = ListedRequest(
          id: contact(&random).id, since: .random(in: 0..<9, using: &random))
        requests[request.id] = request
        changes = index.update(request)
      default:
        let id = contact(&random).id
        requests[id] = nil
        changes = index.removeRequest(id)
      }
      let fresh = SectionIndex(policy: policy, contacts: contacts.values, requests: requests.values)
      let new = Screen(fresh)
      #expect(Screen(index) == new, "seed \(seed), step \(step)")
      var batch = old
      batch.applyBatch(changes, asking: new)
      #expect(batch == new, "seed \(seed), step \(step): \(changes)")
      var oneByOne = old
      oneByOne.applyOneByOne(changes, asking: new)
      #expect(oneByOne == new, "seed \(seed), step \(step): \(changes)")
      #expect(titles(index) == titles(fresh), "seed \(seed), step \(step)")
      checkLookups(index, "seed \(seed), step \(step)")
      if batch != new || oneByOne != new { return }
    }
  }

  private func titles(_ index: SectionIndex) -> [SectionID] {
    (0..<index.sectionCount).map { index.section($0) }
  }

  /// Every row's contact or request leads back to the row.
  private func checkLookups(_ index: SectionIndex, _ place: String) {
    for section in 0..<index.sectionCount {
      for row in 0..<index.rowCount(inSection: section) {
        let position = RowPosition(section: section, row: row)
        switch index.row(at: position) {
        case .contact(let contact)?:
          #expect(index.positions(ofContact: contact.id).contains(position), "\(place)")
        case .request(let request)?:
          #expect(index.position(ofRequest: request.id) == position, "\(place)")
        case nil: Issue.record("no row at \(position), \(place)")
        }
      }
    }
  }
}
