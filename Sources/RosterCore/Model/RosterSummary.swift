import RawBytes
public import XMPPStanza

// What many screens ask a roster.
extension Roster {
  /// The names of all groups that have a contact, in the order of their bytes. Groups that differ
  /// only in their normal form are distinct.
  ///
  /// Complexity: O(n log n) in the groups of all contacts.
  public var groups: [String] {
    let sorted = entries.values.flatMap(\.item.groups).sorted { $0.precedesByBytes($1) }
    return sorted.indices
      .filter { $0 == 0 || !sorted[$0].hasSameBytes(as: sorted[$0 - 1]) }
      .map { sorted[$0] }
  }

  /// Whether a resource of the contact is available, as far as this account may know. False while
  /// there is no session. Complexity: O(1).
  public func isOnline(_ jid: BareJID) -> Bool { !presence(of: jid).resources.isEmpty }

  /// How available the contact is, with its status text: what its best resource shows; nil if it is
  /// offline, and while there is no session. Complexity: linear in the resources of the contact.
  public func availability(of jid: BareJID) -> Availability? {
    presence(of: jid).best?.presence.availability
  }
}
