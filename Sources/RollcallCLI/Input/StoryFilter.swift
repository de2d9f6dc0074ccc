import ArgumentParser
import EventStore
import Rollcall
import RosterCore
import XMPPStanza

/// The options that select records, for all contacts.
struct RecordFilter: ParsableArguments {
  enum Part: String, ExpressibleByArgument, CaseIterable {
    case findings
  }

  @Option(
    name: [.customLong("from"), .customLong("since")], parsing: .unconditional,
    help: ArgumentHelp("Only records from this point on.", valueName: "point"))
  var from: String?

  @Option(
    help: "Only stanzas of this kind, or the stream's own elements, others, or unreadable bytes."
  )
  var kind: KindOption?

  @Option(help: "Only records with findings.")
  var only: Part?

  @Flag(help: "Leave out records that change only presence or the roster's version.")
  var noPresence = false

  /// Whether any record is excluded.
  var isSet: Bool { from != nil || kind != nil || only != nil || noPresence }

  /// The selection of records from a history.
  struct Chosen {
    private let log: EventLog
    /// The last record that is excluded at the beginning.
    let before: UInt64
    private let filter: RecordFilter

    fileprivate init(_ filter: RecordFilter, _ source: OpenedSource) throws {
      (self.filter, log) = (filter, source.log)
      before =
        try source.naming {
          try filter.from.map { try source.timeline.record(before: LogPoint(option: "--from", $0)) }
        } ?? 0
    }

    /// Whether a record is selected.
    ///
    /// - Parameters:
    ///   - changes: Its changes that would be shown.
    ///   - findings: Its findings that would be shown.
    func includes(
      _ moment: Timeline.Moment, _ changes: [RosterChange], _ findings: [Finding]
    ) throws -> Bool {
      guard moment.stamp.record > before else { return false }
      if filter.only == .findings, findings.isEmpty { return false }
      if filter.noPresence, findings.isEmpty, moment.outcome.news == nil, !changes.isEmpty,
        changes.allSatisfy(\.isFleeting)
      {
        return false
      }
      return try filter.kind == nil || filter.kind == kind(of: moment.stamp.record)
    }

    /// Whether a record that means something to messages is selected.
    func includes(_ moment: MessageMoment) throws -> Bool {
      guard moment.stamp.record > before else { return false }
      if filter.only == .findings, moment.findings.isEmpty { return false }
      return try filter.kind == nil || filter.kind == kind(of: moment.stamp.record)
    }

    /// Whether a finding about the end of the source is shown. If records of a kind are selected,
    /// the record decides to which the finding goes back.
    func includes(ending finding: Finding) throws -> Bool { try includes(.roster(finding)) }

    /// Whether a finding that is listed by itself is shown.
    func includes(_ finding: ListedFinding) throws -> Bool {
      guard finding.record > before else { return false }
      return try filter.kind == nil || filter.kind == kind(of: finding.cause ?? finding.record)
    }

    /// The kind of a record. Must be called outside of transactions.
    private func kind(of number: UInt64) throws -> KindOption? {
      let record = try log.read { try $0.record(at: number) }
      return record.map { record in
        let isElement = record.header.kind == .element
        return KindOption(
          record.header, isElement ? RecordReader().element(record.bytes) : nil)
      }
    }
  }

  func chosen(in source: OpenedSource) throws -> Chosen { try Chosen(self, source) }
}

/// The options that select records and contacts.
struct StoryFilter: ParsableArguments {
  @Option(help: "Only what concerns this contact, named \(contactHelp).")
  var contact: String?

  @OptionGroup var records: RecordFilter

  /// Whether anything is excluded.
  var isSet: Bool { contact != nil || records.isSet }

  /// The selection of moments from a history.
  struct Chosen {
    fileprivate let records: RecordFilter.Chosen
    /// The contact to show; nil for all contacts.
    let contact: BareJID?

    /// The last record that is excluded at the beginning.
    var before: UInt64 { records.before }

    /// - Parameter toPeople: Whether changes that people are not to read do not count.
    func tells(_ moment: Timeline.Moment, toPeople: Bool) throws -> Bool {
      let outcome = moment.outcome
      guard toPeople ? moment.tells : !outcome.isEmpty,
        try records.includes(moment, outcome.changes, outcome.findings)
      else { return false }
      guard contact != nil else { return true }
      // That a session ends or is resumed, people read of the account.
      return moment.outcome.changes.contains {
        includes($0.contact) && !(toPeople && $0.reason == .session)
      }
        || moment.outcome.findings.contains { includes($0.contact) }
        || moment.outcome.news.map { includes($0.contact) } == true
    }

    /// Whether a record that means something to messages is shown.
    func includes(_ moment: MessageMoment) throws -> Bool {
      guard try records.includes(moment) else { return false }
      return contact.map { moment.concerns($0) } ?? true
    }

    /// Whether a finding about the end of the source is shown.
    func includes(ending finding: Finding) throws -> Bool { try includes(.roster(finding)) }

    /// Whether a finding that is listed by itself is shown.
    func includes(_ finding: ListedFinding) throws -> Bool {
      try includes(finding.contact) && records.includes(finding)
    }

    /// Whether changes and findings of a contact, or of the account if nil, are shown.
    func includes(_ contact: BareJID?) -> Bool { self.contact == nil || self.contact == contact }
  }

  func chosen(in source: OpenedSource) throws -> Chosen {
    Chosen(
      records: try records.chosen(in: source), contact: try contact.map { try source.contact($0) })
  }
}
