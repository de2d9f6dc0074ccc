import RosterCore
import XMPPStanza

// Requests both ways, presence, and blocking.
extension Explainer {
  // MARK: Requests

  var request: Explanation.Topic {
    let incoming = roster.incoming[contact]
    let unconfirmed = roster.unconfirmed[contact]
    let outgoing = roster.outgoing[contact]
    var reasons: [Explanation.Reason] = []
    if let incoming { reasons += openReasons(incoming) }
    if let unconfirmed { reasons += unconfirmedReasons(unconfirmed) }
    if incoming == nil, unconfirmed == nil { reasons.append(endReason) }
    if let outgoing {
      reasons.append(outgoingReason(outgoing))
    } else if let end = roster.endedOutgoing[contact] {
      reasons.append(
        Explanation.Reason(
          .ourRequestEnded, [end.at.record],
          "Our request ended at #\(end.at.record): "
            + "\(replay.requests.clause(of: end, to: contact, in: roster, names))."))
    }
    if roster.crosses(contact) {
      reasons.append(
        Explanation.Reason(.crossing, "The two requests cross: either side can settle both."))
    }
    let isOpen = incoming != nil || outgoing != nil
    let mayBeOpen = unconfirmed != nil || mayHaveAskedBefore
    return Explanation.Topic(
      subject: .request, verdict: isOpen ? .yes : mayBeOpen ? .unknown : .no,
      reasons: reasons,
      change: requestChange(isIn: incoming != nil || unconfirmed != nil, isOut: outgoing != nil))
  }

  private func openReasons(_ request: IncomingRequest) -> [Explanation.Reason] {
    var text = "It asks to see our presence since #\(request.since.record)"
    if request.count > 1 {
      text += "; the request came \(request.count) times, the last at #\(request.last.record)"
    }
    if let status = request.status { text += ": “\(status)”" }
    return [Explanation.Reason(.asks, [request.since.record], text + ".")]
      + answersThatDoNotCount(since: request.since.record)
  }

  private func unconfirmedReasons(_ request: IncomingRequest) -> [Explanation.Reason] {
    [doubt(request)] + answersThatDoNotCount(since: request.since.record)
  }

  private func doubt(_ request: IncomingRequest) -> Explanation.Reason {
    if let removal = replay.removal, removal.record > request.last.record,
      removal.record > replay.session.boundAt ?? 0
    {
      return Explanation.Reason(
        .mayAsk, [request.since.record, removal.record],
        "It asked to see our presence at #\(request.since.record); the server removed the contact "
          + "at #\(removal.record), and perhaps the request with it: some servers send it again "
          + "at the next login.")
    }
    if request.last.record > replay.session.boundAt ?? .max {
      return Explanation.Reason(
        .mayAsk, [request.since.record],
        "It asked to see our presence at #\(request.since.record); the server may have sent that "
          + "before it had our refusal, and then it is refused.")
    }
    let session = replay.session.boundAt.map { " of #\($0)" } ?? ""
    return Explanation.Reason(
      .mayAsk, [request.since.record, replay.session.boundAt],
      "It asked to see our presence at #\(request.since.record), in an earlier session; the server "
        + "has not sent the request again in the session\(session): another of our devices may "
        + "have answered it, or it was withdrawn.")
  }

  /// Words of ours that look like an answer to its request and are none (§3.1.4 to §3.3).
  private func answersThatDoNotCount(since record: UInt64) -> [Explanation.Reason] {
    let ours = replay.stanzas.filter { $0.isOurs && $0.record > record }
    let withdrawals = ours.filter { $0.kind == .unsubscribe }.map(\.record)
    guard !withdrawals.isEmpty else { return [] }
    return [
      Explanation.Reason(
        .noAnswer, withdrawals,
        "Our “unsubscribe” at \(withdrawals.list) does not answer it: that ends what we see of it, "
          + "not what it asks of us (RFC 6121 §3.3); a refusal is “unsubscribed” (§3.2).")
    ]
  }

  private var endReason: Explanation.Reason {
    if let end = roster.ended[contact] {
      return Explanation.Reason(
        .requestEnded, [end.since.record, end.at.record],
        "Its request of #\(end.since.record) ended at #\(end.at.record): "
          + "\(replay.requests.clause(of: end, from: contact, in: roster, names)).")
    }
    if item?.subscription.includesFrom == true {
      return Explanation.Reason(.seesUs, "It sees our presence already and need not ask.")
    }
    return mayHaveAskedBefore
      ? Explanation.Reason(
        .mayHaveAsked,
        "The log begins in the middle of a session, and has no request of it: an earlier one may "
          + "be open.")
      : Explanation.Reason(.notAsked, "It has not asked to see our presence.")
  }

  /// Whether a request of the contact may have come before the log began. An item does not show it
  /// (RFC 6121 Appendix A).
  private var mayHaveAskedBefore: Bool {
    isFragment && item?.subscription.includesFrom != true && roster.ended[contact] == nil
  }

  private func outgoingReason(_ request: OutgoingRequest) -> Explanation.Reason {
    let shown = request.isReflected ? "the server shows it" : "the server has not shown it yet"
    let error = roster.contact(contact)?.returnedError
    let returned =
      error.flatMap { $0.cause == request.since.record ? $0 : nil }
      .map { " It was not delivered: \($0.report.clause) (#\($0.record))." } ?? ""
    let accepted =
      roster.endedOutgoing[contact].map { ", although it accepted at #\($0.at.record)" } ?? ""
    return Explanation.Reason(
      .weAsk, [request.since.record, roster.endedOutgoing[contact]?.at.record],
      "We ask to see its presence since #\(request.since.record); \(shown)\(accepted)." + returned)
  }

  private func requestChange(isIn: Bool, isOut: Bool) -> String {
    if isOwn, !isIn, !isOut { return "It is our own account, which has no requests of its own." }
    let inEnds =
      "Its request ends when we send “subscribed” or “unsubscribed”, when it sends “unsubscribe”, "
      + "or when the server pushes “from” or “both”, because another of our devices answered."
    let outEnds =
      "Ours ends when it answers by “subscribed” or “unsubscribed”, when we send “unsubscribe”, "
      + "or when the server no longer shows it."
    switch (isIn, isOut) {
    case (true, true): return "\(inEnds) \(outEnds)"
    case (true, false): return inEnds
    case (false, true): return outEnds
    case (false, false):
      let possible = [
        roster.item(contact)?.subscription.includesFrom == true
          ? nil : "it asks to see our presence (an inbound “subscribe”)",
        roster.item(contact)?.subscription.includesTo == true ? nil : "we ask to see its",
      ].compactMap { $0 }
      guard !possible.isEmpty else { return "There is nothing left to ask for while it is “both”." }
      return "One opens when \(possible.joined(separator: ", or "))."
    }
  }

  // MARK: Presence

  var online: Explanation.Topic {
    if isOwn { return ownResources }
    let resources = roster.presence(of: contact).resources.sorted {
      $0.key.utf8.lexicographicallyPrecedes($1.key.utf8)
    }
    guard resources.isEmpty else {
      return Explanation.Topic(
        subject: .online, verdict: .yes,
        reasons: resources.map { name, resource in
          let what = name.isEmpty ? "It" : "Its resource \(name)"
          return Explanation.Reason(
            .available, [resource.since.record],
            "\(what) is \(resource.availability.clause) since #\(resource.since.record).")
        },
        change: "It goes offline when it sends “unavailable” or we do, when our session ends, or "
          + "when the server pushes an item without “to”.")
    }
    let isKnown = (item != nil || !mayBeContact) && !mayHaveComeBefore
    return Explanation.Topic(
      subject: .online, verdict: isKnown ? .no : .unknown, reasons: offlineReasons,
      change: onlineChange)
  }

  /// Our own resources are no contact's presence.
  private var ownResources: Explanation.Topic {
    let others = roster.ownResources.resources.sorted {
      $0.key.utf8.lexicographicallyPrecedes($1.key.utf8)
    }
    return Explanation.Topic(
      subject: .online, verdict: .no,
      reasons: [
        Explanation.Reason(
          .own, "It is our own account, whose resources are kept apart from those of contacts.")
      ]
        + others.map { name, resource in
          Explanation.Reason(
            .available, [resource.since.record],
            "Our other resource \(name) is \(resource.availability.clause) since "
              + "#\(resource.since.record).")
        },
      change: nil)
  }

  private var offlineReasons: [Explanation.Reason] {
    guard roster.isConnected else {
      guard let end = replay.session.end else {
        return [
          Explanation.Reason(
            .noSession, "No session is open yet; without a session, no contact's presence is known."
          )
        ]
      }
      let reason = (end.failure?.clause ?? end.reason).map { " (\($0))" } ?? ""
      let ended = Explanation.Reason(
        .noSession, [end.record],
        "Our session ended at #\(end.record)\(reason); without a session, no contact's presence is "
          + "known.")
      return [ended, returnedError].compactMap { $0 }
    }
    let offline = replay.offline.map { reason($0) }
    return [offline, silence].compactMap { $0 }
  }

  private var returnedError: Explanation.Reason? {
    roster.contact(contact)?.returnedError.map {
      Explanation.Reason(
        .returnedError, [$0.record],
        "What we sent to it was answered with an error at #\($0.record): \($0.report.clause).")
    }
  }

  /// Why the open session has no presence of it.
  private var silence: Explanation.Reason? {
    guard let item else {
      return mayBeContact
        ? Explanation.Reason(
          .noPresence, "Whether it is a contact is not known, and no presence of it has come.")
        : Explanation.Reason(.notTold, "It is no contact, so we are not told its presence.")
    }
    guard item.subscription.includesTo else {
      return Explanation.Reason(
        .notTold, "Its item is “\(item.subscription.rawValue)”, so we are not told its presence.")
    }
    if let bound = roster.recordOfSilentSession, !roster.isInboundOnly {
      return Explanation.Reason(
        .silentSession, [bound],
        "The session of #\(bound) has not shown our own presence, and the server sends no "
          + "contact's before that (RFC 6121 §4.2).")
    }
    if let returnedError { return returnedError }
    if mayHaveComeBefore {
      return Explanation.Reason(
        .mayHaveBeenOnline,
        "The log begins in the middle of a session, and has no presence of it: it may have come "
          + "before.")
    }
    guard replay.offline == nil else { return nil }
    return Explanation.Reason(
      .noPresence, "No presence of it has come: it is offline, or its server does not say.")
  }

  /// Whether the contact may be online since before the log began.
  private var mayHaveComeBefore: Bool {
    isFragment && roster.isConnected && item?.subscription.includesTo == true
      && replay.offline == nil && roster.contact(contact)?.returnedError == nil
  }

  private func reason(
    _ offline: ContactReplay.Dated<ContactReplay.OfflineReason>
  ) -> Explanation.Reason {
    let why =
      switch offline.value {
      case .itSaid: "it said so"
      case .weLeft: "we went offline, and the server sends us no presence then"
      case .weUnsubscribed: "we sent “unsubscribe”"
      case .rosterChanged: "the server showed that we no longer see its presence"
      case .sessionEnded: "the session that was told its presence ended"
      case .newSession: "a new session began"
      }
    return Explanation.Reason(
      .wentOffline, [offline.record], "It went offline at #\(offline.record): \(why).")
  }

  private var onlineChange: String {
    if !roster.isConnected {
      return "A session has to be bound or resumed, and its presence to come."
    }
    guard item?.subscription.includesTo == true else {
      return "It sends us presence once the server pushes “to” or “both”, or directed to us alone."
    }
    return "It is shown as online when an available presence of it comes."
  }

  // MARK: Blocking

  var blocked: Explanation.Topic {
    let entries = roster.blocked.filter {
      $0.bare == contact || $0.bare.text == contact.domain
    }.sorted()
    let all = entries.filter { $0.resource == nil }
    var reasons = entries.map { jid in
      let at = replay.blocking[jid].map { " since #\($0)" } ?? ""
      let by = replay.blockingOrigins[jid].map {
        ", " + $0.clause(by: names.agent(of: $0, roster))
      }
      return Explanation.Reason(
        .blockListed, [replay.blocking[jid]], "The block list has “\(jid)”\(at)\(by ?? "").")
    }
    let isKnown = roster.isBlockListKnown || !roster.blocked.isEmpty
    if entries.isEmpty {
      reasons.append(
        isKnown
          ? Explanation.Reason(.notBlockListed, "No address of it is in the block list.")
          : Explanation.Reason(
            .blockListUnknown,
            "The log has no block list: whether the server blocks it is not known."))
    } else if all.isEmpty {
      reasons.append(
        Explanation.Reason(
          .resourceBlocked, "That is one of its resources; the others are not blocked."))
    }
    return Explanation.Topic(
      subject: .blocked, verdict: !all.isEmpty ? .yes : isKnown ? .no : .unknown,
      reasons: reasons,
      change: "The server's block list decides, by its result or push (XEP-0191).")
  }
}
