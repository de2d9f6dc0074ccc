import EventStore
import RosterCore

/// A page about a session, to be attached to a report of a bug: one file that loads nothing, runs
/// nothing, and reads well in any browser, on paper too.
package struct Report {
  let timeline: Timeline
  let last: UInt64
  /// What the session was read from, where that may be told.
  let name: String?
  let zone: Zone
  let limits: Limits

  /// How much of a session is in its page.
  package struct Limits: Sendable {
    /// Entries of the story, the last ones.
    package var entries = 8000
    /// Entries before those that have findings.
    package var odd = 2000
    /// Bytes of one record: a roster of 10,000 contacts is a megabyte and more.
    package var recordBytes = 12 << 10

    /// What a browser opens at once.
    package init() {}
  }

  /// How many characters of one sentence about a record are told; its XML has the rest.
  static let mostWords = 2000

  /// - Parameters:
  ///   - point: Up to where the session is told.
  ///   - name: What the session was read from; nil where stand-ins have taken the place of
  ///     everything that says who somebody is.
  package init(
    of timeline: Timeline, upTo point: LogPoint, name: String?, zone: Zone,
    limits: Limits = Limits()
  ) throws {
    self.timeline = timeline
    self.zone = zone
    self.name = name
    self.limits = limits
    last = try timeline.record(at: point)
  }

  /// What the commands that the page names are to read.
  var source: String { name.map(\.shellWord) ?? "SOURCE" }

  /// Writes the page in pieces.
  ///
  /// Complexity: linear in the records, which are read four times; memory is bounded but for a
  /// number for each contact.
  package func write(_ write: ([UInt8]) throws -> Void) throws {
    try withoutActuallyEscaping(write) { write in
      let connections = try timeline.connections(upTo: .record(last))
      let picture = ReportPicture(connections, ReportAxis(connections, last: last))
      var survey = ReportSurvey(picture, zone)
      let state = try timeline.replay(upTo: .record(last)) { survey.take($0, $1) }
      survey.finish()
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
  /// What it is called: by its resource, or else the source's name for it, or else its number.
  var label: String { resources.last ?? name ?? "connection \(id.number)" }
}
