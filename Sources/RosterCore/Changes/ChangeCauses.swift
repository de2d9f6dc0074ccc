import RawBytes
import XMPPStanza

/// Which record last changed what, of all that two states can show differently.
///
/// It is noted as records are reduced, by the numbers that the roster's table has: to tell each
/// change with its values takes several times as long.
package struct ChangeCauses {
  /// What a change is about, in the numbers of the table.
  private struct Subject: Hashable {
    let field: StateField
    /// Nil where it is about the account.
    let contact: ContactNumber?
    /// The name of the resource, where it is about presence.
    let part: TextNumber
  }

  /// The same by names; that of a resource by its bytes, for so they are told apart.
  private struct NamedSubject: Hashable {
    let field: StateField
    let contact: BareJID?
    let part: [UInt8]?
  }

  private var stamps: [Subject: RecordStamp] = [:]
  /// What was noted before the table was made anew.
  private var former: [NamedSubject: RecordStamp] = [:]
  private var blocking: [JID: RecordStamp] = [:]

  /// Of no records yet.
  package init() {}

  // MARK: Noting

  mutating func note(
    _ field: StateField, of contact: ContactNumber? = nil, part: TextNumber = .none,
    at stamp: RecordStamp
  ) {
    stamps[Subject(field: field, contact: contact, part: part)] = stamp
  }

  mutating func noteBlocking(of jid: JID, at stamp: RecordStamp) { blocking[jid] = stamp }

  /// The table is about to be made anew, and its numbers will be of something else.
  mutating func numbersEnd(in contacts: ContactTable) {
    for (subject, stamp) in stamps {
      let named = NamedSubject(
        field: subject.field, contact: subject.contact.map { contacts.address(of: $0) },
        part: contacts.text(subject.part).map { Array($0.utf8) })
      former[named] = stamp
    }
    stamps = [:]
  }

  // MARK: Asking

  /// Hands the address of each contact that anything was noted of to `body`, some of them twice.
  ///
  /// - Parameter contacts: The table that the records were reduced into.
  func forEachContact(in contacts: ContactTable, _ body: (RawSpan) -> Void) {
    var numbers = ContactSet()
    for subject in stamps.keys {
      if let contact = subject.contact { _ = numbers.insert(contact) }
    }
    for number in numbers.members { body(contacts.bytes(ofAddress: number)) }
    for subject in former.keys { subject.contact?.text.withUTF8Bytes(body) }
    for jid in blocking.keys { jid.bare.text.withUTF8Bytes(body) }
  }

  /// The last record that may have caused a difference; nil where none is known to.
  ///
  /// - Parameter roster: What the records were reduced into.
  package func cause(of difference: FieldDifference, in roster: Roster) -> RecordStamp? {
    let contact = difference.contact
    let field = difference.field
    if case .blocked(let jid, _, _) = difference.values { return blocking[jid] }
    let own = stamp(field, contact, difference.values.resource, in: roster)
    // An item that went and came again is as if it had been edited.
    guard field.isOfItem, field != .item, let whole = stamp(.item, contact, nil, in: roster) else {
      return own
    }
    return own.map { $0.record >= whole.record ? $0 : whole } ?? whole
  }

  private func stamp(
    _ field: StateField, _ contact: BareJID?, _ part: String?, in roster: Roster
  ) -> RecordStamp? {
    let last = stamps[
      Subject(
        field: field, contact: contact.flatMap { roster.contacts.number(of: $0) },
        part: part.flatMap { roster.contacts.number(of: $0) } ?? .none)]
    if let last { return last }
    return former[NamedSubject(field: field, contact: contact, part: part.map { Array($0.utf8) })]
  }
}
