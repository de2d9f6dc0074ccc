import EventStore
import RosterCore

/// A page about a session, to attach to a bug report: one file that loads nothing, runs nothing,
/// and reads well in any browser and on paper.
package struct Report {
  let timeline: Timeline
  let last: UInt64
  /// The name of the session's source; nil if the page must not have it.
  let name: String?
  let zone: Zone
  /// Whether the page shows what people wrote to each other, and the pictures that they sent.
  let showsMessages: Bool
  /// The account and one contact, compared at both ends; nil if only one end is known.
  let ends: TwoEnds?
  let limits: Limits

  /// The limits on what a page contains.
  package struct Limits: Sendable {
    /// The number of entries of the story; later ones are preferred.
    package var entries = 8000
    /// The number of earlier entries with findings.
    package var odd = 2000
    /// The number of bytes of one record: a roster of 10,000 contacts has more than a megabyte.
    package var recordBytes = 12 << 10

    /// The limits for a page that a browser opens without delay.
    package init() {}
  }

  /// The maximum number of characters of one sentence about a record; its XML has the rest.
  static let sentenceLimit = 2000

  /// - Parameters:
  ///   - point: The point up to which the session is reported.
  ///   - name: The name of the session's source; nil if the session is redacted.
  ///   - showsMessages: Whether the page shows what people wrote to each other, and the pictures
  ///     that they sent, instead of stand-ins.
  ///   - ends: The account and one contact, compared at both ends.
  package init(
    of timeline: Timeline, upTo point: LogPoint, name: String?, zone: Zone,
    showsMessages: Bool = false, ends: TwoEnds? = nil, limits: Limits = Limits()
  ) throws {
    self.timeline = timeline
    self.zone = zone
    self.showsMessages = showsMessages
    self.ends = ends
    self.name = name
    self.limits = limits
    last = try timeline.record(at: point)
  }

  /// The source in the commands that the page names.
  var source: String { name.map(\.shellWord) ?? "SOURCE" }

  /// Writes the page in pieces.
  ///
  /// Complexity: linear in the records, which are read four times. Memory is bounded, except for a
  /// number for each contact.
  package func write(_ write: ([UInt8]) throws -> Void) throws {
    try withoutActuallyEscaping(write) { write in
      let connections = try timeline.connections(upTo: .record(last))
      let picture = ReportPicture(connections, ReportAxis(connections, last: last))
      var survey = ReportSurvey(picture, zone)
      let state = try timeline.replay(upTo: .record(last)) { survey.take($0, $1) }
      survey.finish(with: try timeline.findings(ending: state))
      let front = ReportFront(report: self, survey: survey, state: state, connections: connections)
      try write(front.markup.bytes)
      var story = ReportStory(self, connections, entries: survey.entries) { try write($0.bytes) }
      try timeline.replay(upTo: .record(last)) { moment, _ in try story.take(moment) }
      try story.finish()
      try write(front.end.bytes)
    }
  }
}

extension ConnectionStory {
  /// The resource of the connection, or else the source's name for it, or else its number.
  var label: String { resources.last ?? name ?? "connection \(id.number)" }
}
