import HashTreeCollections
import XMPPStanza

/// How much may wait at once for an answer that perhaps never comes.
enum Waiting {
  /// Of requests, of edits and of pushes each; beyond it the oldest is given up. Many more than a
  /// client has in flight, and few enough to be copied with each state that is kept.
  static let limit = 1024
}

/// How long to wait before saying that something did not come, in milliseconds of log time.
enum Patience {
  /// A server's answer to a request, or our acknowledgement of a push.
  static let answer: Int64 = 60_000
  /// Somebody's answer to a subscription request: three days.
  static let people: Int64 = 3 * 86_400_000
  /// Whoever answers faster is no person.
  static let person: Int64 = 1_000
}

// Waiting is measured by the time of the records. That nothing came is a finding, not a change.
extension Roster {
  /// Looks again at what the server or we owe once this much time has passed.
  mutating func expectAnswer(after stamp: RecordStamp) {
    guard let time = stamp.time else { return }
    nextDeadline = min(nextDeadline, time.adding(Patience.answer))
  }

  /// Looks again at what people owe. They are given so much longer, and so many may owe something,
  /// that they have a deadline of their own.
  mutating func expectPerson(after stamp: RecordStamp) {
    guard let time = stamp.time else { return }
    nextNeglect = min(nextNeglect, time.adding(Patience.people))
  }

  /// Reports everything that is overdue, each once.
  mutating func meetDeadlines(_ step: inout Step) {
    guard let now = step.stamp.time else { return }
    if now > nextDeadline {
      nextDeadline = .max
      meetQueries(now, &step)
      meetEdits(now, &step)
      meetPushes(now, &step)
    }
    if now > nextNeglect {
      nextNeglect = .max
      meetRequests(now, &step)
    }
  }

  /// Whether the wait that began at a stamp is over; if it is not, the deadline is no later than
  /// its end.
  private static func isOver(
    _ since: RecordStamp, _ patience: Int64, _ now: Int64, _ deadline: inout Int64
  ) -> Bool {
    guard let time = since.time else { return false }
    let due = time.adding(patience)
    if now > due { return true }
    deadline = min(deadline, due)
    return false
  }

  private mutating func meetQueries(_ now: Int64, _ step: inout Step) {
    for index in openQueries.indices where !openQueries[index].isReportedAsLate {
      let open = openQueries[index]
      guard Self.isOver(open.sent, Patience.answer, now, &nextDeadline) else { continue }
      openQueries[index].isReportedAsLate = true
      step.find(
        .unansweredQuery, about: open.query.to?.bare, cause: open.sent.record,
        "The request of record \(open.sent.record) was not answered within a minute.")
    }
  }

  private mutating func meetEdits(_ now: Int64, _ step: inout Step) {
    var waiting: [PendingEdit] = []
    for edit in edits.pending {
      if Self.isOver(edit.sent, Patience.answer, now, &nextDeadline) {
        edit.reportUnfinished(&step)
      } else {
        waiting.append(edit)
      }
    }
    edits.pending = waiting
  }

  private mutating func meetPushes(_ now: Int64, _ step: inout Step) {
    var waiting: [UnacknowledgedPush] = []
    for push in unacknowledged {
      if Self.isOver(push.received, Patience.answer, now, &nextDeadline) {
        push.report(&step)
      } else {
        waiting.append(push)
      }
    }
    unacknowledged = waiting
  }

  private mutating func meetRequests(_ now: Int64, _ step: inout Step) {
    var late: [BareJID] = []
    for (jid, request) in incoming
    where !request.isReportedAsOld
      && Self.isOver(request.since, Patience.people, now, &nextNeglect)
    {
      late.append(jid)
    }
    for jid in late.sorted() {
      incoming[jid]?.isReportedAsOld = true
      step.find(
        .neglectedRequest, about: jid, cause: incoming[jid]?.since.record,
        "The request of \(jid) has waited for our answer for more than three days.")
    }
    late = []
    for (jid, request) in outgoing
    where !request.isReportedAsOld
      && Self.isOver(request.since, Patience.people, now, &nextNeglect)
    {
      late.append(jid)
    }
    for jid in late.sorted() {
      outgoing[jid]?.isReportedAsOld = true
      step.find(
        .neglectedRequest, about: jid, cause: outgoing[jid]?.since.record,
        "\(jid) has not answered our request for more than three days.")
    }
  }
}

extension Int64 {
  /// A time so much later, at most the last one that can be written.
  fileprivate func adding(_ patience: Int64) -> Int64 {
    let (sum, isOver) = addingReportingOverflow(patience)
    return isOver ? .max : sum
  }
}
