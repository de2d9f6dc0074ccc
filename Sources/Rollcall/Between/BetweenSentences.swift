import RosterCore
import XMPPStanza

extension TwoEnds {
  /// What is said of one direction of the subscription, for people.
  package struct Answer: Hashable, Sendable {
    /// The question, such as “Does alice@example.test see bob@example.test?”.
    package let question: String
    /// The answer in a word or two.
    package let word: String
    /// Full sentences, each with the records that it is based on.
    package let reasons: [String]
    /// The ways to repair it, each as a sentence with its stanzas.
    package let repairs: [String]
  }

  /// The answers for both directions.
  package var answers: [Answer] { comparison.directions.map { answer($0) } }

  private func name(_ end: PairEnd) -> String { account(end)?.text ?? "the other account" }

  private func answer(_ direction: EndsComparison.Direction) -> Answer {
    let (subscriber, owner) = (
      name(direction.end(.subscriber)), name(direction.end(.owner))
    )
    var repairs: [String] = []
    if case .disagree(let disagreement) = direction.verdict {
      repairs = disagreement.repairs.map { sentence($0, direction) }
    }
    return Answer(
      question: "Does \(subscriber) see the presence of \(owner)?",
      word: direction.verdict.word, reasons: reasons(direction) + later(direction),
      repairs: repairs)
  }

  private func reasons(_ direction: EndsComparison.Direction) -> [String] {
    switch direction.verdict {
    case .agree(.active), .agree(.none): ["Both ends say so\(end(direction))."]
    case .agree(.pending):
      [
        "Both ends have the request, which awaits the answer of \(name(direction.end(.owner)))"
          + "\(end(direction))."
      ]
    case .settling:
      both(direction) + [settling(direction)]
    case .blocked:
      both(direction) + [
        "One of them blocks the other, so its server is not told what changes (XEP-0191)."
      ]
    case .unknown(let doubt): [sentence(doubt, direction)]
    case .disagree(let disagreement):
      both(direction) + [right(disagreement, direction)] + cause(disagreement, direction)
    }
  }

  private func settling(_ direction: EndsComparison.Direction) -> String {
    let hasArrived = SubscriptionSide.allCases.contains { side in
      guard let later = direction.later[side], let other = direction.stages[side.opposite] else {
        return false
      }
      return !later.stages.isDisjoint(with: other)
    }
    return hasArrived
      ? "The longer log shows that the news arrived later."
      : "One of them was first shown or changed not long before a log ends, so the news may still "
        + "have been on its way."
  }

  /// Why it is unknown, as a sentence.
  private func sentence(
    _ doubt: EndsComparison.Doubt, _ direction: EndsComparison.Direction
  ) -> String {
    switch doubt {
    case .noTimes:
      return "The records of a log have no times, so the two cannot be put side by side."
    case .noRoster: return "A log never has the whole roster of its account."
    case .notTogether:
      return "When the first of the two logs ends, they do not show both rosters."
    case .unshownAcceptance:
      let end = direction.end(.owner)
      let act = comparison.ends[end]?.acts.last { $0.kind == .stanza(.subscribed) }
      let place = act.map { " at #\($0.stamp.record)" } ?? ""
      return "\(name(end)) accepted the request\(place), and its roster does not show it."
    case .notShown:
      return
        "The logs do not show enough: a request may be there that no record shows, or may be gone."
    }
  }

  /// Until when both ends are known: the end of the shorter log.
  private func end(_ direction: EndsComparison.Direction) -> String {
    let ended = PairEnd.allCases.filter {
      comparison.ends[$0]?.spans.compactMap(\.times).last?.upperBound == direction.time
    }
    return ended.count == 1 ? " until the log of \(name(ended[0])) ends" : ""
  }

  /// What the longer log shows after that.
  private func later(_ direction: EndsComparison.Direction) -> [String] {
    SubscriptionSide.allCases.compactMap { side in
      direction.later[side].map {
        "After that, by its own log alone, "
          + "\(clause(side, $0.stages, since: $0.record, direction))."
      }
    }
  }

  /// What each end says.
  private func both(_ direction: EndsComparison.Direction) -> [String] {
    SubscriptionSide.allCases.map { side in
      "By its own log, "
        + "\(clause(side, direction.stages[side], since: direction.records[side], direction))."
    }
  }

  private func clause(
    _ side: SubscriptionSide, _ stages: PossibleStages?, since number: UInt64?,
    _ direction: EndsComparison.Direction
  ) -> String {
    let (this, other) = (name(direction.end(side)), name(direction.end(side.opposite)))
    let since = number.map { " (since \(record($0, direction.end(side))))" } ?? ""
    return "\(this) \((stages ?? .unknown).words(side, other))\(since)"
  }

  /// A record and whose log has it.
  private func record(_ number: UInt64, _ end: PairEnd) -> String { "#\(number) of \(name(end))" }

  private func right(
    _ disagreement: EndsComparison.Disagreement, _ direction: EndsComparison.Direction
  ) -> String {
    let end = name(direction.end(disagreement.right))
    return switch disagreement.right {
    case .owner:
      "\(end) is right: its server decides who sees its presence (RFC 6121 §3.1.5, §3.2.1)."
    case .subscriber:
      "\(end) is right: an account itself decides what it asks for (RFC 6121 §3.1.2, §3.3.2)."
    }
  }

  private func cause(
    _ disagreement: EndsComparison.Disagreement, _ direction: EndsComparison.Direction
  ) -> [String] {
    var sentences: [String] = []
    if let shared = disagreement.lastShared, case .subscription(let kind) = shared.sent.kind {
      sentences.append(
        "The last subscription stanza before that both logs have is the “\(kind.rawValue)” of "
          + "\(name(shared.sender)): \(record(shared.sent.stamp.record, shared.sender)), "
          + "\(record(shared.received.stamp.record, shared.sender.opposite)).")
    }
    switch disagreement.cause {
    case .lost(let side, let act):
      let (from, to) = (direction.end(side), direction.end(side.opposite))
      sentences.append(
        "Then \(name(from)) \(act.words(side)) at \(record(act.stamp.record, from)), and it never "
          + "arrived at \(name(to)).")
    case .notApplied(let side, let act, let arrived):
      let (from, to) = (direction.end(side), direction.end(side.opposite))
      sentences.append(
        "\(name(from)) \(act.words(side)) at \(record(act.stamp.record, from)); it arrived at "
          + "\(record(arrived, to)), but the roster there does not show it.")
    case .unexplained(let side, let number, true):
      let end = direction.end(side)
      sentences.append(
        "The roster that was fetched at \(record(number, end)) parts from the other end, and no "
          + "stanza of either log explains it: the server may have been restored from an older "
          + "copy or its data edited, or another device did it.")
    case .unexplained(let side, let number, false):
      let end = direction.end(side)
      sentences.append(
        "\(record(number, end)) parts from the other end, and no stanza of either log explains "
          + "it: another device of \(name(end)) did it, or its server.")
    case .earlier:
      sentences.append("It was so when the logs began.")
    case .unknown:
      sentences.append("The logs do not show what parted the two.")
    }
    return sentences
  }

  private func sentence(
    _ repair: SubscriptionRepair, _ direction: EndsComparison.Direction
  ) -> String {
    let steps = repair.steps.map { step in
      let sender = direction.end(step.sender)
      return "\(name(sender)) sends \(repair.stanza(step, to: name(sender.opposite)))"
    }
    let purpose =
      switch repair.purpose {
      case .restore: "To restore the subscription"
      case .askAgain: "To ask again"
      case .end: "To end it at both ends"
      }
    return "\(purpose): \(steps.joined(separator: ", then ")) (never sent by rollcall)."
  }
}

extension PossibleStages {
  /// What they say of the end on a side, after its name: what all of them have in common, or each.
  fileprivate func words(_ side: SubscriptionSide, _ other: String) -> String {
    guard self != [.none, .pending] else {
      return side == .subscriber
        ? "does not see \(other)" : "does not show its presence to \(other)"
    }
    return SubscriptionStage.allCases.filter { contains(PossibleStages($0)) }.map { stage in
      switch (side, stage) {
      case (.subscriber, .none): "does not see \(other) and does not ask to"
      case (.subscriber, .pending): "waits for the answer of \(other) to its request"
      case (.subscriber, .active): "sees the presence of \(other)"
      case (.owner, .none): "does not show its presence to \(other), and has no request of it"
      case (.owner, .pending): "has a request of \(other) that awaits an answer"
      case (.owner, .active): "shows its presence to \(other)"
      }
    }.joined(separator: " or ")
  }
}

extension SubscriptionRepair {
  /// The stanza of a step, as XML.
  func stanza(_ step: Step, to address: String) -> String {
    let escaped = address.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
      .replacing("'", with: "&apos;")
    return "<presence to='\(escaped)' type='\(step.kind.rawValue)'/>"
  }
}

extension RecordedEnd.Act {
  /// What the account did, after its name.
  fileprivate func words(_ side: SubscriptionSide) -> String {
    switch kind {
    case .stanza(let kind): "sent “\(kind.rawValue)”"
    case .removal:
      "removed it from the roster, for which its server sends “"
        + (side == .subscriber ? "unsubscribe" : "unsubscribed") + "” (RFC 6121 §2.5.2),"
    }
  }
}

extension EndsComparison.Verdict {
  /// The answer in a word or two.
  fileprivate var word: String {
    switch self {
    case .agree(.active): "Yes."
    case .agree(.pending): "Not yet."
    case .agree(.none): "No."
    case .settling: "It may still be settling."
    case .blocked: "Blocked."
    case .unknown: "Unknown."
    case .disagree: "The two ends disagree."
    }
  }
}
