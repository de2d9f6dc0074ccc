package import RosterCore
package import XMPPStanza

/// What a log says about the ends of requests besides the state: which of our devices ended them,
/// and which acceptances the roster never showed.
package struct RequestOutcomes: Hashable, Sendable {
  /// A connection of ours, as it was when it ended a request.
  private struct Device: Hashable {
    let connection: ConnectionID
    let resource: String?
    /// Whether there are several, so that it has to be named.
    let isOneOfSeveral: Bool
  }

  /// The end of a request between a contact and us.
  private struct End: Hashable {
    let contact: BareJID
    let record: UInt64
  }

  /// The devices that ended requests.
  private var devices: [End: Device] = [:]
  /// The findings about acceptances that the roster never showed, by the record of the acceptance.
  private var unshown: [UInt64: UInt64] = [:]

  package init() {}

  /// Follows one record, which led to this state.
  package mutating func follow(_ moment: Timeline.Moment, _ roster: Roster) {
    for change in moment.outcome.changes {
      guard let contact = change.contact, let device = device(ending: change, moment, roster)
      else { continue }
      devices[End(contact: contact, record: change.record)] = device
    }
  }

  /// The device of ours that ended a request by what it sent; nil if none did.
  private func device(
    ending change: RosterChange, _ moment: Timeline.Moment, _ roster: Roster
  ) -> Device? {
    let connections = roster.connections
    let isOneOfSeveral = connections.count > 1
    switch change.reason {
    case .ended(.accepted), .ended(.denied), .outgoingEnded(.cancelled):
      return Device(
        connection: moment.connection,
        resource: connections.first { $0.id == moment.connection }?.resource,
        isOneOfSeveral: isOneOfSeveral)
    case .outgoingEnded(.removed):
      let set = moment.outcome.origins.first { $0.kind == .edit && $0.contact == change.contact }
      return set.map {
        Device(
          connection: $0.connection, resource: $0.device, isOneOfSeveral: isOneOfSeveral)
      }
    case .ended(.withdrawn), .ended(.acceptedElsewhere), .outgoingEnded(.accepted),
      .outgoingEnded(.refused), .outgoingEnded(.subscribed), .outgoingEnded(.dropped),
      .outgoingEnded(.neverShown), .unconfirmed, .session, .onlyConnection, nil:
      return nil
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

  /// The device of ours that ended a request at a record; nil if none did, or if the log has only
  /// one.
  package func device(
    ending contact: BareJID, at record: UInt64, _ names: ConnectionNames
  ) -> String? {
    guard let device = devices[End(contact: contact, record: record)],
      device.isOneOfSeveral || names.areNeeded(for: device.connection)
    else { return nil }
    return names.label(device.connection, resource: device.resource)
  }

  /// How a contact's request ended, in a clause.
  package func clause(
    of end: EndedRequest, from jid: BareJID, in roster: Roster, _ names: ConnectionNames
  ) -> String {
    let who = device(ending: jid, at: end.at.record, names) ?? "we"
    return switch end.way {
    case .accepted:
      "\(who) accepted it" + contradiction(unshownAcceptance(of: end, from: jid, in: roster))
    case .denied: "\(who) denied it"
    case .withdrawn, .acceptedElsewhere: end.way.clause
    }
  }

  /// How our request to a contact ended, in a clause.
  package func clause(
    of end: EndedOutgoing, to jid: BareJID, in roster: Roster, _ names: ConnectionNames
  ) -> String {
    let who = device(ending: jid, at: end.at.record, names) ?? "we"
    let error = roster.contact(jid)?.returnedError.flatMap {
      $0.cause == end.since.record ? $0 : nil
    }
    let undelivered =
      error.map { "; it had not been delivered: \($0.report.clause) (#\($0.record))" } ?? ""
    return switch end.way {
    case .accepted:
      end.way.clause + contradiction(unshownAcceptance(of: end, to: jid, in: roster))
    case .cancelled: "\(who) cancelled it" + undelivered
    case .removed where devices[End(contact: jid, record: end.at.record)] != nil:
      "\(who) removed the contact" + undelivered
    case .removed, .dropped, .neverShown: end.way.clause + undelivered
    case .refused, .subscribed: end.way.clause
    }
  }

  /// What the roster shows of our open request to a contact, in a clause.
  package func clause(
    of request: OutgoingRequest, to jid: BareJID, in roster: Roster
  ) -> String {
    guard request.isReflected else { return "not yet in the roster" }
    let end = roster.endedOutgoing[jid]
    return "the server waits for an answer"
      + (end.map { ", although the contact accepted at #\($0.at.record)" } ?? "")
  }

  private func contradiction(_ finding: UInt64?) -> String {
    finding.map { ", but the roster never showed it (#\($0))" } ?? ""
  }
}

extension Timeline {
  /// What became of the requests that ended by a state of this timeline.
  ///
  /// Complexity: linear in the events from the first of these ends to the state.
  package func requestOutcomes(upTo state: State) throws -> RequestOutcomes {
    var outcomes = RequestOutcomes()
    let ends =
      state.roster.ended.values.map(\.at.record)
      + state.roster.endedOutgoing.values.map(\.at.record)
    guard let first = ends.min() else { return outcomes }
    var replayed = first > 1 ? try self.state(after: first - 1, from: nil) : State()
    try advance(&replayed, to: state.roster.position) { moment, roster in
      outcomes.follow(moment, roster)
      for finding in moment.outcome.findings { outcomes.follow(finding) }
    }
    for finding in try findings(ending: replayed) { outcomes.follow(finding) }
    return outcomes
  }
}
