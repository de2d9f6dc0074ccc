package import EventLog
import RosterCore

extension EventLog {
  /// Makes the stored events and the contact index anew where another version made them.
  package func bringUpToDate() throws {
    guard try !derivedIsCurrent else { return }
    let meaning = RecordMeaning()
    try rebuildDerived { header, bytes in
      meaning.derive(header, bytes.withUnsafeBytes { Array($0) })
    }
  }
}
