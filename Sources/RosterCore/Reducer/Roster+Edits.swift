import HashTreeCollections
import XMPPStanza

// Our roster sets, kept until the server has answered and pushed (§2.1.5, §2.3 to §2.5). They
// change no item: only the server's word does.
extension Roster {
  mutating func send(_ set: RosterSet, _ step: inout Step) {
    guard isOwnAccount(set.to) else {
      step.find(
        .foreignSet, about: set.to?.bare,
        "A roster set to another address changes nothing of ours (RFC 6121 §2.1.5).")
      return
    }
    if set.id == nil {
      step.find(.missingID, "A set without an id cannot be answered (RFC 6120 §8.2.3).")
    }
    let count = set.query.items.count + set.query.spoiled.count
    if count != 1 {
      step.find(
        .setItemCount,
        "A set of \(count) items: a set holds exactly one, and a server refuses it otherwise "
          + "(RFC 6121 §2.1.5).")
    }
    for spoiled in set.query.spoiled {
      step.find(
        .malformedItem,
        "We sent the item \(spoiled.jid.map { "“\($0)” " } ?? "")malformed: \(spoiled.reason).")
    }
    for item in set.query.items { begin(item, id: set.id, &step) }
  }

  private mutating func begin(_ item: RosterQuery.Item, id: String?, _ step: inout Step) {
    let before = entries[item.jid].map { EditableFields($0.item) }
    var after: EditableFields?
    if case .set(let wanted) = item.change { after = EditableFields(wanted) }
    if let before, let after { reportLostGroups(item.jid, before, after, &step) }
    edits.settled[item.jid] = nil
    guard id != nil else { return }
    edits.pending.append(
      PendingEdit(id: id, contact: item.jid, sent: step.stamp, before: before, after: after))
    expectAnswer(after: step.stamp)
    if edits.pending.count > Waiting.limit { edits.pending.removeFirst().reportUnfinished(&step) }
  }

  /// A set replaces all groups: a client that renames a contact or one of its groups must send
  /// the other groups along.
  private func reportLostGroups(
    _ jid: BareJID, _ before: EditableFields, _ after: EditableFields, _ step: inout Step
  ) {
    let lost = before.groups.filter { !after.groups.contains($0) }
    let gained = after.groups.filter { !before.groups.contains($0) }
    let what: String
    if gained.count == 1, lost.count > 1 {
      what = "puts \(jid) into “\(gained[0])”"
    } else if after.groups.isEmpty, !lost.isEmpty, before.name != after.name {
      what = "renames \(jid)"
    } else {
      return
    }
    step.find(
      .groupsLost, about: jid,
      "The set \(what) and takes it out of “\(lost.joined(separator: "”, “"))”: a set replaces "
        + "all groups (RFC 6121 §2.1.2.6).")
  }

  mutating func settleEdits(_ answer: Answer, _ step: inout Step) {
    let mine = edits.pending.filter { $0.id == answer.id }
    guard isOwnServer(answer.from) else {
      step.find(
        .spoofedAnswer, about: answer.from?.bare, cause: mine.first?.sent.record,
        "An answer from \(answer.from?.description ?? "nobody") to our roster set was ignored: "
          + "only our own server answers it (RFC 6120 §8.1.2.1).")
      return
    }
    if case .roster = answer.payload {
      step.find(
        .unsolicitedResult, cause: mine.first?.sent.record,
        "The answer to our roster set holds a roster, which was ignored: only a get is answered "
          + "by one (RFC 6121 §2.1.4).")
    }
    edits.pending.removeAll { $0.id == answer.id }
    for var edit in mine {
      if case .error(let condition) = answer.payload {
        step.find(
          .refusedEdit, about: edit.contact, cause: edit.sent.record,
          "The server refused our set of record \(edit.sent.record)"
            + (condition.map { " (\($0))" } ?? "") + "; the contact stays as it was.")
        continue
      }
      edit.isAnswered = true
      // A set that changes nothing needs no push.
      let now = entries[edit.contact].map { EditableFields($0.item) }
      keep(edit, isShown: edit.isPushed || now == edit.after)
    }
  }

  private mutating func keep(_ edit: PendingEdit, isShown: Bool) {
    guard isShown else {
      edits.pending.append(edit)
      return
    }
    // A later set of ours explains whatever comes after this one.
    guard !edits.pending.contains(where: { $0.contact == edit.contact }) else { return }
    edits.settled[edit.contact] = SettledEdit(
      sent: edit.sent.record, before: edit.before, after: edit.after)
  }

  /// Holds what the server now shows against what we asked for.
  mutating func compareWithEdits(_ jid: BareJID, _ item: RosterItem?, _ step: inout Step) {
    if let settled = edits.settled.find(jid) { compare(jid, item, with: settled, &step) }
    // Nearly always there is none for this contact.
    guard edits.pending.contains(where: { $0.contact == jid }) else { return }
    let now = item.map { EditableFields($0) }
    if let index = edits.pending.firstIndex(where: {
      $0.contact == jid && !$0.isPushed && $0.after == now
    }) {
      edits.pending[index].isPushed = true
      guard edits.pending[index].isAnswered else { return }
      keep(edits.pending.remove(at: index), isShown: true)
    } else if let index = edits.pending.lastIndex(where: { $0.contact == jid }),
      edits.pending[index].isContradicted(by: now)
    {
      reportUndone(jid, sent: edits.pending.remove(at: index).sent.record, now, &step)
    }
  }

  private mutating func compare(
    _ jid: BareJID, _ item: RosterItem?, with edit: SettledEdit, _ step: inout Step
  ) {
    let now = item.map { EditableFields($0) }
    guard edit.after != now else { return }
    edits.settled[jid] = nil
    if edit.before == now { reportUndone(jid, sent: edit.sent, now, &step) }
  }

  private func reportUndone(
    _ jid: BareJID, sent: UInt64, _ now: EditableFields?, _ step: inout Step
  ) {
    let shown: String
    switch now {
    case nil: shown = "the contact is gone"
    case let now?:
      let groups = now.groups.isEmpty ? "no group" : now.groups.joined(separator: ", ")
      shown = "the contact is \(now.name.map { "“\($0)”" } ?? "without a name") in \(groups)"
    }
    step.find(
      .undoneEdit, about: jid, cause: sent,
      "Our set of record \(sent) was undone: \(shown). The server or another of our devices "
        + "changed it; only its pushes count (RFC 6121 §2.1.6).")
  }

  /// A new session: what was not answered will never be.
  mutating func abandonEdits(_ step: inout Step) {
    for edit in edits.pending { edit.reportUnfinished(&step) }
    edits.pending = []
  }
}

extension PendingEdit {
  /// Whether what the server shows now means that the edit did not last.
  func isContradicted(by now: EditableFields?) -> Bool {
    // Before the answer a push may still tell of something earlier.
    isPushed ? now == before && now != after : isAnswered
  }

  func reportUnfinished(_ step: inout Step) {
    if isAnswered {
      step.find(
        .unpushedEdit, about: contact, cause: sent.record,
        "The server took our set of record \(sent.record) but never pushed it: the contact stays "
          + "as it was (RFC 6121 §2.1.5).")
    } else if !isPushed {
      step.find(
        .unansweredEdit, about: contact, cause: sent.record,
        "Our set of record \(sent.record) was never answered.")
    }
  }
}
