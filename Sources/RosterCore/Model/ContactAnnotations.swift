import RawBytes
public import XMPPStanza

/// What the user has set for a contact, and the records that set it.
public struct ContactAnnotations: Sendable {
  /// Whether the user starred the contact.
  public internal(set) var isStarred = false
  /// How the user wants the contact's name to be read; nil if the name itself shows it.
  public internal(set) var reading: String?
  /// What the user noted about the contact.
  public internal(set) var note: String?
  /// The record that set or removed the star.
  public internal(set) var starredRecord: UInt64?
  /// The record that set or removed the reading.
  public internal(set) var readingRecord: UInt64?
  /// The record that set or removed the note.
  public internal(set) var noteRecord: UInt64?

  /// Whether nothing is set now.
  public var isEmpty: Bool { !isStarred && reading == nil && note == nil }

  /// Whether nothing was ever set.
  var isUntouched: Bool { starredRecord == nil && readingRecord == nil && noteRecord == nil }
}

extension ContactAnnotations: Hashable {
  /// Whether the same records have set the same values. Compares texts by their bytes.
  public static func == (a: ContactAnnotations, b: ContactAnnotations) -> Bool {
    a.isStarred == b.isStarred && a.reading.hasSameBytes(as: b.reading)
      && a.note.hasSameBytes(as: b.note) && a.starredRecord == b.starredRecord
      && a.readingRecord == b.readingRecord && a.noteRecord == b.noteRecord
  }

  /// Hashes the records.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(starredRecord)
    hasher.combine(readingRecord)
    hasher.combine(noteRecord)
  }
}

extension Roster {
  /// What the user has set, for each contact for which anything is set. Includes contacts that are
  /// not in the roster, because a removed contact may be added again.
  public var annotations: ContactValues<ContactAnnotations> {
    ContactValues(contacts) { table, number in
      table.annotations(of: number).flatMap { $0.isEmpty ? nil : $0 }
    }
  }

  /// The contacts whose requests await an answer and have not been seen by the user, by address.
  ///
  /// Complexity: linear in the open requests, and O(n log n) in the result.
  public var unseenRequests: [BareJID] {
    let unseen = contacts.members(.openRequest).filter {
      contacts.request(of: $0)?.request.seen == nil
    }
    return contacts.sorted(unseen).map { contacts.address(of: $0) }
  }

  /// The number of requests that await an answer and have not been seen by the user: the badge for
  /// new requests. Complexity: linear in the open requests.
  public var unseenRequestCount: Int {
    contacts.members(.openRequest).count { contacts.request(of: $0)?.request.seen == nil }
  }
}
