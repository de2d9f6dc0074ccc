import RawBytes
import XMPPStanza

// Findings in English, each with the rule that it rests on.
extension Finding {
  /// A sentence for a person, with the rule that the finding rests on.
  public var sentence: String {
    switch kind {
    case .rejected(let rejection) where rejection.kind == .limit:
      "An element was passed over because \(rejection.reason): more than this session takes "
        + "(RFC 6120 §13.12)."
    case .rejected(let rejection): "The element was ignored: \(rejection.reason)."
    case .foreignAccount(let jid, let log):
      "A stream of \(jid) in the log of \(log?.text ?? "nobody") was refused: a log is the "
        + "history of one account."
    case .otherDomain(let jid, let server):
      "The server of \(server) named \(jid), an account of another domain, and its stream was "
        + "refused: only a domain's own server speaks for its accounts (RFC 6120 §13.7.2)."
    case .unverifiedServer(let domain):
      "The stream to the server\(domain.map { " of \($0)" } ?? "") has no TLS, so no certificate "
        + "was checked: anyone in between can read and change what it carries (RFC 6120 §13.8)."
    case .lateStanza(.outbound):
      "We sent this after we had ended our stream at \(words.cause), so the server ignores it, "
        + "like everything else that we send on that stream (RFC 6120 §4.4)."
    case .lateStanza(.inbound):
      "The server sent this after it had ended its stream at \(words.cause), so it was ignored, "
        + "like everything else that the server sends on that stream (RFC 6120 §4.4)."
    case .session(let finding): finding.sentence(about: words)
    case .answer(let finding): finding.sentence(about: words)
    case .item(let finding): finding.sentence(about: words)
    case .edit(let finding): finding.sentence(about: words)
    case .subscription(let finding): finding.sentence(about: words)
    case .presence(let finding): finding.sentence(about: words)
    case .foreignBlocking(let refusal):
      "A block list push from \(refusal.sender) was ignored: only our own server may push "
        + "(XEP-0191 §3.3)."
    }
  }

  /// What a sentence needs of a finding besides its kind.
  struct Words {
    /// The contact that it is about.
    let somebody: String
    /// The record at which it showed.
    let record: String
    /// The record that it goes back to.
    let cause: String
    /// The device that it is about; nil if there is only one.
    let device: String?
    let extent: Extent?

    /// The side that has the connection, at the beginning of a sentence: “pc”, or “We”.
    var subject: String { device ?? "We" }

    /// The owner of what was sent: “pc's”, or “our”.
    var our: String { device.map { "\($0)'s" } ?? "our" }

    /// The owner of what was sent, at the beginning of a sentence: “pc's”, or “Our”.
    var initialOur: String { device.map { "\($0)'s" } ?? "Our" }

    /// The pushes that it is about: “the push of record 12”, or “8 pushes (#12 to #40)”.
    var pushes: String {
      extent == nil ? "the push of \(cause)" : cases("pushes")
    }

    /// The cases that it stands for: “8 pushes (#12 to #40)”.
    func cases(_ noun: String) -> String {
      guard let extent else { return noun }
      return "\(extent.count) \(noun) (#\(extent.first) to #\(extent.last))"
    }
  }

  private var words: Words {
    Words(
      somebody: contact?.text ?? "somebody", record: "record \(record)",
      cause: cause.map { "record \($0)" } ?? "an earlier record", device: device, extent: extent)
  }
}

/// Seconds with one digit after the point.
private func seconds(_ milliseconds: Int64) -> String {
  let tenths = (milliseconds + 50) / 100
  return "\(tenths / 10).\(tenths % 10)"
}

extension AnswerFinding {
  fileprivate func sentence(about words: Finding.Words) -> String {
    switch self {
    case .unsolicited(let from):
      "A result from \(from?.description ?? "the server") that answers no open request was "
        + "ignored (RFC 6121 §2.1.4)."
    case .foreignRoster(let refusal):
      "A roster result from \(refusal.sender) was ignored: only our own server may send our "
        + "roster (RFC 6121 §2.1.4, RFC 6120 §8.1.2.1)."
    case .rosterFromDomain(let domain):
      "The roster came from our domain, \(domain): what a server sends on behalf of an account "
        + "has no sender or the account's bare address, so a client that checks the sender "
        + "ignores this roster and shows no contacts (RFC 6120 §8.1.2.1)."
    case .toNothing where words.extent == nil:
      "\(words.subject) sent a result at \(words.cause) that answers no request: an answer is "
        + "never answered, and a push only once (RFC 6120 §8.2.3)."
    case .toNothing:
      "\(words.subject) sent \(words.cases("results")) that answer no request: an answer is never "
        + "answered, and a push only once (RFC 6120 §8.2.3)."
    case .unseenQuery:
      "The roster result was accepted although the log does not have the get that it answers: the "
        + "log begins in the middle of the session."
    case .unsolicitedRoster:
      "The answer to our roster set holds a roster, which was ignored: only a get is answered by "
        + "one (RFC 6121 §2.1.4)."
    case .spoofed(let from, .query):
      "An answer from \(from?.description ?? "nobody") to the request of \(words.cause) was "
        + "ignored: it was not asked (RFC 6120 §8.1.2.1)."
    case .spoofed(let from, .set):
      "An answer from \(from?.description ?? "nobody") to our roster set was ignored: only our "
        + "own server answers it (RFC 6120 §8.1.2.1)."
    case .spoofed(let from, .bind):
      "A bind result from \(from?.description ?? "nobody") was ignored: only our own server binds "
        + "(RFC 6120 §7.6.1)."
    case .misdirectedQuery:
      "A roster get to another address is no request for our roster (RFC 6121 §2.1.3)."
    case .refusedQuery(let report):
      "The roster get of \(words.cause) was refused (\(report.clause)); the roster stays as it was."
    case .missingRoster:
      "The answer to the roster get of \(words.cause) holds no roster; the roster stays as it was."
    case .unchangedFromNothing:
      "A get that names no version was answered as if nothing had changed; the roster stays as it "
        + "was (RFC 6121 §2.6.3)."
    case .unknownBase(let version):
      "The server says that nothing has changed since version “\(version)”, which is not in the "
        + "log: the whole roster is not known."
    case .unansweredQuery(.overdue):
      "The request of \(words.cause) was not answered within a minute."
    case .unansweredQuery(.forEver): "The request of \(words.cause) was never answered."
    case .missingID(.get): "A get without an id cannot be answered (RFC 6120 §8.2.3)."
    case .missingID(.set): "A set without an id cannot be answered (RFC 6120 §8.2.3)."
    case .missingID(.push): "A push without an id cannot be acknowledged (RFC 6120 §8.2.3)."
    }
  }
}

extension ItemFinding {
  fileprivate func sentence(about words: Finding.Words) -> String {
    switch self {
    case .foreignPush(let refusal):
      "A roster push from \(refusal.sender) was ignored: only our own server may push, from no "
        + "address or from our bare address (RFC 6121 §2.1.6)."
    case .pushItemCount(let count):
      "A push of \(count) items was ignored: a push holds exactly one (RFC 6121 §2.1.6)."
    case .unacknowledgedPush:
      "\(words.subject) never acknowledged \(words.pushes): a client must answer each push with a "
        + "result that has its id (RFC 6121 §2.1.6)."
    case .refusedPush(let report):
      "\(words.subject) answered \(words.pushes) by an error (\(report.clause)): a client must "
        + "answer each push with a result that has its id (RFC 6121 §2.1.6)."
    case .missedPush(let receiver):
      "\(words.device ?? "One device") never received \(words.pushes), which "
        + "\(words.extent == nil ? receiver ?? "another device" : "other devices") received. "
        + "It had fetched the roster and received what was sent later, so the server left it out: "
        + "a server must push each change to every resource that has requested the roster "
        + "(RFC 6121 §2.1.6)."
    case .idlePushes:
      "The server sent \(words.device ?? "us") \(words.pushes) that changed nothing: a push tells "
        + "of a change (RFC 6121 §2.1.6)."
    case .malformed(let jid, let reason, .inbound):
      "The item \(jid.map { "“\($0)” " } ?? "")was left out: \(reason)."
    case .malformed(let jid, let reason, .outbound):
      "We sent the item \(jid.map { "“\($0)” " } ?? "")malformed: \(reason)."
    case .duplicate: "The result lists \(words.somebody) more than once; the last of them counts."
    case .removalInResult: "A result may not say “remove”; the item was left out."
    case .unknownSubscription(let text):
      "The subscription “\(text)” is not defined and was taken as none (RFC 6121 §2.1.2.5)."
    case .removedElsewhere:
      "The server removed \(words.somebody) at \(words.cause), and none of our connections had "
        + "asked for it: another device did, or the server (RFC 6121 §2.5)."
    case .unfetched:
      "The session shows its presence since \(words.cause) and has not asked for the roster, as an "
        + "earlier one did: it is told no pushes, and shows what it kept (RFC 6121 §2.2)."
    case .unusedVersion:
      "The server keeps roster versions, but the get names none: the whole roster is sent at each "
        + "login (RFC 6121 §2.6.2)."
    }
  }
}

extension EditFinding {
  fileprivate func sentence(about words: Finding.Words) -> String {
    switch self {
    case .itemCount(let count):
      "A set of \(count) items: a set holds exactly one, and a server refuses it otherwise "
        + "(RFC 6121 §2.1.5)."
    case .groupsLost(let edit, let lost):
      "The set \(edit.clause(about: words.somebody)) and takes it out of "
        + "“\(lost.joined(separator: "”, “"))”: a set replaces all groups (RFC 6121 §2.1.2.6)."
    case .refused(let report):
      "The server refused \(words.our) set of \(words.cause) (\(report.clause)); the contact stays "
        + "as it was."
    case .unanswered(isMissing: false):
      "\(words.initialOur) set of \(words.cause) was never answered."
    case .unanswered(isMissing: true):
      "\(words.initialOur) set of \(words.cause) was never answered, and the next roster does not "
        + "show what it asked for: the server did not carry it out."
    case .unpushed:
      "The server took \(words.our) set of \(words.cause) but never pushed it: the contact stays "
        + "as it was (RFC 6121 §2.1.5)."
    case .altered(let stored, let asked):
      "The server did not store what \(words.our) set of \(words.cause) asked for: "
        + "\(words.somebody) has \(stored.clause(insteadOf: asked)) (RFC 6121 §2.1.5, §2.1.6)."
    case .undone(let now):
      "Our set of \(words.cause) was undone: \(clause(now)). The server or another of our "
        + "devices changed it; only its pushes count (RFC 6121 §2.1.6)."
    case .outdated(let lost, let device):
      "The set \(lost.clause(about: words.somebody, of: device, set: words.cause)), and changes "
        + "something else: it seems to be made from an older copy of the contact, and a set "
        + "replaces all of it (RFC 6121 §2.1.2)."
    case .premature(let loss):
      "\(words.initialOur) set of \(words.cause) was sent before the session's roster was known, "
        + "and \(loss.clause(about: words.somebody)): a set replaces the name and all groups "
        + "(RFC 6121 §2.1.2)."
    case .putBack(let putBack):
      putBack.sentence(about: words)
    case .foreignSet:
      "\(words.initialOur) roster set went to an address of \(words.somebody), and changes nothing "
        + "of ours: a set goes to no address or to our bare one (RFC 6121 §2.1.5)."
    }
  }
}

extension SubscriptionFinding {
  fileprivate func sentence(about words: Finding.Words) -> String {
    switch self {
    case .own(let kind, .inbound):
      "“\(kind.rawValue)” from our own account was ignored."
    case .own(let kind, .outbound): "We sent a \(kind.rawValue) to our own account."
    case .needlessRequest(.inbound):
      "\(words.somebody) asks to see our presence, which it already does (RFC 6121 §3.1.3)."
    case .needlessRequest(.outbound):
      "We ask to see the presence of \(words.somebody), which we already do (RFC 6121 §3.1.2)."
    case .unsolicitedSubscribed:
      "“subscribed” of \(words.somebody) changes nothing: no request of ours to it was open "
        + "(RFC 6121 §3)."
    case .unsolicitedUnsubscribe:
      "“unsubscribe” of \(words.somebody) changes nothing: it neither asked nor sees our presence "
        + "(RFC 6121 §3)."
    case .unsolicitedUnsubscribed:
      "“unsubscribed” of \(words.somebody) changes nothing: we neither asked nor see its presence "
        + "(RFC 6121 §3)."
    case .preApproval:
      "Nobody had asked: our subscribed approves a later request of \(words.somebody) "
        + "(RFC 6121 §3.4)."
    case .wrongRefusal:
      "Our unsubscribe does not answer the request of \(words.somebody) of \(words.cause), which "
        + "stays open: it ends what we see of somebody (RFC 6121 §3.3); a refusal is unsubscribed "
        + "(§3.2)."
    case .requestForRequest(let ours):
      "\(words.somebody) answered our request of record \(ours) by asking us at \(words.cause), "
        + "and has not accepted it since: a request is accepted by “subscribed” (RFC 6121 §3.1.5). "
        + "This is a guess: the contact may still decide."
    case .askedBack(let ours):
      "We answered the request of \(words.somebody) of \(words.cause) by asking it at record "
        + "\(ours), and its request is still open: a request is accepted by “subscribed” "
        + "(RFC 6121 §3.1.4). This is a guess: the user may still decide."
    case .unshownAcceptance(isOurs: true):
      "\(words.subject) accepted the request from \(words.somebody) at \(words.cause), and the "
        + "roster never showed that it sees our presence: the server did not take the answer, or "
        + "lost it (RFC 6121 §3.1.5)."
    case .unshownAcceptance(isOurs: false):
      "\(words.somebody) accepted our request at \(words.cause), and the roster never showed that "
        + "we see its presence: the server probably did not take the answer, or lost it "
        + "(RFC 6121 §3.1.6)."
    case .returned(after: .denied):
      "\(words.somebody) asks again, though we denied it at \(words.cause)."
    case .returned:
      "\(words.somebody) asks again, though we accepted it at \(words.cause) and the roster has "
        + "not shown since that it sees our presence: the server or the contact did not take the "
        + "answer (RFC 6121 §3.1.5)."
    case .friendLeft(let kind, let other, let before, let after):
      kind.sentence(aboutLeaving: words, other: other, from: before, to: after)
    case .undelivered(.subscribe, let report):
      "Our request to \(words.somebody) of \(words.cause) was not delivered: \(report.clause). It "
        + "stays in the roster until it is cancelled (RFC 6120 §8.3, RFC 6121 §3.1.2)."
    case .undelivered(let kind, let report):
      "Our “\(kind.rawValue)” to \(words.somebody) of \(words.cause) was not delivered: "
        + "\(report.clause) (RFC 6120 §8.3)."
    case .denied: "\(words.somebody) denied our request of \(words.cause) (RFC 6121 §3.2)."
    case .loop(let rounds):
      "Requests between \(words.somebody) and us open again as soon as they have ended, "
        + "\(rounds) times without a pause since \(words.cause): two programs seem to answer each "
        + "other. What follows of it is not told again."
    case .automaticAcceptance(let milliseconds) where milliseconds < Self.reflexLimit:
      "The request from \(words.somebody) was accepted \(milliseconds) ms after it arrived, "
        + "although we do not subscribe to that contact. A person cannot read and answer "
        + "that fast, so the client probably accepted it without asking."
    case .automaticAcceptance(let milliseconds):
      "The request from \(words.somebody) was accepted \(seconds(milliseconds)) s after it "
        + "arrived, although we do not subscribe to that contact. That is fast for a person, so "
        + "the client may have accepted it without asking."
    case .neglectedRequest(.inbound):
      "The request of \(words.somebody) has waited for our answer for more than three days."
    case .neglectedRequest(.outbound):
      "\(words.somebody) has not answered our request for more than three days."
    }
  }
}

extension PresenceFinding {
  fileprivate func sentence(about words: Finding.Words) -> String {
    switch self {
    case .uninvited(let from):
      "\(from) sends us its presence, though we do not subscribe to it: sent to us alone "
        + "(RFC 6121 §4.6), or the server's roster is another than ours."
    case .idle:
      "\(words.somebody) sent \(words.device ?? "us") \(words.cases("presences")) with the show, "
        + "priority and status of the one before. If nothing else in them changed either "
        + "(capabilities, avatar, idle time), they say nothing new (RFC 6121 §4.4)."
    case .malformed(let reason): "The presence is odd: \(reason) (RFC 6121 §4.7.2)."
    case .unshown(let hasEarlier):
      "\(words.initialOur) session has had the roster since \(words.cause) and has not shown its "
        + "presence\(hasEarlier ? ", as an earlier one did" : ""): the server sends it neither "
        + "requests nor the presence of contacts, so all of them look offline (RFC 6121 §4.2)."
        + (hasEarlier ? "" : " A program that only edits the roster needs no presence.")
    case .crowded(let limit):
      "\(words.somebody) has more than \(limit) resources, which no person has: only the newest "
        + "are kept. This is reported once in a session."
    }
  }
}

extension EditFinding.Field {
  /// The name or the groups, as words of a sentence.
  var clause: String {
    switch self {
    case .name(let name): name.map { "the name “\($0)”" } ?? "no name"
    case .groups(let groups) where groups.isEmpty: "no group"
    case .groups(let groups):
      "the group\(groups.count == 1 ? "" : "s") “\(groups.joined(separator: "”, “"))”"
    }
  }
}

extension EditFinding.Loss {
  /// What a set takes back that a device had done.
  fileprivate func clause(about contact: String, of device: String, set: String) -> String {
    let into = "puts \(contact) back into “\(returnedGroups.joined(separator: "”, “"))”"
    if givesNameAgain {
      return "gives \(contact) the name again that \(device) had removed by the set of \(set)"
    }
    guard !lost.isEmpty else {
      return "\(into), out of which \(device) had taken it by the set of \(set)"
    }
    return "takes back \(lost) that \(device) had given by the set of \(set)"
      + (returnedGroups.isEmpty ? "" : " and \(into)")
  }

  /// What the contact had and no longer has; empty for nothing.
  private var lost: String {
    [
      givesNameAgain ? nil : name?.clause,
      groups.isEmpty ? nil : EditFinding.Field.groups(groups).clause,
    ]
    .compactMap { $0 }.joined(separator: " and ")
  }

  /// Whether the contact had no name any more, and has one again.
  private var givesNameAgain: Bool {
    if case .name(nil)? = name { true } else { false }
  }

  fileprivate func clause(about contact: String) -> String {
    let returned =
      returnedGroups.isEmpty
      ? "" : "put \(contact) back into “\(returnedGroups.joined(separator: "”, “"))”"
    return [
      givesNameAgain ? "gave \(contact) a name again that it no longer had" : "",
      lost.isEmpty ? "" : "overwrote \(lost) of \(contact)", returned,
    ]
    .filter { !$0.isEmpty }.joined(separator: " and ")
  }
}

extension EditableFields {
  /// What the server stored of a contact, and what it was asked for: only what differs.
  fileprivate func clause(insteadOf asked: EditableFields) -> String {
    func pair(_ stored: EditFinding.Field, _ asked: EditFinding.Field) -> String {
      // Unicode writes one text in several ways, which look the same.
      let isSameText = stored.clause == asked.clause
      return isSameText
        ? "\(stored.clause) in other code points than the set"
        : "\(stored.clause) instead of \(asked.clause)"
    }
    var pairs: [String] = []
    if !name.hasSameBytes(as: asked.name) { pairs.append(pair(.name(name), .name(asked.name))) }
    if !groups.hasSameBytes(as: asked.groups) {
      pairs.append(pair(.groups(groups), .groups(asked.groups)))
    }
    return pairs.joined(separator: ", and ")
  }
}

private func clause(_ fields: EditableFields?) -> String {
  guard let fields else { return "the contact is gone" }
  let groups = fields.groups.isEmpty ? "no group" : fields.groups.joined(separator: ", ")
  return "the contact is \(fields.name.map { "“\($0)”" } ?? "without a name") in \(groups)"
}

extension EditFinding.LossyEdit {
  fileprivate func clause(about contact: String) -> String {
    switch self {
    case .rename: "renames \(contact)"
    case .move(let group): "puts \(contact) into “\(group)”"
    }
  }
}

extension PushRefusal {
  /// Who sent the push, as words of a sentence.
  package var sender: String {
    switch self {
    case .unknownAccount(let jid): "\(jid), while the account is not known"
    case .ownFullAddress: "our own full address"
    case .otherResource(let jid): "another resource, \(jid)"
    case .ownDomain(let jid): "our domain, \(jid)"
    case .contact(let jid): "the contact \(jid)"
    case .stranger(let jid): "the stranger \(jid)"
    }
  }
}
