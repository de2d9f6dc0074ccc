package import EventLog

extension EventLog {
  /// Makes the stored events and the contact index anew where another version made them.
  package func bringUpToDate() throws {
    guard try !derivedIsCurrent else { return }
    let reader = RecordReader()
    try rebuildDerived { header, bytes in reader.meaning(header, bytes).parts }
  }

  /// Appends every record of another log in one transaction: all of them, or none.
  package func append(recordsOf other: EventLog) throws {
    let reader = RecordReader()
    try append(recordsOf: other) { header, bytes in reader.meaning(header, bytes).parts }
  }
}
