import ContactSections
import TestSupport
import Testing
import XMPPStanza

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
      userReading: Int.random(in: 0..<9, using: &random) == 0 ? "qi" : nil, groups: groups,
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

  @Test("Applying the changes gives the screen built from scratch", arguments: 0..<150)
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

  @Test("Edits that are applied at once lead to the screen built from scratch", arguments: 0..<150)
  func atOnce(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let policy = policy(&random)
    var index = SectionIndex(policy: policy)
    var contacts: [String: ListedContact] = [:]
    var requests: [String: ListedRequest] = [:]
    for step in 0..<40 {
      let old = Screen(index)
      var edits: [String: SectionIndex.Edit] = [:]
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        let contact = contact(&random)
        switch Int.random(in: 0..<6, using: &random) {
        case 0..<3: edits["contact \(contact.id)"] = .contact(contact)
        case 3: edits["contact \(contact.id)"] = .contactRemoved(contact.id)
        case 4:
          edits["request \(contact.id)"] = .request(
            ListedRequest(id: contact.id, since: .random(in: 0..<9, using: &random)))
        default: edits["request \(contact.id)"] = .requestRemoved(contact.id)
        }
      }
      for edit in edits.values {
        switch edit {
        case .contact(let contact): contacts[contact.id] = contact
        case .contactRemoved(let id): contacts[id] = nil
        case .request(let request): requests[request.id] = request
        case .requestRemoved(let id): requests[id] = nil
        }
      }
      let changes = index.apply(edits.keys.sorted().compactMap { edits[$0] })
      let fresh = SectionIndex(
        policy: policy, contacts: contacts.values, requests: requests.values)
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

  /// Checks that each row's contact or request leads back to the row.
  private func checkLookups(_ index: SectionIndex, _ context: String) {
    for section in 0..<index.sectionCount {
      for row in 0..<index.rowCount(inSection: section) {
        let position = RowPosition(section: section, row: row)
        switch index.row(at: position) {
        case .contact(let contact)?:
          #expect(index.positions(ofContact: contact.id).contains(position), "\(context)")
        case .request(let request)?:
          #expect(index.position(ofRequest: request.id) == position, "\(context)")
        case nil: Issue.record("no row at \(position), \(context)")
        }
      }
    }
  }
}
