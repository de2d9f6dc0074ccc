import CaptureGenerator
import ContactSections
import XMPPStanza

// The contacts screen, always with 10,000 contacts, whatever the capture.
extension Work {
  private static let screenSize = 10_000

  private static func screenItems() -> [ModelState.Item] {
    GeneratedCapture(CaptureShape(stanzas: 10, contacts: screenSize)).final.items
  }

  private static func listed(_ item: ModelState.Item) -> ListedContact {
    ListedContact(
      id: item.jid, displayName: item.name ?? item.jid, groups: item.groups,
      subscription: RosterSubscription(rawValue: item.subscription) ?? .none)
  }

  static let sections = Work(
    "sections of 10,000 contacts", per: "build", goal: .nanoseconds(10e6)
  ) { _ in
    let contacts = screenItems().map(listed)
    return Trial(units: 1) {
      let index = SectionIndex(policy: SectionPolicy(friends: .all), contacts: contacts)
      return { try expect(index.friendCount == screenSize, "\(index.friendCount) are shown") }
    }
  }

  static let sectionChange = Work(
    "one change in sections of 10,000", per: "change", goal: .nanoseconds(10e3)
  ) { _ in
    let policy = SectionPolicy(friends: .all)
    let contacts = screenItems().map(listed)
    var index = SectionIndex(policy: policy, contacts: contacts)
    var now = contacts
    var round = 0
    return Trial(units: 1000) {
      round += 1
      var changes = 0
      for step in 0..<1000 {
        let row = (step * 7919 + round * 31) % now.count
        // Two in three are renamed, which moves the row; one goes online or offline, which reloads
        // the row.
        if step % 3 == 0 {
          now[row].onlineRank = now[row].onlineRank == nil ? 1 : nil
        } else {
          now[row].displayName = contacts[(row + step * round) % now.count].displayName
        }
        let made = index.update(now[row])
        if !made.movedRows.isEmpty || !made.reloadedRows.isEmpty { changes += 1 }
      }
      return {
        try expect(changes > 500, "only \(changes) changes were reported")
        let afresh = SectionIndex(policy: policy, contacts: now)
        for id in now.map(\.id)
        where index.positions(ofContact: id) != afresh.positions(ofContact: id) {
          throw WrongAnswer("\(id) is not where building afresh puts it")
        }
      }
    }
  }

  static let readings = Work("reading of a name", per: "name") { _ in
    let names = screenItems().map { $0.name ?? $0.jid }
    return Trial(units: names.count) {
      var elements = 0
      for name in names where PinyinReader.reading(of: name).name == name { elements += 1 }
      return {
        try expect(elements == names.count, "\(elements) names were read")
        try expect(PinyinReader.section(of: "曾国华").title == "Z", "曾国华 is not under Z")
        try expect(PinyinReader.section(of: "单雨桐").title == "S", "单雨桐 is not under S")
      }
    }
  }

  static let search = Work(
    "search among 10,000 contacts", per: "query", goal: .nanoseconds(3e6), isSampled: true
  ) { _ in
    let items = screenItems()
    let index = SectionIndex(policy: SectionPolicy(friends: .all), contacts: items.map(listed))
    let queries = ["wang", "zw", "ouyang", "xiaomei", "smith", "zhang wei", "王", "gh"]
    var round = 0
    return Trial(units: 1) {
      let query = queries[round % queries.count]
      round += 1
      let found = index.search(NameQuery(query))
      return {
        guard query == "wang" else { return }
        let wanted = Set(items.filter { $0.name?.hasPrefix("王") ?? false }.map(\.jid))
        let missing = wanted.subtracting(found.map(\.id))
        try expect(!wanted.isEmpty && missing.isEmpty, "\(missing.count) were not found")
      }
    }
  }
}
