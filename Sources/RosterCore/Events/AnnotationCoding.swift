import XMPPStanza

// The stored form of what the user says; a part of the events.
extension RosterAnnotation: CanonicalCodable {
  package func encode(to output: inout CanonicalOutput) {
    switch self {
    case .starred(let jid, let isStarred):
      output.write(tag: 0)
      output.write(jid)
      output.write(isStarred)
    case .reading(let jid, let text):
      output.write(tag: 1)
      output.write(jid)
      output.write(text)
    case .note(let jid, let text):
      output.write(tag: 2)
      output.write(jid)
      output.write(text)
    case .requestsSeen(let jids):
      output.write(tag: 3)
      output.write(jids)
    }
  }

  package init(from input: inout CanonicalInput) throws(CodecError) {
    switch try input.readTag() {
    case 0: self = .starred(try input.read(), try input.readFlag())
    case 1: self = .reading(try input.read(), try input.readOptionalText())
    case 2: self = .note(try input.read(), try input.readOptionalText())
    case 3: self = .requestsSeen(try input.readArray())
    default: throw input.invalid
    }
  }
}

// What the user has set of a contact; a part of a contact's details.
extension DetailsOutput {
  mutating func write(_ annotations: ContactAnnotations) {
    plain.write(annotations.isStarred)
    plain.write(annotations.reading)
    plain.write(annotations.note)
    for record in [
      annotations.starredRecord, annotations.readingRecord, annotations.noteRecord,
    ] {
      plain.write(record != nil)
      if let record { write(record: record) }
    }
  }
}

extension DetailsInput {
  mutating func readAnnotations() throws(CodecError) -> ContactAnnotations {
    var annotations = ContactAnnotations()
    annotations.isStarred = try plain.readFlag()
    annotations.reading = try plain.readOptionalText()
    annotations.note = try plain.readOptionalText()
    annotations.starredRecord = try readOptionalRecord()
    annotations.readingRecord = try readOptionalRecord()
    annotations.noteRecord = try readOptionalRecord()
    // Where there is a value, a record has set it.
    guard !annotations.isUntouched,
      annotations.starredRecord != nil || !annotations.isStarred,
      annotations.readingRecord != nil || annotations.reading == nil,
      annotations.noteRecord != nil || annotations.note == nil
    else { throw plain.invalid }
    return annotations
  }

  private mutating func readOptionalRecord() throws(CodecError) -> UInt64? {
    try plain.readFlag() ? try readRecord() : nil
  }
}
