import CaptureGenerator
import RosterCore
import XMPPStanza

// Comparison of the library's answers with the generated model.
extension ModelState {
  /// Throws if a roster differs from the model.
  func check(_ roster: Roster) throws {
    try expect(
      roster.position == UInt64(record), "the state is of record \(roster.position), not \(record)")
    try expect(
      roster.entries.count == items.count,
      "\(roster.entries.count) contacts at \(record), not \(items.count)")
    for item in items { try check(item, roster) }
    try check("incoming", roster.incoming.keys, incoming)
    try check("unconfirmed", roster.unconfirmed.keys, unconfirmed)
    try check("outgoing", roster.outgoing.keys, outgoing)
    var shown: [String: Int] = [:]
    for (jid, presence) in roster.shownPresences where !presence.resources.isEmpty {
      shown[jid.text] = presence.resources.count
    }
    guard shown != resources else { return }
    let wrong = Set(shown.keys).union(resources.keys).filter { shown[$0] != resources[$0] }.sorted()
    throw WrongAnswer("presence at \(record) differs: \(wrong.prefix(5))")
  }

  private func check(_ item: Item, _ roster: Roster) throws {
    guard let found = roster.item(BareJID(prepared: item.jid)) else {
      throw WrongAnswer("\(item.jid) is missing at \(record)")
    }
    let same =
      found.name == item.name && found.subscription.rawValue == item.subscription
      && found.isPending == item.ask && found.isApproved == item.approved
      && Set(found.groups) == Set(item.groups) && found.groups.count == item.groups.count
    try expect(same, "at \(record) \(found) is not \(item)")
  }

  private func check(
    _ what: String, _ found: some Sequence<BareJID>, _ wanted: [String]
  ) throws {
    let found = found.map(\.text).sorted()
    try expect(
      Set(found) == Set(wanted),
      "\(what) at \(record) are \(Set(found).symmetricDifference(wanted).sorted()) off")
  }
}
