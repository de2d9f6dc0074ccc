/// Why a fleet cannot be read or written.
package enum FleetError: Error, Hashable, Sendable {
  /// The folder has no `fleet.json`.
  case notAFleet(String)
  /// `fleet.json` cannot be read; the clause says why.
  case unreadableNote(String, why: String)
  /// What is derived in a shard was made by a program of another version.
  case otherVersion(String)
  /// The spool has no folder.
  case noSpool(String)
  /// Two segments have the same number.
  case doubleSegment(String, String)
  /// The spool ends before the position up to which the fleet has it.
  case spoolRanBack(String, SpoolPosition)
  /// A segment was shortened, or a line is longer than any that a tap writes.
  case badSegment(String, why: String)
  /// The fleet has no records of the account.
  case noAccount(String)
  /// Lines that a shard needs first are missing.
  case missingLines(String)
}

extension FleetError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .notAFleet(let folder):
      "\(folder) is not a fleet: it has no fleet.json; rollcall fleet store makes one"
    case .unreadableNote(let path, let why): "\(path) cannot be read: \(why)"
    case .otherVersion(let path):
      "\(path): another version of rollcall derived what is in this shard; rollcall fleet recover "
        + "makes a new fleet from its records"
    case .noSpool(let path): "\(path): there is no such folder; the tap makes it when it begins"
    case .doubleSegment(let first, let second):
      "\(first) and \(second) have the same number; a tap never writes both"
    case .spoolRanBack(let folder, let position):
      "\(folder): the spool ends before \(position), up to which the fleet has it; was it restored "
        + "from an older copy? Its lines are in the fleet: move them away, and let the tap begin a "
        + "spool in an empty folder"
    case .badSegment(let path, let why): "\(path): \(why)"
    case .noAccount(let account): "the fleet has no records of \(account)"
    case .missingLines(let shard): "\(shard): lines before those that were given are missing"
    }
  }
}
