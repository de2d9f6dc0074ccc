package import Captures
package import RosterCore
package import XMPPStanza

extension JSONValue {
  /// Friends as `rollcall friends --json` prints them.
  package init(friends items: [RosterItem], of state: Timeline.State) {
    let roster = state.roster
    self = .object([
      "account": JSONValue(state.account?.text),
      "at": JSONValue(roster.position),
      "complete": .bool(roster.completeness == .complete),
      "friends": .array(
        items.map { item in
          .object([
            "jid": .string(item.jid.text),
            "displayName": .string(roster.displayName(of: item.jid)),
            "name": JSONValue(item.name),
            "subscription": .string(item.subscription.rawValue),
            "groups": JSONValue(item.groups),
            "presence": JSONValue(roster.presence(of: item.jid)),
          ])
        }),
    ])
  }

  /// Requests, and how each contact's last one ended, as `rollcall requests --json` prints them.
  ///
  /// - Parameter outcomes: What the log says about the ends of requests besides the state.
  package init(requestsAndEnds state: Timeline.State, _ outcomes: RequestOutcomes) {
    let roster = state.roster
    let names = ConnectionNames(state.names)
    self = .object([
      "account": JSONValue(state.account?.text),
      "at": JSONValue(roster.position),
      "requests": JSONValue(requestsOf: roster),
      "undelivered": .array(
        roster.undelivered.map { jid, request, error in
          .object([
            "jid": .string(jid.text), "since": JSONValue(request.since.record),
            "at": JSONValue(error.record), "error": JSONValue(error.report),
          ])
        }),
      "ended": .array(
        roster.ended.sorted { $0.key < $1.key }.map { jid, end in
          .object([
            "jid": .string(jid.text), "way": .string(end.way.rawValue),
            "since": JSONValue(end.since.record), "at": JSONValue(end.at.record),
            "device": JSONValue(outcomes.device(ending: jid, at: end.at.record, names)),
            "unshown": JSONValue(outcomes.unshownAcceptance(of: end, from: jid, in: roster)),
          ])
        }),
      "endedOutgoing": .array(
        roster.endedOutgoing.sorted { $0.key < $1.key }.map { jid, end in
          .object([
            "jid": .string(jid.text), "way": .string(end.way.rawValue),
            "since": JSONValue(end.since.record), "at": JSONValue(end.at.record),
            "device": JSONValue(outcomes.device(ending: jid, at: end.at.record, names)),
            "unshown": JSONValue(outcomes.unshownAcceptance(of: end, to: jid, in: roster)),
          ])
        }),
    ])
  }
}

extension Roster {
  /// Our open requests that were answered with an error, by address. They stay what the roster
  /// shows.
  package var undelivered: [(jid: BareJID, request: OutgoingRequest, error: ReturnedError)] {
    outgoing.sorted { $0.key < $1.key }.compactMap { jid, request in
      guard let error = contact(jid)?.returnedError, error.cause == request.since.record else {
        return nil
      }
      return (jid, request, error)
    }
  }
}
