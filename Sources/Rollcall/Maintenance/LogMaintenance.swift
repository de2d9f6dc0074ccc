package import EventStore

extension EventLog {
  /// Makes the stored events and the contact index anew where another version made them, and
  /// stores the snapshots that are due.
  package func bringUpToDate() throws {
    guard try !derivedIsCurrent else { return }
    try rebuild()
  }

  /// Makes everything that is derived anew.
  package func rebuild() throws {
    let reader = RecordReader()
    try rebuildDerived { header, bytes in reader.decode(header, bytes) }
    keepSnapshots()
  }
}
