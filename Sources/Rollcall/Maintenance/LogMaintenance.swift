package import EventStore

extension EventLog {
  /// Rebuilds the stored events and the contact index if another version made them, and stores the
  /// snapshots that are due.
  package func bringUpToDate() throws {
    guard try !derivedIsCurrent else { return }
    try rebuild()
  }

  /// Rebuilds all derived data.
  package func rebuild() throws {
    let reader = RecordReader()
    try rebuildDerived { header, bytes in reader.decode(header, bytes) }
    keepSnapshots()
  }
}
