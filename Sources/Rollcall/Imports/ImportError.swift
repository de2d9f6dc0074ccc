package import Captures
import Foundation
package import XMPPStanza

/// Why a capture cannot be imported.
package enum ImportError: Error, Hashable, Sendable {
  case unknownFormat
  /// The file is not text, so no format can be detected.
  case unreadable(UnreadableFile)
  case severalAccounts([BareJID])
  /// One connection has elements of several accounts, and nothing shows which account each belongs
  /// to.
  case mixedAccounts([BareJID])
  case otherAccounts(wanted: BareJID, found: [BareJID])
  case otherConnections(wanted: String, found: [String])
  case nothingFound(format: String)
  /// The log has other records of the same time, from the named captures if those are known.
  case overlapsInTime(captures: [String], from: Int64, to: Int64)
  /// Captures that the log has as consecutive captures of one client now overlap in time.
  case nowOverlaps(captures: [String])
  /// The system cannot read the file; the code is that of `errno`.
  case cannotBeRead(Int32)
}

extension ImportError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .unknownFormat:
      "the format is not known; set it with --format, one of:\n"
        + CaptureFormat.all.map { "  \($0.id): \($0.title)" }.joined(separator: "\n")
    case .unreadable(let why): why.description
    case .cannotBeRead(let code): strerror(code).map { String(cString: $0) } ?? "error \(code)"
    case .severalAccounts(let accounts):
      "it has several accounts; choose one with --account: "
        + accounts.map(\.text).joined(separator: ", ")
    case .mixedAccounts(let accounts):
      "one of its streams has the elements of several accounts, and nothing says who sent which: "
        + accounts.map(\.text).joined(separator: ", ")
        + "; let each client write its own log"
    case .otherAccounts(let wanted, let found):
      "\(wanted) is not in it; it has "
        + (found.isEmpty ? "no account" : found.map(\.text).joined(separator: ", "))
        + EditDistance.hint(for: wanted.text, among: found.map(\.text))
    case .otherConnections(let wanted, let found):
      "there is no connection “\(wanted)” in it; it has "
        + (found == [""] ? "one, without a name" : found.joined(separator: ", "))
        + EditDistance.hint(for: wanted, among: found)
    case .nothingFound(let format):
      "no stanza was found in it, read as \(format)"
    case .nowOverlaps(let captures):
      "the log has \(captures.joined(separator: ", ")) and the next one as consecutive captures of "
        + "one client, but now they overlap in time, so they are of several devices; import them "
        + "together, with -o and a new log"
    case .overlapsInTime(let captures, let from, let to):
      "the log has other records between \(Timestamp.text(from)) and \(Timestamp.text(to))"
        + (captures.isEmpty ? "" : ", of \(captures.joined(separator: ", "))")
        + ": if it is of another device, rollcall import "
        + (captures.isEmpty ? ["CAPTURE"] : captures).joined(separator: " ")
        + " and this one together, with -o and a new log, which merges them by time; "
        + "--force appends it to the log"
    }
  }
}
