import DequeModule
import RawBytes
import XMPPStanza

// Our roster sets, kept until the server has answered and pushed (§2.1.5, §2.3 to §2.5). They
// change no item: only the server's word does.
extension Reduction {
  mutating func setSent(_ set: StoredSet) {
    let to = set.head.peer?.jid
    guard owner.isOwnAccount(to) else {
      report(.edit(.foreignSet), about: to?.bare)
      return
    }
    if set.head.id == nil { report(.answer(.missingID(.set))) }
    let count = set.query.count + set.query.malformed.count
    if count != 1 { report(.edit(.itemCount(count))) }
    for item in set.query.malformed {
      report(.item(.malformed(jid: item.jid, reason: item.reason, .outbound)))
    }
    let id = String?(decoding: set.head.id)
    set.query.forEach { editBegan($0, id: id) }
  }

  private mutating func editBegan(_ item: StoredItem, id: String?) {
    let number = roster.contacts.insert(address: item.address)
    let contact = item.jid
    let before = editableFields(of: number)
    let after = item.fields?.editable
    let premature = after.flatMap { _ in prematureSet(contact, number, before) }
    var restores: Restoration?
    // What is lost because the roster was not known, and what is put back, is reported once the
    // server has taken it.
    if after.flatMap({ premature?.loss(by: $0) }) == nil {
      restores = restoration(by: after, of: number, from: before)
      if let before, let after, restores == nil { reportLostGroups(contact, before, after) }
      if let after { reportOutdated(contact, number, after) }
    }
    setFollows(for: contact)
    settleAlteredSets(for: contact)
    mayBePushed(contact)
    forgetConfirmedEdit(of: number)
    if after == nil, before != nil { endBegan(number) }
    guard id != nil else { return unidentifiedRequestSent(about: contact) }
    if session.pendingEdits.isEmpty { session.hasForgottenEdits = false }
    session.pendingEdits.append(
      PendingEdit(
        id: id, contact: contact, sent: stamp, before: before, after: after, premature: premature,
        restores: restores))
    expectAnswer()
    while session.pendingEdits.count > 1,
      session.pendingEdits.count > WaitingLimit.count || session.hasTooManyGroups
    {
      let oldest = session.pendingEdits.removeFirst()
      if !oldest.isPushed { session.hasForgottenEdits = true }
      reportUnfinished(oldest, by: .session(place))
    }
  }

  /// A device that keeps a copy of the contact sends all of it with each edit.
  private mutating func reportOutdated(
    _ jid: BareJID, _ number: ContactNumber, _ set: EditableFields
  ) {
    guard reportsOutcome, let edit = roster.contacts.confirmedEdit(of: number),
      let device = edit.device,
      let other = session.resource, !other.hasSameBytes(as: device),
      let lost = edit.takenBack(by: set)
    else { return }
    report(.edit(.outdated(lost, of: device)), about: jid, cause: edit.sent)
  }

  func editableFields(of number: ContactNumber) -> EditableFields? {
    roster.contacts.item(of: number).map { row in
      EditableFields(
        name: roster.contacts.text(row.name), groups: roster.contacts.groups(row.groups))
    }
  }

  /// What we do next about a contact explains what the server does then.
  mutating func forgetConfirmedEdit(of number: ContactNumber) {
    guard roster.contacts.hasConfirmedEdit(of: number) else { return }
    roster.contacts.updateDetails(of: number) { $0.confirmedEdit = nil }
  }

  /// A set replaces all groups: a client that renames a contact or one of its groups must send
  /// the other groups along.
  private mutating func reportLostGroups(
    _ jid: BareJID, _ before: EditableFields, _ after: EditableFields
  ) {
    // To find out takes as long as the list of groups, which a set need not have.
    guard reportsOutcome else { return }
    let lost = before.groups.without(after.groups)
    let gained = after.groups.without(before.groups)
    if gained.count == 1, lost.count > 1 {
      report(.edit(.groupsLost(by: .move(gained[0]), lost: lost)), about: jid)
    } else if after.groups.isEmpty, !lost.isEmpty, !before.name.hasSameBytes(as: after.name) {
      report(.edit(.groupsLost(by: .rename, lost: lost)), about: jid)
    }
  }

  // MARK: The answer

  mutating func setAnswered(by answer: StoredAnswer) {
    let cause = session.pendingEdits.first { $0.id.hasBytes(answer.head.id) }?.sent.record
    let from = answer.head.peer?.jid
    guard owner.isOwnServer(from) else {
      report(.answer(.spoofed(from: from, to: .set)), about: from?.bare, cause: cause)
      return
    }
    if case .roster = answer.payload { report(.answer(.unsolicitedRoster), cause: cause) }
    // One request has one answer (RFC 6120 §8.2.3).
    let id = String?(decoding: answer.head.id)
    let isMine = { (edit: PendingEdit) in !edit.isAnswered && edit.id.hasSameBytes(as: id) }
    let mine = session.pendingEdits.filter(isMine)
    guard !mine.isEmpty else { return }
    session.pendingEdits.removeAll(where: isMine)
    // What a session is resumed for is sent again, and the answer may be to the first of both.
    if let first = mine.first { serverAnswered(first.sent.record) }
    // A set that a resumed session has sent again is one set.
    var answered: Set<BareJID> = []
    for edit in mine.filter(\.isPushed) + mine.filter({ !$0.isPushed })
    where answered.insert(edit.contact).inserted {
      editAnswered(edit, by: answer)
    }
  }

  private mutating func editAnswered(_ edit: PendingEdit, by answer: StoredAnswer) {
    let number = roster.contacts.insert(edit.contact)
    if case .error(let refusal) = answer.payload {
      guard !isRemoved(number, after: edit, refusal) else { return noteNews(of: edit.contact) }
      report(.edit(.refused(refusal)), about: edit.contact, cause: edit.sent.record)
      return
    }
    // A set that changes nothing needs no push, unless what it changes is still to be pushed.
    let isOvertaking = session.pendingEdits.contains {
      $0.contact == edit.contact && !$0.isPushed && !$0.isReportedAsOverdue
        && $0.sent.record < edit.sent.record
    }
    if edit.isPushed || !isOvertaking && editableFields(of: number) == edit.after {
      editConfirmed(edit, number, by: .session(place))
    } else {
      var answered = edit
      answered.altered = alteredSetAnswered(edit)
      answered.isAnswered = true
      // Its push is now waited for as that of any other.
      answered.isReportedAsOverdue = false
      // A push may still follow a late answer.
      if let now = stamp.clock, let due = edit.sent.clock?.adding(Timeout.answer), now > due {
        answered.sent.time = now
        expectAnswer()
      }
      session.pendingEdits.append(answered)
    }
  }

  /// Whether a removal was refused because the contact has left the roster since it was sent, by
  /// another set or another device.
  private func isRemoved(
    _ number: ContactNumber, after edit: PendingEdit, _ refusal: ErrorReport
  ) -> Bool {
    edit.after == nil && edit.before != nil && refusal.condition == "item-not-found"
      && roster.contacts.item(of: number) == nil
  }

  mutating func editConfirmed(
    _ edit: PendingEdit, _ number: ContactNumber, by origin: Origin
  ) {
    reportLoss(by: edit, of: origin)
    // A later set of ours explains whatever comes after this one.
    guard !roster.sessions.hasTimelyEdit(of: edit.contact) else { return }
    let confirmed = ConfirmedEdit(
      sent: edit.sent.record, device: source(of: origin)?.device, before: edit.before,
      after: edit.after)
    roster.contacts.updateDetails(of: number) { $0.confirmedEdit = confirmed }
  }

  // MARK: What the server shows

  /// Compares what the server now shows with what we asked for.
  mutating func compareWithEdits(
    _ number: ContactNumber, _ fields: StoredFields?, _ source: ItemSource
  ) {
    // Nearly always there is none for this contact.
    guard roster.contacts.hasDetails(number) || roster.hasOpenEdits else { return }
    let confirmed = roster.contacts.confirmedEdit(of: number)
    guard confirmed != nil || roster.hasOpenEdits else { return }
    let jid = roster.contacts.address(of: number)
    guard confirmed != nil || roster.sessions.hasEdit(of: jid) || !roster.abandonedEdits.isEmpty
    else { return }
    let now = fields?.editable
    if let confirmed, confirmed.after != now {
      forgetConfirmedEdit(of: number)
      if confirmed.before == now {
        report(.edit(.undone(now)), about: jid, cause: confirmed.sent)
      }
    }
    if source.isPush, let now, !isAsked(for: now, of: jid) { setAltered(jid, by: now) }
    // The server may show it to any of our connections first.
    for place in roster.sessions.all.indices { comparePending(jid, number, now, of: place) }
    compareAbandoned(jid, number, now)
  }

  /// Whether a set of ours that is not shown yet asked for what the server shows now.
  private func isAsked(for now: EditableFields, of jid: BareJID) -> Bool {
    roster.sessions.all.indices.contains {
      roster.sessions[$0].shownEdit(of: jid, by: now) != nil
    } || roster.abandonedEdits.contains { $0.edit.contact == jid && $0.edit.after == now }
  }

  private mutating func comparePending(
    _ jid: BareJID, _ number: ContactNumber, _ now: EditableFields?, of place: Int
  ) {
    for index in roster.sessions[place].pendingEdits.indices
    where roster.sessions[place].pendingEdits[index].isReplacing(now, of: jid) {
      roster.sessions[place].pendingEdits[index].premature?.replaced = now
    }
    // What waits is not held while it changes: it would be copied.
    if let index = roster.sessions[place].shownEdit(of: jid, by: now) {
      roster.sessions[place].pendingEdits[index].isPushed = true
      editShown(roster.sessions[place].pendingEdits[index], of: place)
      guard roster.sessions[place].pendingEdits[index].isAnswered else { return }
      let edit = roster.sessions[place].pendingEdits.remove(at: index)
      editConfirmed(edit, number, by: .session(place))
    } else if let index = roster.sessions[place].pendingEdits.lastIndex(where: {
      $0.contact == jid
    }), roster.sessions[place].pendingEdits[index].isContradicted(by: now) {
      let edit = roster.sessions[place].pendingEdits.remove(at: index)
      guard edit.altered == nil else { return reportUnfinished(edit, by: .session(place)) }
      report(.edit(.undone(now)), about: jid, cause: edit.sent.record, by: .session(place))
    }
  }

  // MARK: Giving up

  /// The server has ended the stream: what it has answered and not pushed, it does not push.
  mutating func reportUnpushedEdits(of place: Int) {
    guard roster.hasReceived else { return }
    let answered = roster.sessions[place].pendingEdits.filter(\.isAnswered)
    roster.sessions[place].pendingEdits.removeAll(where: \.isAnswered)
    for edit in answered { reportUnfinished(edit, by: .session(place)) }
  }

  mutating func reportUnfinished(_ edit: PendingEdit, by origin: Origin) {
    guard roster.hasReceived, !edit.isReportedAsOverdue else { return }
    if let altered = edit.altered, let asked = edit.after, edit.isAnswered {
      alteredSetDecided(edit, altered, by: origin)
      report(
        .edit(.altered(altered.fields, asked: asked)), about: edit.contact,
        cause: edit.sent.record, by: origin)
    } else if edit.isAnswered {
      report(
        .edit(.unpushed), about: edit.contact, cause: edit.sent.record, by: origin)
    } else if !edit.isPushed {
      report(
        .edit(.unanswered(isMissing: false)), about: edit.contact, cause: edit.sent.record,
        by: origin)
    }
  }
}

extension Session {
  /// The oldest edit of a contact that what the server shows can be the effect of.
  ///
  /// A server carries sets out in order. So as long as it has neither answered nor pushed one, what
  /// looks like the effect of a later one that undoes it is what there was before both.
  fileprivate func shownEdit(of contact: BareJID, by now: EditableFields?) -> Int? {
    let edits = pendingEdits
    return edits.indices.first { index in
      let edit = edits[index]
      return edit.contact == contact && !edit.isPushed && edit.after == now
        && !edits.contains {
          $0.contact == contact && $0.sent.record < edit.sent.record && $0.isOutstanding
            && $0.before == now
        }
    }
  }

  /// Whether the edits that wait have more groups together than are kept.
  fileprivate var hasTooManyGroups: Bool {
    func count(_ edit: PendingEdit) -> Int {
      [
        edit.before, edit.after, edit.premature?.known, edit.premature?.replaced,
        edit.altered?.fields,
      ]
      .reduce(0) { $0 + ($1?.groups.count ?? 0) }
    }
    // Where an edit has few, all of them have few enough, or it was looked at when one had many.
    guard let last = pendingEdits.last, count(last) > WaitingLimit.groups / WaitingLimit.count
    else {
      return false
    }
    return pendingEdits.reduce(0) { $0 + count($1) } > WaitingLimit.groups
  }
}
