import CaptureGenerator
import Foundation
import RosterCore
import Rollcall
import XMPPStanza

// The questions of time travel.
extension Work {
  static let difference = Work(
    "difference in 10 of 10,000 contacts", per: "difference", goal: .nanoseconds(20e3)
  ) { _ in
    let items = GeneratedCapture(CaptureShape(stanzas: 10, contacts: 10_000)).final.items
    var roster = Roster()
    for item in items { _ = try push(item.jid, name: item.name, into: &roster) }
    let before = roster
    var touched: Set<BareJID> = []
    for number in 1...10 {
      let changes = try push(items[number * 997].jid, name: "renamed", into: &roster).changes
      touched.formUnion(changes.compactMap(\.contact))
    }
    let rounds = 1000
    return Trial(units: rounds) { [roster, touched] in
      var found = 0
      for _ in 0..<rounds { found += before.differences(to: roster, among: touched).count }
      return { try expect(found == 10 * rounds, "\(found) differences in \(rounds) rounds") }
    }
  }

  private static func push(
    _ contact: String, name: String?, into roster: inout Roster
  ) throws -> RosterOutcome {
    let attributes =
      [("jid", contact), ("subscription", "both")] + (name.map { [("name", $0)] } ?? [])
    let item = XMPPElement(
      XMLName("item", in: Namespace.roster),
      attributes: attributes.map { XMLAttribute(XMLName($0, in: ""), $1) })
    let query = XMPPElement(XMLName("query", in: Namespace.roster), content: [.element(item)])
    let iq = XMPPElement(
      XMLName("iq", in: Namespace.client),
      attributes: [XMLAttribute(XMLName("type", in: ""), "set")], content: [.element(query)])
    var encoder = EventEncoder()
    encoder.encode(iq, .inbound)
    guard let event = encoder.event else { return RosterOutcome() }
    let stamp = RecordStamp(record: roster.position + 1)
    return try RosterReducer.reduce(&roster, event.span.bytes, at: stamp)
  }

  static let diff = Work(
    "diff of two points, 1/200 of the log apart", per: "diff", goal: .nanoseconds(30e6),
    isSampled: true
  ) { subject in
    let path = try subject.log()
    let models = subject.capture.checkpoints.sorted { $0.record < $1.record }
    var number = 0
    return Trial(units: 1) {
      let (before, after) = (
        models[number % (models.count - 1)], models[number % (models.count - 1) + 1]
      )
      number += 1
      let diff = try Timeline(opened(path)).diff(
        from: .record(UInt64(before.record)), to: .record(UInt64(after.record)))
      return {
        let found = diff.differences.filter(\.difference.field.isOfItem)
        let wrong = Set(found.compactMap(\.difference.contact?.text))
          .symmetricDifference(before.itemsThatDiffer(from: after))
        try expect(wrong.isEmpty, "\(before.record) to \(after.record): \(wrong.sorted())")
      }
    }
  }

  static let bisect = Work(
    "bisect when a contact came", per: "search", isSampled: true
  ) { subject in
    let path = try subject.log()
    let end = UInt64(subject.capture.records)
    let contacts = subject.capture.final.items.map { BareJID(prepared: $0.jid) }
    var number = 0
    return Trial(units: 1) {
      let contact = contacts[number * 7919 % contacts.count]
      number += 1
      let timeline = try Timeline(opened(path))
      let found = try timeline.first(after: 0, upTo: end) { $0.roster.item(contact) != nil }
      return {
        guard case .at(let record) = found.transition else {
          throw WrongAnswer("\(contact) came with \(found.transition)")
        }
        let before = try timeline.state(at: .record(record - 1)).roster.item(contact)
        let after = try timeline.state(at: .record(record)).roster.item(contact)
        try expect(before == nil && after != nil, "\(contact) did not come with \(record)")
      }
    }
  }

  static let bisectAll = Work(
    "bisect with all transitions", per: "search", isSampled: true
  ) { subject in
    let path = try subject.log()
    let end = UInt64(subject.capture.records)
    let friends = subject.capture.final.items.filter { $0.subscription == "both" }
      .map { BareJID(prepared: $0.jid) }
    var number = 0
    return Trial(units: 1) {
      let friend = friends[number * 7919 % friends.count]
      number += 1
      let timeline = try Timeline(opened(path))
      let found = try timeline.course(of: .friend(friend), after: 0, upTo: end).transitions
      return {
        // A friend at the end was not one before the first record, so there is a transition.
        guard let last = found.last, last.holds else {
          throw WrongAnswer("\(friend) is no friend after \(found.count) transitions")
        }
        let before = try timeline.state(at: .record(last.record - 1)).roster.isMutual(friend)
        let after = try timeline.state(at: .record(last.record)).roster.isMutual(friend)
        try expect(!before && after, "\(friend) did not become a friend at \(last.record)")
      }
    }
  }

  static let history = Work(
    "history of one contact", per: "stanza", floor: .parse
  ) { subject in
    let path = try subject.log()
    let contacts = subject.capture.final.items.map { BareJID(prepared: $0.jid) }
    var number = 0
    return Trial(units: subject.capture.ends.count) {
      let contact = contacts[number * 7919 % contacts.count]
      number += 1
      var entries: [UInt64] = []
      let timeline = try Timeline(opened(path))
      let (state, _) = try timeline.history(of: contact, upTo: .head(minus: 0)) { entry, _ in
        entries.append(entry.moment.stamp.record)
      }
      return {
        try subject.capture.final.check(state.roster)
        // Each field of the item was set by a record in the history.
        let from = state.roster.entries[contact]?.provenance
        let wanted = from.map { [$0.item, $0.name, $0.subscription, $0.groups] } ?? []
        let missing = Set(wanted).subtracting(entries)
        try expect(!wanted.isEmpty && missing.isEmpty, "\(contact): \(missing) not in the history")
      }
    }
  }
}

extension ModelState {
  /// The addresses of items that only one of two states has or whose values differ.
  fileprivate func itemsThatDiffer(from other: ModelState) -> Set<String> {
    Set(Set(items).symmetricDifference(other.items).map(\.jid))
  }
}
