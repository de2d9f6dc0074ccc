import EventStore
import RawBytes
package import RosterCore
package import XMPPStanza

/// A log at a glance: the entries of its story, the flags of its records, its findings, sessions
/// and names.
///
/// Is extended as the log grows; nothing before the last open fold changes. Memory: about 50 bytes
/// for each record.
package struct StoryIndex: Sendable {
  /// An entry of the plain story: one record that tells something, or a fold of several.
  package struct Entry: Hashable, Sendable {
    /// Its first record, and its last one.
    package let first, last: UInt64
    /// How many records it has.
    package let records: Int
    /// How many lines say what it changed; none of a fold.
    package let lines: Int
    /// How many findings it has.
    package let findings: Int

    /// Whether it stands for several records.
    package var isFold: Bool { records > 1 }
  }

  /// A finding with the record whose event reported it.
  package struct PlacedFinding: Hashable, Sendable {
    package let finding: Finding
    /// The record whose event reported it.
    package let record: UInt64
  }

  /// The number of entries in a block.
  package static let blockSize = 1024
  /// The number of lines that an entry shows of what it changed.
  package static let lineLimit = 4

  /// The flags of the records.
  package private(set) var flags = RecordFlags()
  /// The entries that no later record can change.
  private var settled: [Entry] = []
  /// The entries of what may still be folded with later records.
  private var tail: [Entry] = []
  private var fold = StoryFold(day: { Zone.utc.day($0) })
  /// For each record that tells something: how many lines and findings it has.
  private var heights: [UInt64: (lines: UInt8, findings: UInt8)] = [:]
  /// The findings, in the order of the records that reported them.
  package private(set) var findings: [PlacedFinding] = []
  /// How many of these there are of each severity.
  private var counts: [Finding.Severity: Int] = [:]
  /// What is odd about the end of the log.
  package private(set) var ending: [Finding] = []
  /// The sessions of all connections, in the order in which they began.
  package private(set) var sessions = SessionSpans()
  /// The first and the last record of each connection, notes aside.
  package private(set) var connections: [UInt32: ClosedRange<UInt64>] = [:]
  /// What people are called, by address; the newest name.
  package private(set) var names: [BareJID: String] = [:]
  /// The addresses that any change or finding is about.
  package private(set) var contacts: Set<BareJID> = []
  /// For some fields of the account, the records that changed them.
  private var accountChanges: [StateField: [UInt64]] = [:]
  /// The state after the last record.
  package private(set) var state = Timeline.State()

  package init() {}

  /// The number of records that it covers.
  package var head: UInt64 { UInt64(flags.count) }

  /// The number of entries of the plain story.
  package var entryCount: Int { settled.count + tail.count }

  /// The number of entries that no later record can change.
  package var settledCount: Int { settled.count }

  /// An entry of the plain story.
  package func entry(_ index: Int) -> Entry {
    index < settled.count ? settled[index] : tail[index - settled.count]
  }

  /// The last entry of the plain story that begins at or before a record; nil if none does.
  package func entry(atOrBefore record: UInt64) -> Int? {
    let later = (0..<entryCount).partitioningIndex { entry($0).first > record }
    return later > 0 ? later - 1 : nil
  }

  /// A record as an entry of its own.
  package func entry(of record: UInt64) -> Entry {
    let height = heights[record]
    return Entry(
      first: record, last: record, records: 1, lines: Int(height?.lines ?? 0),
      findings: Int(height?.findings ?? 0))
  }

  /// How many findings have a severity, those about the end of the log aside.
  package func count(of severity: Finding.Severity) -> Int { counts[severity, default: 0] }

  /// Whether a record is part of the story.
  package func tells(_ record: UInt64) -> Bool { heights[record] != nil }

  /// The last record up to one that changed a field of the account: the version, whether the roster
  /// is complete, or whether a session is open. Nil if none did.
  package func lastChange(of field: StateField, upTo record: UInt64) -> UInt64? {
    guard let records = accountChanges[field] else { return nil }
    return records[..<records.partitioningIndex { $0 > record }].last
  }

  // MARK: Building

  /// Extends the index to a record of the log.
  ///
  /// Complexity: linear in the new records.
  package mutating func extend(over timeline: Timeline, upTo last: UInt64) throws {
    guard last > head else { return }
    let first = head + 1
    try timeline.log.forEachRecord(in: first...last) { header, bytes in
      let content = RecordContent(header, bytes)
      flags.append(content, header)
      guard content != .note else { return }
      let first = connections[header.connection]?.lowerBound ?? header.sequence
      connections[header.connection] = first...header.sequence
    }
    var effects: [(record: UInt64, isLasting: Bool, severity: Int)] = []
    var state = self.state
    // Held once, it is changed in place.
    self.state = Timeline.State()
    try timeline.advance(&state, to: last) { moment, roster in
      take(moment, roster)
      guard moment.tells else { return }
      let severity = moment.outcome.findings.map(\.severity.weight).max().map { $0 + 1 } ?? 0
      effects.append((moment.stamp.record, !moment.isFleeting, severity))
    }
    self.state = state
    flags.note(effects, since: Int(first) - 1)
    var rest = fold
    tail = rest.finish().map { entry($0) }
    ending = try timeline.findings(ending: state)
  }

  private mutating func take(_ moment: Timeline.Moment, _ roster: Roster) {
    sessions.take(moment)
    for change in moment.outcome.changes { take(change, roster) }
    let record = moment.stamp.record
    for finding in moment.outcome.findings {
      findings.append(PlacedFinding(finding: finding, record: record))
      counts[finding.severity, default: 0] += 1
      if let contact = finding.contact { contacts.insert(contact) }
    }
    guard moment.tells else { return }
    heights[record] = (
      UInt8(moment.shownLines.count), UInt8(min(255, moment.outcome.findings.count))
    )
    settled += fold.take(moment).map { entry($0) }
  }

  private mutating func take(_ change: RosterChange, _ roster: Roster) {
    if [.version, .completeness, .connected].contains(change.field) {
      accountChanges[change.field, default: []].append(change.record)
    }
    guard let contact = change.contact else { return }
    contacts.insert(contact)
    if case .request(_, let after?) = change.values, names[contact] == nil {
      names[contact] = after.request.nickname
    }
    guard [.item, .name, .nickname, .vCard].contains(change.field) else { return }
    let name = roster.name(of: contact)
    if name.source != .address { names[contact] = name.text }
  }

  private func entry(_ entry: StoryFold.Entry) -> Entry {
    switch entry {
    case .moment(let moment): return self.entry(of: moment.stamp.record)
    case .burst(let burst):
      return Entry(
        first: burst.first.record, last: burst.last.record, records: burst.records, lines: 0,
        findings: 0)
    }
  }
}

extension Timeline.Moment {
  /// The lines under the record in a list: what it changed, in at most `StoryIndex.lineLimit`
  /// lines, the last of which counts those that are left out. Empty for a record that changed only
  /// presence or the version, because its clause says so already.
  package var shownLines: [StoryLine] {
    guard !isFleeting else { return [] }
    let lines = outcome.changes.digest
    guard lines.count > StoryIndex.lineLimit else { return lines }
    let rest = lines.count - StoryIndex.lineLimit + 1
    return lines.prefix(StoryIndex.lineLimit - 1)
      + [StoryLine(mark: "~", clause: "\(rest) more", parts: nil)]
  }
}
