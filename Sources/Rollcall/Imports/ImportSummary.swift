package import Captures
package import Foundation
package import XMPPStanza

/// What the user can specify about a capture that it does not say itself.
package struct ImportOptions: Sendable {
  /// The format; nil to detect it.
  package var format: CaptureFormat?
  /// The account to take if a capture has several; nil if it has one.
  package var account: BareJID?
  /// The one connection to take, by the source's own name for it; nil to take all.
  package var connection: String?
  /// The year of times that have none.
  package var year: Int?
  /// The time zone of times without one; nil is UTC.
  package var zone: TimeZone?
  /// The encoding of its text; nil to detect it.
  package var encoding: TextEncoding?
  /// The file with the keys of TLS connections, for the tool that reads packet captures.
  package var keyLog: String?

  package init(
    format: CaptureFormat? = nil, account: BareJID? = nil, connection: String? = nil,
    year: Int? = nil, zone: TimeZone? = nil, encoding: TextEncoding? = nil,
    keyLog: String? = nil
  ) {
    self.format = format
    self.account = account
    self.connection = connection
    self.year = year
    self.zone = zone
    self.encoding = encoding
    self.keyLog = keyLog
  }
}

/// The result of reading a capture for an import.
package struct ImportSummary: Sendable {
  package var format: CaptureFormat
  package var account: BareJID?
  /// Whether the capture identifies its account.
  package var namesAccount = false
  /// The number of its records.
  package var records = 0
  /// The number of its records that the log already contained.
  package var known = 0
  /// The length and digest of its bytes, if requested.
  package var print: SourceFingerprint?
  /// The first problems: what was skipped, and what the user should know.
  package var problems: [CaptureProblem] = []
  /// The number of all problems.
  package var problemCount = 0
  /// Whether any elements have no time.
  package var lacksTimes = false
  /// Whether they have no time because the source's clock has no year.
  package var lacksYear = false

  /// The lines that contain the beginning of a stanza but belong to no record.
  package var unread = UnreadLines()
  /// The runs of a server that it is about; nil if it is not the spool of a tap.
  package var runs: ServerRuns?
  /// What was guessed about the directions; nil if the format specifies them.
  package var guessed: GuessedDirections?

  /// The maximum number of problems that are kept.
  package static let shownProblems = 20

  mutating func note(_ problem: CaptureProblem) {
    problemCount += 1
    if problems.count < Self.shownProblems { problems.append(problem) }
  }
}
