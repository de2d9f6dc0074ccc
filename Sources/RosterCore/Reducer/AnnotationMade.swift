import RawBytes
import XMPPStanza

// What the user says of contacts. It is no part of what happened on a stream: no session begins by
// it, and nothing becomes overdue.
extension Reduction {
  mutating func annotationMade(_ annotation: RosterAnnotation) {
    switch annotation {
    case .starred(let jid, let isStarred): starSet(isStarred, jid)
    case .reading(let jid, let text): readingSet(text.orNilIfBlank, of: jid)
    case .note(let jid, let text): noteSet(text.orNilIfBlank, about: jid)
    case .requestsSeen(let jids): for jid in jids { requestSeen(of: jid) }
    }
  }

  private func annotations(of jid: BareJID) -> ContactAnnotations? {
    roster.contacts.number(of: jid).flatMap { roster.contacts.annotations(of: $0) }
  }

  private mutating func starSet(_ isStarred: Bool, _ jid: BareJID) {
    guard annotations(of: jid)?.isStarred ?? false != isStarred else { return }
    annotated(jid, .starred(before: !isStarred, after: isStarred)) { annotations, record in
      annotations.isStarred = isStarred
      annotations.starredRecord = record
    }
  }

  private mutating func readingSet(_ text: String?, of jid: BareJID) {
    let before = annotations(of: jid)?.reading
    guard !before.hasSameBytes(as: text) else { return }
    annotated(jid, .reading(before: before, after: text)) { annotations, record in
      annotations.reading = text
      annotations.readingRecord = record
    }
  }

  private mutating func noteSet(_ text: String?, about jid: BareJID) {
    let before = annotations(of: jid)?.note
    guard !before.hasSameBytes(as: text) else { return }
    annotated(jid, .note(before: before, after: text)) { annotations, record in
      annotations.note = text
      annotations.noteRecord = record
    }
  }

  private mutating func annotated(
    _ jid: BareJID, _ values: FieldValues,
    _ change: (inout ContactAnnotations, UInt64) -> Void
  ) {
    let number = roster.contacts.insert(jid)
    let record = stamp.record
    roster.contacts.updateDetails(of: number) { details in
      var annotations = details.annotations ?? ContactAnnotations()
      change(&annotations, record)
      details.annotations = annotations
    }
    changed(values.field, of: number) { _ in values }
  }

  /// A request is seen once, however often the server sends it again; the next one is a new one.
  private mutating func requestSeen(of jid: BareJID) {
    guard let number = roster.contacts.number(of: jid),
      let known = roster.contacts.request(of: number), known.request.seen == nil
    else { return }
    var request = known.request
    request.seen = stamp.record
    let seen: ContactRequest =
      if case .open = known { .open(request) } else { .unconfirmed(request) }
    roster.contacts.updateDetails(of: number) { $0.request = seen }
    changed(.request, of: number) { _ in .request(before: known, after: seen) }
  }
}

extension String? {
  fileprivate var orNilIfBlank: String? {
    flatMap { $0.allSatisfy(\.isWhitespace) ? nil : $0 }
  }
}
