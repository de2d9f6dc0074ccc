package import Captures
import Foundation
package import XMPPStanza

/// Why a capture cannot be imported.
package enum ImportError: Error, Hashable, Sendable {
  case unknownFormat
  /// No format that is known, because it is no text as it is.
  case unreadable(UnreadableFile)
  case severalAccounts([BareJID])
  /// One connection has the elements of several accounts, and nothing says whose each is.
  case mixedAccounts([BareJID])
  case otherAccounts(wanted: BareJID, found: [BareJID])
  case otherConnections(wanted: String, found: [String])
  case nothingFound(format: String)
  /// It tells of a time that the log knows otherwise: by another capture, where that is known.
  case overlapsInTime(captures: [String], from: Int64, to: Int64)
  /// Captures that the log holds as one client's, one after the other, have gone on at the same
  /// time.
  case nowOverlaps(captures: [String])
  /// The system does not give its bytes, with a code of `errno`.
  case cannotBeRead(Int32)
}

extension ImportError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .unknownFormat:
      "the format is not known; say it with --format, one of:\n"
        + CaptureFormat.all.map { "  \($0.id): \($0.title)" }.joined(separator: "\n")
    case .unreadable(let why): why.description
    case .cannotBeRead(let code): strerror(code).map { String(cString: $0) } ?? "error \(code)"
    case .severalAccounts(let accounts):
      "several accounts are in it; choose one with --account: "
        + accounts.map(\.text).joined(separator: ", ")
    case .mixedAccounts(let accounts):
      "the elements of several accounts stand in one stream of it, and nothing says who sent "
        + "which: "
        + accounts.map(\.text).joined(separator: ", ")
        + "; let each client write a log of its own"
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
      "the log has \(captures.joined(separator: ", ")) and the next one as one client's, one after "
        + "the other, and now they overlap in time: they are of several devices; import them "
        + "together, with -o and a new log"
    case .overlapsInTime(let captures, let from, let to):
      "the log has other records between \(Timestamp.text(from)) and \(Timestamp.text(to))"
        + (captures.isEmpty ? "" : ", of \(captures.joined(separator: ", "))")
        + ": where it is of another device, rollcall import "
        + (captures.isEmpty ? ["CAPTURE"] : captures).joined(separator: " ")
        + " and this one together, with -o and a new log, which merges them by time; "
        + "--force appends it after what is there"
    }
  }
}
