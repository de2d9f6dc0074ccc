import EventStore
import Rollcall
import RosterCore
import XMPPStanza

/// The history of the contact that was looked at last.
struct HistoryCache: Sendable {
  /// An entry, with the roster's word on who caused what.
  struct Line: Sendable {
    let entry: HistoryEntry
    /// The lines about the earlier records that its changes go back to.
    let origins: [(origin: ChangeOrigin, text: String)]
  }

  private var known: (contact: BareJID, head: UInt64, lines: [Line], findings: [Finding])?

  /// Everything that ever happened to a contact, and what the end of the log shows of it.
  ///
  /// Complexity: linear in the events, unless it is the contact that was asked for last.
  mutating func history(
    of contact: BareJID, in timeline: Timeline, upTo head: UInt64
  ) throws -> (lines: [Line], findings: [Finding]) {
    if let known, known.contact == contact, known.head == head {
      return (known.lines, known.findings)
    }
    var lines: [Line] = []
    let names = ConnectionNames(try timeline.log.meta.connections)
    let (state, _) = try timeline.history(of: contact, upTo: .record(head)) { entry, roster in
      let origins = entry.origins.map { origin in
        (origin, origin.line { names.agent(of: $0, roster) })
      }
      lines.append(Line(entry: entry, origins: origins))
    }
    let findings = try timeline.findings(ending: state).filter { $0.contact == contact }
    known = (contact, head, lines, findings)
    return (lines, findings)
  }
}
