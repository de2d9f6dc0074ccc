import RawBytes
import RosterCore
import XMPPStanza

/// Assigns ids to commands, and matches the server's answers to them (RFC 6120 §8.1.3).
///
/// A value without a clock or randomness.
struct CommandLedger: Hashable, Sendable {
  private enum Request: Hashable, Sendable {
    case decided
    case sent(at: Int64?)
  }

  private struct Open: Hashable, Sendable {
    let command: CommandID
    /// Its unanswered requests, by id.
    var requests: [String: Request]
    var refusal: CommandAnswer.Outcome?
  }

  /// How long an answer may take, in milliseconds.
  static let timeout: Int64 = 60_000
  /// The number of commands that may await being sent or answered. No user has that many at once:
  /// older ones were never sent, or the application never asks for timeouts.
  static let capacity = 1024

  private let prefix: String
  private var commands: UInt64 = 0
  private var requests: UInt64 = 0
  private var open: [Open] = []

  /// - Parameter prefix: The beginning of all ids, which makes them unique in the stream.
  init(prefix: String) {
    self.prefix = prefix
  }

  /// Decides what to send for a command, with new ids.
  mutating func decide(
    _ command: RosterCommand, by decider: RosterDecider, on roster: Roster
  ) throws(CommandRefusal) -> DecidedCommand {
    let (prefix, first) = (prefix, requests)
    let nodes = try decider.decide(command, on: roster) { "\(prefix)\(first + UInt64($0))" }
    let ids = nodes.compactMap { $0.is("iq", in: Namespace.client) ? $0.attribute("id") : nil }
    requests += UInt64(nodes.count)
    commands += 1
    let id = CommandID(number: commands)
    if !ids.isEmpty {
      let waiting = ids.map { ($0, Request.decided) }
      if open.count == Self.capacity { open.removeFirst() }
      open.append(Open(command: id, requests: Dictionary(uniqueKeysWithValues: waiting)))
    }
    return DecidedCommand(
      id: id, elements: nodes.map { OutgoingElement($0) }, isAnswered: !ids.isEmpty)
  }

  /// Notes that a request was sent and awaits its answer.
  mutating func sent(_ iq: IQ, at time: Int64?) {
    guard let id = iq.requestID, let index = open.firstIndex(where: { $0.requests[id] != nil })
    else { return }
    open[index].requests[id] = .sent(at: time)
  }

  /// Handles a stanza from our own server.
  ///
  /// - Returns: The answer to a command, once all its requests are answered.
  mutating func received(_ iq: IQ) -> CommandAnswer? {
    guard let (id, outcome) = iq.answer,
      let index = open.firstIndex(where: { $0.requests[id] != nil })
    else { return nil }
    open[index].requests[id] = nil
    if outcome != .result, open[index].refusal == nil { open[index].refusal = outcome }
    guard open[index].requests.isEmpty else { return nil }
    let done = open.remove(at: index)
    return CommandAnswer(command: done.command, outcome: done.refusal ?? .result)
  }

  /// Drops the commands whose answer is overdue. For a request that was sent at an unknown time,
  /// the timeout begins now.
  mutating func overdue(at time: Int64) -> [CommandAnswer] {
    for index in open.indices {
      open[index].requests = open[index].requests.mapValues { request in
        request == .sent(at: nil) ? .sent(at: time) : request
      }
    }
    return giveUp { request in
      guard case .sent(let then?) = request else { return false }
      return time > then.addingReportingOverflow(Self.timeout).partialValue
    }
  }

  /// Drops all commands that were sent, because their session has ended.
  mutating func sessionEnded() -> [CommandAnswer] {
    giveUp { $0 != .decided }
  }

  private mutating func giveUp(where isLost: (Request) -> Bool) -> [CommandAnswer] {
    let lost = open.filter { $0.requests.values.contains(where: isLost) }
    open.removeAll { $0.requests.values.contains(where: isLost) }
    return lost.map { CommandAnswer(command: $0.command, outcome: .timeout) }
  }
}

extension IQ {
  /// The id of a request; nil for an answer.
  fileprivate var requestID: String? {
    switch kind {
    case .get, .set: id
    case .result, .error: nil
    }
  }

  /// The id and content of an answer; nil for a request.
  fileprivate var answer: (id: String, outcome: CommandAnswer.Outcome)? {
    guard let id else { return nil }
    switch kind {
    case .get, .set: return nil
    case .result: return (id, .result)
    case .error:
      return (id, .refused(StanzaError(error: node.child("error", in: Namespace.client))))
    }
  }
}

/// The answers to pushes that have yet to be sent (RFC 6121 §2.1.6).
struct Acknowledgements: Hashable, Sendable {
  /// The number that may await being sent. A server with that many unanswered pushes does not wait
  /// for them.
  static let capacity = 1024

  private(set) var waiting: [XMPPElement] = []

  /// Notes a push, if it is one that must be acknowledged.
  mutating func received(_ iq: IQ, on roster: Roster) {
    guard let answer = RosterDecider.acknowledgement(of: iq, on: roster) else { return }
    if waiting.count == Self.capacity { waiting.removeFirst() }
    waiting.append(answer)
  }

  /// Notes that an answer to our own server was sent, whether a result or an error.
  mutating func sent(_ iq: IQ, on roster: Roster) {
    guard iq.kind == .result || iq.kind == .error, roster.isOwnServer(iq.to),
      let id = iq.id,
      let index = waiting.firstIndex(where: { $0.attribute("id").hasSameBytes(as: id) })
    else { return }
    waiting.remove(at: index)
  }

  /// Clears the list for a new session, which owes no answers.
  mutating func sessionBegan() { waiting = [] }
}
