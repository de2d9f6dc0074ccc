package import Captures
package import Foundation
package import XMPPStanza

/// What a person may say about a capture that it does not say itself.
package struct ImportOptions: Sendable {
  /// The format; nil to find it by looking.
  package var format: CaptureFormat?
  /// The account to take where a capture holds several; nil where it holds one.
  package var account: BareJID?
  /// The one connection to take, by the source's own name for it; nil to take all.
  package var connection: String?
  /// The year of times that have none.
  package var year: Int?
  /// The zone of a clock that does not say its own; nil is UTC.
  package var zone: TimeZone?
  /// The encoding of its text; nil to find it by looking.
  package var encoding: TextEncoding?
  /// The file with the keys of TLS connections, for the tool that reads captures of packets.
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

/// What came of an import.
package struct ImportSummary: Sendable {
  package var format: CaptureFormat
  package var account: BareJID?
  /// Whether anything in the capture says whose account it is.
  package var namesAccount = false
  /// How many records it has.
  package var records = 0
  /// How many of them the log held already.
  package var known = 0
  /// What its bytes were, where that was asked for.
  package var print: SourcePrint?
  /// The first of what had to be skipped or should be known.
  package var problems: [CaptureProblem] = []
  /// How much there was of it in all.
  package var problemCount = 0
  /// Whether elements have no time.
  package var lacksTimes = false
  /// Whether that is because the source's clock has no year.
  package var lacksYear = false

  /// The lines that hold the beginning of a stanza and are no part of any record.
  package var unread = UnreadLines()
  /// What had to be guessed of the directions; nil if the format says them.
  package var guessed: GuessedDirections?

  /// How many problems are kept to be shown.
  package static let shownProblems = 20

  mutating func note(_ problem: CaptureProblem) {
    problemCount += 1
    if problems.count < Self.shownProblems { problems.append(problem) }
  }
}
