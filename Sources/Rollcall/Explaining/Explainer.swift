import ContactSections
import RosterCore
import XMPPStanza

/// Finds the reasons of an explanation. The contact is called “it” in all of them.
struct Explainer {
  let roster: Roster
  let replay: ContactReplay
  let friends: SectionPolicy.Friends
  let names: ConnectionNames

  var contact: BareJID { replay.contact }
  var item: RosterItem? { roster.item(contact) }
  var state: SubscriptionState { SubscriptionState(of: contact, in: roster) }

  /// Whether the contact is the account itself: a server may keep an item of it.
  var isOwn: Bool { contact == roster.account }

  var isFriend: Bool { item.map { friends.includes($0.subscription) } ?? false }

  /// Whether the log has neither the session's beginning nor the whole roster, so that what it
  /// lacks may have come before it began.
  var isFragment: Bool {
    replay.session.boundAt == nil && roster.completeness != .complete
  }

  // MARK: Friends

  var friend: Explanation.Topic {
    var reasons = item.map { itemReasons($0) } ?? absenceReasons
    reasons += unshownEnds + [ownSet, passedOver, ignoredPushes, neverFetched].compactMap { $0 }
    return Explanation.Topic(
      subject: .friend, verdict: friendVerdict, reasons: reasons, change: friendChange)
  }

  /// An address without an item may be a contact if the log never had the whole roster.
  private var friendVerdict: Explanation.Verdict {
    if isFriend { return .yes }
    return item == nil && mayBeContact ? .unknown : .no
  }

  /// Whether the contact may have an item that the log lacks, as one without the whole roster does.
  var mayBeContact: Bool { replay.removal == nil && roster.completeness != .complete }

  private func itemReasons(_ item: RosterItem) -> [Explanation.Reason] {
    guard let entry = roster.entries[contact] else { return [] }
    let since = entry.provenance.subscription
    var records: [UInt64?] = [since]
    var text =
      "Its item is “\(item.subscription.rawValue)” since #\(since), "
      + source(since, of: since == entry.provenance.item ? .item : .subscription)
    if item.isPending {
      records.append(entry.provenance.ask)
      text += ", and the server waits for its answer since #\(entry.provenance.ask) (ask)"
    }
    if let removal = replay.removal, removal.record < entry.provenance.item {
      records += [removal.record, entry.provenance.item]
      text +=
        "; it had left the roster at #\(removal.record) and came back at "
        + "#\(entry.provenance.item)"
    }
    var reasons = [Explanation.Reason(.item, records, text + ".")] + contradictions
    if let earlier = earlierEnding {
      reasons.append(earlier)
    } else if let before = replay.subscriptions.dropLast().last {
      let sentence = "It had been “\(before.value.rawValue)” until then."
      reasons.append(Explanation.Reason(.earlierSubscription, [before.record], sentence))
    }
    reasons.append(Explanation.Reason(.directions, Self.directions(item.subscription)))
    if item.isApproved {
      reasons.append(Explanation.Reason(.approved, "A request of it is approved in advance."))
    }
    return reasons
  }

  private static func directions(_ subscription: RosterSubscription) -> String {
    switch subscription {
    case .both: "Each of you sees the other's presence."
    case .to: "We see its presence; it does not see ours."
    case .from: "It sees our presence; we do not see its."
    case .none: "Neither sees the other's presence."
    }
  }

  /// What showed a field at a record, and who asked for it.
  private func source(_ record: UInt64, of field: StateField) -> String {
    guard let source = replay.itemSources[record] else { return "the server's word" }
    let what = source.isPush ? "a push of the server" : "the roster that the server sent"
    return what + reason(source, of: field)
  }

  /// The subscription before the last two changes, if both took something away: together they are
  /// one ending.
  private var earlierEnding: Explanation.Reason? {
    let known = replay.subscriptions.suffix(3)
    guard known.count == 3, let before = known.first, let last = known.last,
      let middle = known.dropFirst().first, middle.value.isLess(than: before.value),
      last.value.isLess(than: middle.value), let source = replay.itemSources[middle.record],
      let why = source.origins.first(where: { $0.explains(.subscription) })
    else { return nil }
    return Explanation.Reason(
      .earlierSubscription, [middle.record],
      "It had been “\(before.value.rawValue)” until #\(middle.record), "
        + why.clause(of: "it", by: names.agent(of: why, roster)) + ".")
  }

  /// Who asked for what the server showed of a field, after a comma; empty if that is not known.
  private func reason(_ source: ContactReplay.ItemSource, of field: StateField) -> String {
    source.origins.filter { $0.explains(field) }
      .map { ", " + $0.clause(of: "it", by: names.agent(of: $0, roster)) }.joined()
  }

  private var absenceReasons: [Explanation.Reason] {
    if let removal = replay.removal {
      let how = removal.value.isPush ? "the server pushed its removal" : "the whole roster lacks it"
      let known = reason(removal.value, of: .item)
      let isUnasked = known.isEmpty && removal.value.isPush && removal.value.hasAllSets
      let why =
        isUnasked
        ? "; no set of ours asked for that: another of our devices did, or the server" : known
      let sentence = "It left the roster at #\(removal.record): \(how)\(why)."
      return [Explanation.Reason(.left, [removal.record], sentence)] + contradictions
    }
    guard roster.completeness == .complete, let record = replay.wholeRoster else {
      let unknown = roster.completeness.clause
      return [
        Explanation.Reason(
          .notSeen, "Nothing that the server said has it as a contact, but \(unknown).")
      ]
    }
    return [
      Explanation.Reason(
        .absent, [record],
        "It is no contact: the whole roster of #\(record) lacks it, and no push since has it.")
    ] + contradictions
  }

  /// The acceptances that contradict the roster.
  private var contradictions: [Explanation.Reason] {
    var reasons: [Explanation.Reason] = []
    if let end = roster.ended[contact],
      let finding = replay.requests.unshownAcceptance(of: end, from: contact, in: roster)
    {
      let device = replay.requests.device(ending: contact, at: end.at.record, names)
      reasons.append(
        Explanation.Reason(
          .contradiction, [end.at.record, finding],
          "That contradicts #\(end.at.record), where \(device ?? "we") accepted its request: the "
            + "server did not take the answer, or lost it (#\(finding), RFC 6121 §3.1.5)."))
    }
    if let end = roster.endedOutgoing[contact],
      let finding = replay.requests.unshownAcceptance(of: end, to: contact, in: roster)
    {
      reasons.append(
        Explanation.Reason(
          .contradiction, [end.at.record, finding],
          "That contradicts #\(end.at.record), where it accepted our request: the server probably "
            + "did not take the answer, or lost it (#\(finding), RFC 6121 §3.1.6)."))
    }
    return reasons
  }

  /// Ends of the subscription that we sent, and that the server does not show.
  private var unshownEnds: [Explanation.Reason] {
    guard let item else { return [] }
    let shown = replay.subscriptions.last?.record ?? 0
    func last(_ kind: SubscriptionStanza.Kind) -> UInt64? {
      replay.stanzas.last { $0.isOurs && $0.kind == kind && $0.record > shown }?.record
    }
    var sent: [(word: String, record: UInt64)] = []
    if item.subscription.includesTo, let record = last(.unsubscribe) {
      sent.append(("“unsubscribe”", record))
    }
    if item.subscription.includesFrom, let record = last(.unsubscribed) {
      sent.append(("“unsubscribed”", record))
    }
    guard !sent.isEmpty else { return [] }
    let stanzas = sent.map { "\($0.word) of #\($0.record)" }.joined(separator: " and our ")
    return [
      Explanation.Reason(
        .endNotShown, sent.map(\.record),
        "The server has not shown that our \(stanzas) changed anything: only its pushes and "
          + "rosters count (RFC 6121 §3.2.2, §3.3.2).")
    ]
  }

  /// The last set of ours, where the server does not show what it asked for.
  private var ownSet: Explanation.Reason? {
    guard let set = replay.sets.last else { return nil }
    func reason(_ fate: String, at record: UInt64? = nil) -> Explanation.Reason {
      Explanation.Reason(.set, [set.record, record], "Our set of #\(set.record) \(fate)")
    }
    switch set.fate {
    case .shown: return nil
    case .open: return reason("has no answer yet: only a push or a roster of the server counts.")
    case .answered(let record):
      if set.wanted?.name == item?.name, set.wanted?.groups == item?.groups { return nil }
      return reason(
        "was taken at #\(record), but the server has pushed nothing of it yet.", at: record)
    case .refused(let record, let report):
      return reason(
        "was refused at #\(record) (\(report.clause)) and changed nothing.", at: record)
    case .unanswered: return reason("was never answered and changed nothing.")
    case .unpushed: return reason("was taken but never pushed, and changed nothing.")
    case .undone(let record):
      return reason(
        "was undone at #\(record): the server or another of our devices did it.", at: record)
    }
  }

  /// A subscription that our last set asked for: no set can.
  private var passedOver: Explanation.Reason? {
    guard let set = replay.sets.last, let named = set.passedOver, !isFriend else { return nil }
    return Explanation.Reason(
      .setOfSubscription, [set.record],
      "Our set of #\(set.record) named “\(named.rawValue)”, which the server passes over: a set "
        + "changes no subscription, a request and its acceptance do (RFC 6121 §2.1.5).")
  }

  private var ignoredPushes: Explanation.Reason? {
    let records = replay.findings.filter { $0.code == .foreignPush }.map(\.record)
    guard !records.isEmpty else { return nil }
    return Explanation.Reason(
      .ignoredPush, records,
      "What \(records.list) pushed about it was ignored: only our own server may push, from no "
        + "address or from our bare address (RFC 6121 §2.1.6).")
  }

  /// A session that has not requested the roster is sent no pushes. One that got a roster has
  /// requested it.
  private var neverFetched: Explanation.Reason? {
    guard let boundAt = replay.session.boundAt, replay.session.rosterAskedAt == nil,
      (replay.wholeRoster ?? 0) < boundAt, !roster.isInboundOnly
    else { return nil }
    let known = replay.wholeRoster.map { "; what is shown is from the roster of #\($0)" } ?? ""
    return Explanation.Reason(
      .neverFetched, [boundAt, replay.wholeRoster],
      "The session of #\(boundAt) never asked for the roster, and so the server pushes it no "
        + "changes (RFC 6121 §2.2)\(known).")
  }

  private var friendChange: String {
    if isOwn {
      return "It is our own account: only an item of it that the server pushes, or its removal, "
        + "changes that."
    }
    let way = state.wayToBoth
    switch (friends, isFriend) {
    case (.mutual, true):
      return "It stops being one when the server pushes another subscription or its removal: after "
        + "an “unsubscribe” or “unsubscribed” of either side, or a removal by one of our devices."
    case (.mutual, false):
      return "It becomes one when \(way ?? "the server pushes “both”"), and the server pushes "
        + "“both”."
    case (.subscribed, true):
      return "It stops being one when the server pushes “none” or its removal."
    case (.subscribed, false):
      return "It becomes one when either side accepts a request of the other, and the server "
        + "pushes “to”, “from” or “both”."
    case (.all, true): return "It stops being one when the server pushes its removal."
    case (.all, false): return "It becomes one when the server pushes an item of it."
    }
  }

  // MARK: The contacts screen

  var section: Explanation.Topic {
    let name = roster.name(of: contact)
    let own = roster.annotations[contact]
    let reading = PinyinReader.reading(of: own?.reading ?? name.text)
    let letter = reading.section.title
    var reasons = [Explanation.Reason(.listed, place(under: letter))]
    if let request = roster.incoming[contact] {
      reasons.append(
        Explanation.Reason(
          .requestListed, [request.since.record],
          "Its request is in the menu section above the letters."))
    }
    let read = reading.pinyin == name.text ? "" : " (read “\(reading.pinyin)”)"
    reasons.append(
      Explanation.Reason(
        .name, [name.record], "It is called “\(name.text)”\(read): \(nameSource(name))."))
    if let cleared = replay.clearedName, item != nil {
      reasons.append(
        Explanation.Reason(
          .clearedName, [cleared.record],
          "The roster called it “\(cleared.value)” until #\(cleared.record), when the name was "
            + "cleared: \(setter(of: .name, at: cleared.record))."))
    }
    if let groups = groupReason { reasons.append(groups) }
    if let own, own.reading != nil, let record = own.readingRecord {
      reasons.append(
        Explanation.Reason(
          .reading, [record], "The user set at #\(record) that it is read so."))
    }
    return Explanation.Topic(
      subject: .section, verdict: friendVerdict, reasons: reasons,
      change: name.source == .roster
        ? "It is called otherwise when the server pushes another name."
        : "A name in the roster would come before this one.")
  }

  private func place(under letter: String) -> String {
    if isFriend { return "It is a friend, listed under “\(letter)”." }
    return item == nil && mayBeContact
      ? "Whether it is a friend is not known; as one it would be listed under “\(letter)”."
      : "It is in no section, because it is not a friend; as one it would be listed under "
        + "“\(letter)”."
  }

  private func nameSource(_ name: DisplayedName) -> String {
    let at = name.record.map { " of #\($0)" } ?? ""
    switch name.source {
    case .roster:
      return "the name in the roster, set at #\(name.record ?? 0) by \(nameSetter(name))"
    case .nickname: return "the roster has no name, so its own nickname\(at) counts"
    case .vCardNickname: return "the roster has no name, so its vCard's NICKNAME\(at) counts"
    case .vCardFullName: return "the roster has no name, so its vCard's FN\(at) counts"
    case .address: return "no name of it is known, so its address counts"
    }
  }

  /// The groups that the contact is in, or has left, and who asked for that.
  private var groupReason: Explanation.Reason? {
    guard let entry = roster.entries[contact] else { return nil }
    let (groups, since) = (entry.item.groups, entry.provenance.groups)
    guard !groups.isEmpty || since > entry.provenance.item else { return nil }
    let place =
      groups.isEmpty
      ? "no group"
      : "the group\(groups.count == 1 ? "" : "s") “\(groups.joined(separator: "”, “"))”"
    return Explanation.Reason(
      .groups, [since], "It is in \(place) since #\(since), \(setter(of: .groups, at: since)).")
  }

  private func nameSetter(_ name: DisplayedName) -> String {
    name.record.map { setter(of: .name, at: $0) } ?? "the server"
  }

  /// What showed a name or groups at a record, and who asked for them.
  private func setter(of field: StateField, at record: UInt64) -> String {
    guard let known = replay.itemSources[record] else { return "the server" }
    let isFirst = record == roster.entries[contact]?.provenance.item
    let text = source(record, of: isFirst ? .item : field)
    guard known.isPush, known.hasAllSets, !isFirst, reason(known, of: field).isEmpty else {
      return text
    }
    return text + "; no set of ours asked for it: another of our devices did, or the server"
  }
}

extension [UInt64] {
  /// Record numbers in a sentence: `#1`, `#1 and #2`, `#1, #2 and #3`.
  var list: String {
    let texts = map { "#\($0)" }
    guard let last = texts.last, texts.count > 1 else { return texts.first ?? "" }
    return texts.dropLast().joined(separator: ", ") + " and " + last
  }
}

extension RosterSubscription {
  /// Whether one of the two sees less than by another subscription, and neither sees more.
  fileprivate func isLess(than other: RosterSubscription) -> Bool {
    self != other && (other.includesTo || !includesTo) && (other.includesFrom || !includesFrom)
  }
}
