import RawBytes
public import XMPPStanza

/// What the user has set of a contact, and the records that set it.
public struct ContactAnnotations: Sendable {
  /// Whether the user starred the contact.
  public internal(set) var isStarred = false
  /// How the user wants the contact's name to be read; nil where the name itself says it.
  public internal(set) var reading: String?
  /// What the user noted about the contact.
  public internal(set) var note: String?
  /// The record that set the star or took it away.
  public internal(set) var starredRecord: UInt64?
  /// The record that set the reading or took it away.
  public internal(set) var readingRecord: UInt64?
  /// The record that set the note or took it away.
  public internal(set) var noteRecord: UInt64?

  /// Whether nothing is set now.
  public var isEmpty: Bool { !isStarred && reading == nil && note == nil }

  /// Whether nothing was ever set.
  var isUntouched: Bool { starredRecord == nil && readingRecord == nil && noteRecord == nil }
}

extension ContactAnnotations: Hashable {
  /// Whether the same records have set the same, the texts by their bytes.
  public static func == (a: ContactAnnotations, b: ContactAnnotations) -> Bool {
    a.isStarred == b.isStarred && a.reading.hasSameBytes(as: b.reading)
      && a.note.hasSameBytes(as: b.note) && a.starredRecord == b.starredRecord
      && a.readingRecord == b.readingRecord && a.noteRecord == b.noteRecord
  }

  /// Feeds the records into a hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(starredRecord)
    hasher.combine(readingRecord)
    hasher.combine(noteRecord)
  }
}

extension Roster {
  /// What the user has set, of those contacts of whom anything is set: also of some that are not in
  /// the roster, for who was removed may come back.
  public var annotations: ContactValues<ContactAnnotations> {
    ContactValues(contacts) { table, number in
      table.annotations(of: number).flatMap { $0.isEmpty ? nil : $0 }
    }
  }

  /// Who waits for our answer and whose request the user has not seen, by address: as many as the
  /// badge of new requests says.
  ///
  /// Complexity: linear in the open requests, and O(n log n) in those that it gives.
  public var unseenRequests: [BareJID] {
    let unseen = contacts.members(.openRequest).filter {
      contacts.request(of: $0)?.request.seen == nil
    }
    return contacts.sorted(unseen).map { contacts.address(of: $0) }
  }
}
