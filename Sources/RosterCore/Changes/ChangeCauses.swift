import RawBytes
import XMPPStanza

/// For each field that two states can show differently, the record that changed it last.
///
/// Noted while records are reduced, by the numbers of the roster's table, because reporting each
/// change with its values takes several times as long. The table is not rebuilt meanwhile.
package final class ChangeCauses {
  /// What a change is about, in the numbers of the table.
  private struct Subject: Hashable {
    let field: StateField
    /// Nil if it is about the account.
    let contact: ContactNumber?
    /// The name of the resource, if it is about presence.
    let part: TextNumber
  }

  private var stamps: [Subject: RecordStamp] = [:]
  private var blocking: [JID: RecordStamp] = [:]

  /// Creates an empty value, for no records.
  package init() {}

  // MARK: Noting

  func note(
    _ field: StateField, of contact: ContactNumber? = nil, part: TextNumber = .none,
    at stamp: RecordStamp
  ) {
    stamps[Subject(field: field, contact: contact, part: part)] = stamp
  }

  func noteBlocking(of jid: JID, at stamp: RecordStamp) { blocking[jid] = stamp }

  // MARK: Asking

  /// Passes the address of each contact with a noted change to `body`, some of them twice.
  ///
  /// - Parameter contacts: The table that the records were reduced into.
  func forEachContact(in contacts: ContactTable, _ body: (RawSpan) -> Void) {
    var numbers = ContactSet()
    for subject in stamps.keys {
      if let contact = subject.contact { _ = numbers.insert(contact) }
    }
    for number in numbers.members { body(contacts.bytes(ofAddress: number)) }
    for jid in blocking.keys { jid.bare.text.withUTF8Bytes(body) }
  }

  /// The last record that may have caused a difference; nil if none is known.
  ///
  /// - Parameter roster: The roster that the records were reduced into.
  package func cause(of difference: FieldDifference, in roster: Roster) -> RecordStamp? {
    let contact = difference.contact
    let field = difference.field
    if case .blocked(let jid, _, _) = difference.values { return blocking[jid] }
    let own = stamp(field, contact, difference.values.resource, in: roster)
    // An item that was removed and added again looks like an edited one.
    guard field.isOfItem, field != .item, let whole = stamp(.item, contact, nil, in: roster) else {
      return own
    }
    return own.map { $0.record >= whole.record ? $0 : whole } ?? whole
  }

  private func stamp(
    _ field: StateField, _ contact: BareJID?, _ part: String?, in roster: Roster
  ) -> RecordStamp? {
    stamps[
      Subject(
        field: field, contact: contact.flatMap { roster.contacts.number(of: $0) },
        part: part.flatMap { roster.contacts.number(of: $0) } ?? .none)]
  }
}
