import ArgumentParser
import EventStore
import Rollcall
import RosterCore
import XMPPStanza

/// Which records are listed, whoever they concern.
struct RecordFilter: ParsableArguments {
  enum Part: String, ExpressibleByArgument, CaseIterable {
    case findings
  }

  @Option(
    name: [.customLong("from"), .customLong("since")], parsing: .unconditional,
    help: ArgumentHelp("Only records from this point on.", valueName: "point"))
  var from: String?

  @Option(
    help: "Only stanzas of this kind, what belongs to the stream, other elements, unreadable bytes."
  )
  var kind: KindOption?

  @Option(help: "Only records that are odd.")
  var only: Part?

  @Flag(help: "Leave out records that change only presence or the roster's version.")
  var noPresence = false

  /// Whether anything is left out.
  var isSet: Bool { from != nil || kind != nil || only != nil || noPresence }

  /// What is listed of a history.
  struct Chosen {
    private let log: EventLog
    /// The last record that is left out at the start.
    let before: UInt64
    private let filter: RecordFilter

    fileprivate init(_ filter: RecordFilter, _ source: OpenedSource) throws {
      (self.filter, log) = (filter, source.log)
      before =
        try source.naming {
          try filter.from.map { try source.timeline.record(before: LogPoint(option: "--from", $0)) }
        } ?? 0
    }

    /// Whether a record is listed.
    ///
    /// - Parameters:
    ///   - changes: Those of its changes that are told.
    ///   - findings: Those of its findings that are told.
    func includes(
      _ moment: Timeline.Moment, _ changes: [RosterChange], _ findings: [Finding]
    ) throws -> Bool {
      guard moment.stamp.record > before else { return false }
      if filter.only == .findings, findings.isEmpty { return false }
      if filter.noPresence, findings.isEmpty, !changes.isEmpty,
        changes.allSatisfy(\.isFleeting)
      {
        return false
      }
      return try filter.kind == nil || filter.kind == kind(of: moment)
    }

    /// What the record of a moment is; asked outside of every transaction.
    private func kind(of moment: Timeline.Moment) throws -> KindOption? {
      let record = try log.read { try $0.record(at: moment.stamp.record) }
      return record.map { record in
        let isElement = record.header.kind == .element
        return KindOption(
          record.header, isElement ? RecordReader().element(record.bytes) : nil)
      }
    }
  }

  func chosen(in source: OpenedSource) throws -> Chosen { try Chosen(self, source) }
}

/// Which records are listed, and whom they concern.
struct StoryFilter: ParsableArguments {
  @Option(help: "Only what concerns this contact, named \(contactHelp).")
  var contact: String?

  @OptionGroup var records: RecordFilter

  /// Whether anything is left out.
  var isSet: Bool { contact != nil || records.isSet }

  /// What is told of a history.
  struct Chosen {
    fileprivate let records: RecordFilter.Chosen
    /// Whom it concerns; nil for everybody.
    let contact: BareJID?

    /// The last record that is left out at the start.
    var before: UInt64 { records.before }

    func tells(_ moment: Timeline.Moment) throws -> Bool {
      let outcome = moment.outcome
      guard moment.tells, try records.includes(moment, outcome.changes, outcome.findings)
      else { return false }
      guard contact != nil else { return true }
      return moment.outcome.changes.contains { includes($0.contact) }
        || moment.outcome.findings.contains { includes($0.contact) }
    }

    /// Whether what concerns somebody, or the account, is told.
    func includes(_ contact: BareJID?) -> Bool { self.contact == nil || self.contact == contact }
  }

  func chosen(in source: OpenedSource) throws -> Chosen {
    Chosen(
      records: try records.chosen(in: source), contact: try contact.map { try source.contact($0) })
  }
}
