package import RosterCore
package import XMPPStanza

/// What a log says about the ends of requests besides the state: which of our devices accepted,
/// and which acceptances the roster never showed.
package struct RequestOutcomes: Hashable, Sendable {
  /// A connection of ours, as it was when it accepted a request.
  private struct Device: Hashable {
    let connection: ConnectionID
    let resource: String?
    /// Whether there are several, so that it has to be named.
    let isOneOfSeveral: Bool
  }

  /// The devices that accepted requests, by the record of the acceptance.
  private var devices: [UInt64: Device] = [:]
  /// The findings about acceptances that the roster never showed, by the record of the acceptance.
  private var unshown: [UInt64: UInt64] = [:]

  package init() {}

  /// Follows one record, which led to this state.
  package mutating func follow(_ moment: Timeline.Moment, _ roster: Roster) {
    if moment.outcome.changes.contains(where: { $0.reason == .ended(.accepted) }) {
      let connections = roster.connections
      devices[moment.stamp.record] = Device(
        connection: moment.connection,
        resource: connections.first { $0.id == moment.connection }?.resource,
        isOneOfSeveral: connections.count > 1)
    }
  }

  /// Follows a finding, of a record or of the log's end.
  package mutating func follow(_ finding: Finding) {
    if finding.code == .unshownAcceptance, let cause = finding.cause {
      unshown[cause] = finding.record
    }
  }

  /// The record of the finding that the roster never showed our acceptance of a contact's request,
  /// if it still does not.
  package func unshownAcceptance(
    of end: EndedRequest, from jid: BareJID, in roster: Roster
  ) -> UInt64? {
    guard end.way == .accepted, roster.subscription(of: jid)?.includesFrom != true else {
      return nil
    }
    return unshown[end.at.record]
  }

  /// The record of the finding that the roster never showed a contact's acceptance of our request,
  /// if it still does not.
  package func unshownAcceptance(
    of end: EndedOutgoing, to jid: BareJID, in roster: Roster
  ) -> UInt64? {
    guard end.way == .accepted, roster.subscription(of: jid)?.includesTo != true else {
      return nil
    }
    return unshown[end.at.record]
  }

  /// The device that accepted a request; nil if the log has only one.
  package func device(acceptingAt record: UInt64, _ names: ConnectionNames) -> String? {
    guard let device = devices[record],
      device.isOneOfSeveral || names.areNeeded(for: device.connection)
    else { return nil }
    return names.label(device.connection, resource: device.resource)
  }

  /// How a contact's request ended, in a clause.
  package func clause(
    of end: EndedRequest, from jid: BareJID, in roster: Roster, _ names: ConnectionNames
  ) -> String {
    guard end.way == .accepted else { return end.way.clause }
    let who = device(acceptingAt: end.at.record, names) ?? "we"
    return "\(who) accepted it" + contradiction(unshownAcceptance(of: end, from: jid, in: roster))
  }

  /// How our request to a contact ended, in a clause.
  package func clause(of end: EndedOutgoing, to jid: BareJID, in roster: Roster) -> String {
    return end.way.clause + contradiction(unshownAcceptance(of: end, to: jid, in: roster))
  }

  private func contradiction(_ finding: UInt64?) -> String {
    finding.map { ", but the roster never showed it (#\($0))" } ?? ""
  }
}

extension Timeline {
  /// What became of the requests that ended by a state of this timeline.
  ///
  /// Complexity: linear in the events from the first acceptance of an ended request to the state.
  package func requestOutcomes(upTo state: State) throws -> RequestOutcomes {
    var outcomes = RequestOutcomes()
    let accepted =
      state.roster.ended.values.filter { $0.way == .accepted }.map(\.at.record)
      + state.roster.endedOutgoing.values.filter { $0.way == .accepted }.map(\.at.record)
    guard let first = accepted.min() else { return outcomes }
    var replayed = first > 1 ? try self.state(after: first - 1, from: nil) : State()
    try advance(&replayed, to: state.roster.position) { moment, roster in
      outcomes.follow(moment, roster)
      for finding in moment.outcome.findings { outcomes.follow(finding) }
    }
    for finding in try findings(ending: replayed) { outcomes.follow(finding) }
    return outcomes
  }
}
