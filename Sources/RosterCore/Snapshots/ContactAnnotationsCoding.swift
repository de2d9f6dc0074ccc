// What the user has set of a contact, as a part of the contact's details in a snapshot.
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
