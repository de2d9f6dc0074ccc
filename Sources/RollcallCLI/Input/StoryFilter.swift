import ArgumentParser
import Rollcall
import RosterCore
import XMPPStanza

/// From where on something is told, and of whom.
struct StoryScope: ParsableArguments {
  @Option(
    name: [.customLong("from"), .customLong("since")], parsing: .unconditional,
    help: ArgumentHelp("Only records from this point on.", valueName: "point"))
  var from: String?

  @Option(help: "Only what concerns this contact, named \(contactHelp).")
  var contact: String?

  /// Whether anything is left out.
  var isSet: Bool { from != nil || contact != nil }

  /// What is told of a history.
  struct Chosen {
    /// The last record that is left out at the start.
    fileprivate let before: UInt64
    fileprivate let contact: BareJID?

    func includes(_ record: UInt64) -> Bool { record > before }

    /// Whether what concerns somebody, or the account, is told.
    func includes(_ contact: BareJID?) -> Bool { self.contact == nil || self.contact == contact }
  }

  func chosen(in source: OpenedSource) throws -> Chosen {
    let before = try source.naming {
      try from.map { try source.timeline.record(before: Point(option: "--from", $0)) }
    }
    return Chosen(before: before ?? 0, contact: try contact.map { try source.contact($0) })
  }
}

/// Which records of a story are told.
struct StoryFilter: ParsableArguments {
  enum Part: String, ExpressibleByArgument, CaseIterable {
    case findings
  }

  @OptionGroup var scope: StoryScope

  @Option(help: "Only records that are odd.")
  var only: Part?

  @Flag(help: "Leave out records that change only presence or the roster's version.")
  var noPresence = false

  /// Whether anything is left out.
  var isSet: Bool { scope.isSet || only != nil || noPresence }

  /// What is told of a history.
  struct Chosen {
    fileprivate let scope: StoryScope.Chosen
    fileprivate let filter: StoryFilter

    func tells(_ moment: Timeline.Moment) -> Bool {
      guard moment.tells, scope.includes(moment.stamp.record) else { return false }
      if filter.only == .findings, moment.outcome.findings.isEmpty { return false }
      if filter.noPresence, moment.isFleeting { return false }
      guard filter.scope.contact != nil else { return true }
      return moment.outcome.changes.contains { scope.includes($0.contact) }
        || moment.outcome.findings.contains { scope.includes($0.contact) }
    }
  }

  func chosen(in source: OpenedSource) throws -> Chosen {
    Chosen(scope: try scope.chosen(in: source), filter: self)
  }
}
