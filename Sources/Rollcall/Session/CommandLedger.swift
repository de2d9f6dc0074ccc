import RawBytes
import RosterCore
import XMPPStanza

/// Gives commands their ids, and matches what the server answers to them (RFC 6120 §8.1.3).
///
/// A value: it knows no clock, and chooses nothing by chance.
struct CommandLedger: Hashable, Sendable {
  private enum Request: Hashable, Sendable {
    case decided
    case sent(at: Int64?)
  }

  private struct Open: Hashable, Sendable {
    let command: CommandID
    /// Those of its requests that are not answered, by id.
    var requests: [String: Request]
    var refusal: CommandAnswer.Word?
  }

  /// How long an answer may take, in milliseconds.
  static let patience: Int64 = 60_000
  /// How many commands may wait for their answers, or to be sent. Nobody has so many at once: those
  /// before were never sent, or nobody asks for timeouts.
  static let most = 1024

  private let prefix: String
  private var commands: UInt64 = 0
  private var requests: UInt64 = 0
  private var open: [Open] = []

  /// - Parameter prefix: What the ids begin with, so that nobody else's are equal.
  init(prefix: String) {
    self.prefix = prefix
  }

  /// What carries out a command, with ids of its own.
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
      if open.count == Self.most { open.removeFirst() }
      open.append(Open(command: id, requests: Dictionary(uniqueKeysWithValues: waiting)))
    }
    return DecidedCommand(
      id: id, elements: nodes.map { OutgoingElement($0) }, isAnswered: !ids.isEmpty)
  }

  /// A request went out: from now on its answer is waited for.
  mutating func sent(_ iq: IQ, at time: Int64?) {
    guard let id = iq.requestID, let index = open.firstIndex(where: { $0.requests[id] != nil })
    else { return }
    open[index].requests[id] = .sent(at: time)
  }

  /// Takes what came from our own server.
  ///
  /// - Returns: The answer to a command, once all its requests are answered.
  mutating func received(_ iq: IQ) -> CommandAnswer? {
    guard let (id, word) = iq.answer,
      let index = open.firstIndex(where: { $0.requests[id] != nil })
    else { return nil }
    open[index].requests[id] = nil
    if word != .result, open[index].refusal == nil { open[index].refusal = word }
    guard open[index].requests.isEmpty else { return nil }
    let done = open.remove(at: index)
    return CommandAnswer(command: done.command, word: done.refusal ?? .result)
  }

  /// Gives up the commands whose answer is overdue. A request that went out at a time that is not
  /// known has the patience of one that goes out now.
  mutating func overdue(at time: Int64) -> [CommandAnswer] {
    for index in open.indices {
      open[index].requests = open[index].requests.mapValues { request in
        request == .sent(at: nil) ? .sent(at: time) : request
      }
    }
    return giveUp { request in
      guard case .sent(let then?) = request else { return false }
      return time > then.addingReportingOverflow(Self.patience).partialValue
    }
  }

  /// Gives up all commands that were sent: their session is over.
  mutating func sessionEnded() -> [CommandAnswer] {
    giveUp { $0 != .decided }
  }

  private mutating func giveUp(where isLost: (Request) -> Bool) -> [CommandAnswer] {
    let lost = open.filter { $0.requests.values.contains(where: isLost) }
    open.removeAll { $0.requests.values.contains(where: isLost) }
    return lost.map { CommandAnswer(command: $0.command, word: .timeout) }
  }
}

extension IQ {
  /// The id of a request; nil for an answer.
  fileprivate var requestID: String? {
    switch kind {
    case .get, .set: head.id
    case .result, .error: nil
    }
  }

  /// The id that an answer names, and what it says; nil for a request.
  fileprivate var answer: (id: String, word: CommandAnswer.Word)? {
    guard let id = head.id else { return nil }
    switch kind {
    case .get, .set: return nil
    case .result: return (id, .result)
    case .error:
      let parts = node.child("error", in: Namespace.client)?.children
        .filter { $0.name.namespace == Namespace.stanzaErrors }
      let condition = parts?.first { $0.name.local != "text" }?.name.local
      let text = parts?.first { $0.name.local == "text" }?.text
      return (id, .error(condition: condition, text: text))
    }
  }
}

/// The answers to pushes that are still to be sent (RFC 6121 §2.1.6).
struct Acknowledgements: Hashable, Sendable {
  /// How many may wait. A server that has so many pushes unanswered does not wait for them.
  static let most = 1024

  private(set) var waiting: [XMPPElement] = []

  /// A push may have come, which is to be acknowledged where it counts.
  mutating func received(_ iq: IQ, on roster: Roster) {
    guard let answer = RosterDecider.acknowledgement(of: iq, on: roster) else { return }
    if waiting.count == Self.most { waiting.removeFirst() }
    waiting.append(answer)
  }

  /// An answer went out: to our own server, and whether we did as it said or not.
  mutating func sent(_ iq: IQ, on roster: Roster) {
    guard iq.kind == .result || iq.kind == .error, roster.isOwnServer(iq.head.to),
      let id = iq.head.id,
      let index = waiting.firstIndex(where: { $0.attribute("id").hasSameBytes(as: id) })
    else { return }
    waiting.remove(at: index)
  }

  /// A new session has begun: nobody waits for them any more.
  mutating func sessionBegan() { waiting = [] }
}
