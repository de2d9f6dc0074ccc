import DequeModule
import RawBytes
import XMPPStanza

// A device that keeps a copy of the roster, and sends it back: what other devices have changed or
// removed meanwhile is as it was before (RFC 6121 §2.1.6 wants the pushes to be taken instead).
extension Reduction {
  // MARK: What was lost

  /// Keeps what the server takes out.
  mutating func itemLost(_ number: ContactNumber, _ old: ItemRow, isByRoster: Bool) {
    let groups = roster.contacts.groups(old.groups)
    guard groups.count < LostItem.groupLimit else { return }
    if roster.lostItems.count == LostItem.limit { roster.lostItems.removeFirst() }
    roster.lostItems.append(
      LostItem(
        contact: roster.contacts.address(of: number),
        fields: EditableFields(name: roster.contacts.text(old.name), groups: groups),
        subscription: old.subscription, at: stamp.record, isByRoster: isByRoster))
  }

  /// A set of ours had asked for the removal that the server shows now.
  mutating func removalShown(_ edit: PendingEdit, by device: String?) {
    guard edit.after == nil,
      let last = roster.lostItems.lastIndex(where: { $0.contact == edit.contact }),
      roster.lostItems[last].at == stamp.record
    else { return }
    roster.lostItems[last].edit = edit.sent.record
    roster.lostItems[last].device = device
  }

  // MARK: What is put back

  /// What a set puts back that another device, or something that the log does not show, had changed
  /// or removed; nil if it puts nothing back.
  func restoration(
    by after: EditableFields?, of number: ContactNumber, from before: EditableFields?
  ) -> Restoration? {
    guard let after else { return nil }
    var found =
      before == nil
      ? restoredContact(number, after) : restoredFields(number, after, from: before)
    guard found != nil else { return nil }
    if isAfterLogin { found?.evidence.insert(.afterLogin) }
    if let last = session.lastSet, last.contact != roster.contacts.address(of: number),
      isInRow(last.sent)
    {
      found?.evidence.insert(.burst)
    }
    return found
  }

  private func restoredContact(
    _ number: ContactNumber, _ after: EditableFields
  ) -> Restoration? {
    let jid = roster.contacts.address(of: number)
    guard let lost = roster.lostItems.last(where: { $0.contact == jid }), lost.fields == after
    else { return nil }
    if lost.edit != nil {
      guard isOtherDevice(lost.device) else { return nil }
    } else {
      // If a login shows that a contact is gone, a person adds an old friend again.
      guard !lost.isByRoster || isAfterLogin else { return nil }
    }
    return Restoration(
      fields: nil, subscription: lost.subscription, edit: lost.edit, device: lost.device,
      lostAt: lost.at)
  }

  /// A set that also changes something else is reported as outdated.
  private func restoredFields(
    _ number: ContactNumber, _ after: EditableFields, from now: EditableFields?
  ) -> Restoration? {
    guard let edit = roster.contacts.confirmedEdit(of: number), let before = edit.before,
      let now, edit.after == now, before == after, before != now, isOtherDevice(edit.device)
    else { return nil }
    let fields = RestoredFields(from: now, to: after)
    return Restoration(
      fields: fields,
      subscription: roster.contacts.item(of: number)?.subscription ?? .none, edit: edit.sent,
      device: edit.device, lostAt: nil, evidence: fields.isBoth ? .bothFields : [])
  }

  private func isOtherDevice(_ device: String?) -> Bool {
    guard let device, let mine = session.resource else { return false }
    return !mine.hasSameBytes(as: device)
  }

  /// Whether the session was given the roster only just now: no person edits it so soon.
  private var isAfterLogin: Bool {
    session.fetchedAt?.isFollowed(by: stamp, within: PutBack.login) ?? false
  }

  private func isInRow(_ earlier: RecordStamp) -> Bool {
    earlier.isFollowed(by: stamp, within: PutBack.pause)
  }

  // MARK: Deciding

  /// The session sends a set for a contact. One that it has just sent for another is in a row with
  /// this one.
  mutating func setFollows(for contact: BareJID) {
    if let last = session.pendingEdits.indices.last {
      let edit = session.pendingEdits[last]
      if edit.restores != nil, edit.contact != contact, isInRow(edit.sent) {
        session.pendingEdits[last].restores?.evidence.insert(.burst)
      }
    }
    for index in roster.putBacks.indices {
      let putBack = roster.putBacks[index]
      guard putBack.connection == session.connection, putBack.contact != contact,
        isInRow(putBack.last)
      else { continue }
      roster.putBacks[index].restoration.evidence.insert(.burst)
    }
    session.lastSet = LastSet(contact: contact, sent: stamp)
  }

  /// The server shows what a set put back. It is held until a minute has passed without another
  /// one for the contact.
  mutating func putBackShown(_ edit: PendingEdit, of place: Int) {
    guard let restoration = edit.restores else { return }
    let device = roster.sessions[place].resource
    let known = roster.putBacks.firstIndex {
      $0.contact == edit.contact && !$0.last.isLongBefore(edit.sent)
    }
    if let known {
      roster.putBacks[known].count += 1
      roster.putBacks[known].last = edit.sent
      roster.putBacks[known].restoration.evidence.formUnion(restoration.evidence)
      if let device, !device.hasSameBytes(as: roster.putBacks[known].device ?? device) {
        roster.putBacks[known].rival = device
      }
    } else {
      if roster.putBacks.count >= HeldPutBack.limit { report(roster.putBacks.removeFirst()) }
      let number = roster.contacts.insert(edit.contact)
      roster.putBacks.append(
        HeldPutBack(
          contact: edit.contact, sent: edit.sent, restoration: restoration,
          subscription: roster.contacts.item(of: number)?.subscription ?? .none,
          connection: roster.sessions[place].connection, device: device, last: edit.sent))
    }
  }

  /// Reports what was put back, once nothing more has been for a while.
  mutating func reportSettledPutBacks() {
    while let index = roster.putBacks.firstIndex(where: { $0.last.isLongBefore(stamp) }) {
      report(roster.putBacks.remove(at: index))
    }
  }

  /// The log ends: no set will follow.
  mutating func reportPutBacks() {
    while !roster.putBacks.isEmpty { report(roster.putBacks.removeFirst()) }
  }

  private mutating func report(_ held: HeldPutBack) {
    var known = held.restoration
    if held.count >= Rounds.loop { known.evidence.insert(.rounds) }
    // Without a removal of ours, and without a sign of an old copy, a person adds a contact again.
    guard reportsOutcome, known.edit != nil || !known.evidence.isEmpty else { return }
    let isLess =
      known.subscription != held.subscription
      && (known.subscription.includesTo || !held.subscription.includesTo)
      && (known.subscription.includesFrom || !held.subscription.includesFrom)
    let putBack = PutBack(
      fields: known.fields, of: known.device, edit: known.edit, lostAt: known.lostAt,
      before: isLess ? known.subscription : nil, rival: held.rival, evidence: known.evidence)
    let extent =
      held.count > 1
      ? Finding.Extent(count: held.count, first: held.sent.record, last: held.last.record) : nil
    report(
      .edit(.putBack(putBack)), about: held.contact, cause: held.sent.record,
      by: .connection(held.connection, held.device), extent: extent)
  }
}

extension PutBack {
  /// Sets that follow each other sooner are in a row, in milliseconds of log time.
  static let pause: Int64 = 1_000
  /// A set that follows a roster sooner is hardly a person's.
  static let login: Int64 = 2_000
}
