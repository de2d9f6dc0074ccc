import Rollcall
@testable import RosterClient
import RosterCore
import Testing
import XMPPStanza

/// A user's relation to another user (RFC 6121 Appendix A): the subscription, or `-` if there is no
/// item, then whether requests are pending `out` and `in`.
struct Relation: Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
  let subscription: String
  let isOut: Bool
  let isIn: Bool

  init(stringLiteral text: String) {
    let words = text.split(separator: " ").map(String.init)
    subscription = words[0]
    (isOut, isIn) = (words.contains("out"), words.contains("in"))
  }

  init(_ roster: Roster, to jid: BareJID) {
    subscription = roster.item(jid)?.subscription.rawValue ?? "-"
    isOut = roster.contact(jid)?.outgoing != nil
    isIn = roster.incoming[jid] != nil
  }

  init(_ stored: StoredRoster, to jid: BareJID) {
    let contact = stored.contacts[jid.text]
    subscription = contact?.subscription ?? "-"
    isOut = contact?.isPending ?? false
    isIn = stored.requests.contains(jid.text)
  }

  var description: String { subscription + (isOut ? " out" : "") + (isIn ? " in" : "") }
}

/// A dialogue of two users; the second one may have two devices.
struct Handshake: Sendable, CustomTestStringConvertible {
  enum Part: Hashable, Sendable {
    case a, b, b2

    var user: String { self == .a ? "alice" : "bob" }
    var other: String { self == .a ? "bob" : "alice" }
    var device: String { self == .b2 ? "2" : "1" }
  }

  enum Action: Sendable {
    case command(@Sendable (BareJID) -> RosterCommand)
    /// Sends a subscription stanza directly.
    case says(String)
    case leaves, returns
  }

  struct Step: Sendable {
    let part: Part
    let action: Action
    let a: Relation
    let b: Relation
    /// The parts that are not informed, because no server does that.
    let unseen: Set<Part>

    init(_ part: Part, _ action: Action, a: Relation, b: Relation, unseen: Set<Part> = []) {
      (self.part, self.action) = (part, action)
      (self.a, self.b, self.unseen) = (a, b, unseen)
    }

    func relation(of part: Part) -> Relation { part == .a ? a : b }
  }

  let name: String
  /// The servers to test with: if servers differ, those that follow the rules.
  let servers: [Servers]
  let steps: [Step]

  init(_ name: String, on servers: [Servers] = Servers.allCases, _ steps: [Step]) {
    (self.name, self.servers, self.steps) = (name, servers, steps)
  }

  var testDescription: String { name }

  // MARK: Playing

  /// Plays it, and checks the logs and the servers of both users after each step.
  func play(on stage: Stage) async throws {
    var sessions: [Part: LiveSession] = [:]
    let parts = Set(steps.map(\.part)).union([.a, .b])
    for part in parts.sorted(by: { $0.device < $1.device }) {
      sessions[part] = try await stage.session(
        part.user, device: part.device, isNew: part != .b2)
    }
    for (number, step) in steps.enumerated() {
      let what = "\(name), step \(number + 1)"
      switch step.action {
      case .leaves: await sessions.removeValue(forKey: step.part)?.close()
      case .returns:
        sessions[step.part] = try await stage.session(step.part.user, device: step.part.device)
      case .says(let word):
        await sessions[step.part]?.tell(word, try stage.jid(step.part.other))
      case .command(let command):
        try await sessions[step.part]?.perform(command(stage.jid(step.part.other)))
      }
      guard try await isAsExpected(step, sessions, on: stage, what) else { break }
    }
    try await checkEnds(sessions, on: stage)
    for session in sessions.values { await session.close() }
  }

  private func isAsExpected(
    _ step: Step, _ sessions: [Part: LiveSession], on stage: Stage, _ what: String
  ) async throws -> Bool {
    for part in [Part.a, .b] {
      let (jid, other) = (try stage.jid(part.user), try stage.jid(part.other))
      let wanted = step.relation(of: part)
      let difference = try await stage.settled {
        let stored = Relation(try stage.server.stored(jid), to: other)
        let isSame =
          stored == wanted
          || (!stage.server.distinguishesRequests && wanted == "none in" && stored == "- in")
        return isSame ? nil : "the server has “\(stored)” for “\(wanted)”"
      }
      if let difference {
        Issue.record("\(what), \(part): \(difference)")
        return false
      }
    }
    let seeing = sessions.filter { !step.unseen.contains($0.key) }
    for (part, session) in seeing {
      let other = try stage.jid(part.other)
      let wanted = step.relation(of: part)
      let difference = try await stage.settled {
        let own = await Relation(session.roster, to: other)
        return own == wanted ? nil : "it has “\(own)” for “\(wanted)”"
      }
      if let difference {
        Issue.record("\(what), \(part): \(difference)")
        return false
      }
    }
    try await stage.agree(Array(seeing.values), after: what)
    return true
  }
}

extension Handshake.Action {
  static let asks = Self.command({ .add($0) })
  static let accepts = Self.command({ .accept($0) })
  static let rejects = Self.command({ .reject($0) })
  static let cancels = Self.command({ .cancel($0) })
  static let removes = Self.command({ .remove($0) })
  static let approves = Self.command({ .preApprove($0) })
  static let blocks = Self.command({ .block(JID(prepared: $0, resource: nil)) })
  static let unblocks = Self.command({ .unblock(JID(prepared: $0, resource: nil)) })
  /// Asks even if the other user has already asked.
  static let asksBlindly = Self.says("subscribe")
  /// Grants without asking back.
  static let grants = Self.says("subscribed")
  /// Revokes an earlier grant.
  static let withdraws = Self.says("unsubscribed")
  static let unsubscribes = Self.says("unsubscribe")
}
