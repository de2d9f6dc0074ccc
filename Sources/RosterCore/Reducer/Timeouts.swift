import DequeModule
import XMPPStanza

/// How long to wait before reporting that something did not come, in milliseconds of log time.
enum Timeout {
  /// The time within which a stanza and the end of its stream may cross on the way.
  static let crossing: Int64 = 1_000
  /// The time within which an answer and what it answers may cross another stanza on the way; in
  /// records, if there are no times.
  static let answersCross: (time: Int64, records: UInt64) = (crossing, 8)
  /// A server's answer to a request, or our acknowledgement of a push.
  static let answer: Int64 = 60_000
  /// The time in which a script edits once it has the roster: two minutes.
  static let script: Int64 = 120_000
  /// The first presence of a client that may need none: five minutes.
  static let presence: Int64 = 300_000
  /// A person's answer to a subscription request: three days.
  static let people: Int64 = 3 * 86_400_000
  /// An answer to a request that comes sooner is hardly a person's.
  static let person: Int64 = 2_000
}

// Waiting is measured by the time of the records. That nothing came is a finding, not a change.
extension Reduction {
  /// Looks again at what the server or we owe once an answer is overdue.
  mutating func expectAnswer() {
    guard let time = stamp.clock else { return }
    roster.nextTimeout = min(roster.nextTimeout, time.adding(Timeout.answer))
  }

  /// Looks again at the answers that people owe. They have far more time, and far more of them are
  /// open at once, so they have a timeout of their own.
  mutating func expectPerson() {
    guard let time = stamp.clock else { return }
    roster.nextNeglect = min(roster.nextNeglect, time.adding(Timeout.people))
  }

  /// Reports everything that is overdue, each once.
  ///
  /// Called after the record that passes the timeout was reduced: that record may be the answer,
  /// which comes late if the device was asleep.
  mutating func reportOverdue() {
    reportUnexplainedRemovals()
    reportSettledPutBacks()
    reportSettledLeavings()
    guard let now = stamp.clock else { return }
    if now > roster.nextTimeout {
      // As long as nothing of the server was seen, answers wait: the next event looks again.
      if roster.hasReceived { roster.nextTimeout = .max }
      reportOverdueStreamErrors(now)
      for place in roster.sessions.all.indices {
        reportOverdueFetch(of: place, now)
        reportOverduePresence(of: place, now)
        guard roster.hasReceived else { continue }
        reportOverdueQueries(of: place, now)
        // What a lost session sent is settled once it is resumed or another one begins.
        if !roster.sessions[place].isLost { reportOverdueEdits(of: place, now) }
        countOverdueAcknowledgements(of: place, now)
      }
      reportOverdueAbandoned(now)
    }
    if now > roster.nextNeglect {
      roster.nextNeglect = .max
      reportNeglectedRequests(now)
    }
  }

  private mutating func reportOverdueStreamErrors(_ now: Int64) {
    var next = roster.nextTimeout
    reportStreamErrors { $0.last.isOver(StreamErrors.pause.time, now, next: &next) }
    roster.nextTimeout = next
  }

  private mutating func reportOverdueQueries(of place: Int, _ now: Int64) {
    for index in roster.sessions[place].openQueries.indices
    where !roster.sessions[place].openQueries[index].subject.isReportedAsOverdue {
      let open = roster.sessions[place].openQueries[index]
      guard open.sent.isOver(Timeout.answer, now, next: &roster.nextTimeout) else { continue }
      roster.sessions[place].openQueries[index].subject.isReportedAsOverdue = true
      report(
        .answer(.unansweredQuery(.overdue)), about: open.to?.bare, cause: open.sent.record,
        by: .session(place))
    }
  }

  private mutating func reportOverdueEdits(of place: Int, _ now: Int64) {
    let edits = roster.sessions[place].pendingEdits
    roster.sessions[place].pendingEdits = []
    let resumed = roster.sessions[place].resumed
    for edit in edits {
      // What was sent before a resumption waits again from it on.
      let since = resumed.map { $0.record > edit.sent.record ? $0 : edit.sent } ?? edit.sent
      if edit.isReportedAsOverdue
        || !since.isOver(Timeout.answer, now, next: &roster.nextTimeout)
      {
        roster.sessions[place].pendingEdits.append(edit)
      } else if roster.sessions[place].isAlive {
        reportUnfinished(edit, by: .session(place))
        guard !edit.isPushed, !edit.isAnswered else { continue }
        // An answer that comes late still answers it, and its push still goes back to it.
        var late = edit
        late.isReportedAsOverdue = true
        roster.sessions[place].pendingEdits.append(late)
      } else {
        // We have ended the session, so the next one shows what became of it.
        abandon(edit, of: place)
      }
    }
  }

  /// The log ends before a lost session is resumed or another one begins.
  mutating func reportOverdueEditsOfLostSessions() {
    guard let now = stamp.clock else { return }
    for place in roster.sessions.all.indices where roster.sessions[place].isLost {
      reportOverdueEdits(of: place, now)
    }
  }

  private mutating func countOverdueAcknowledgements(of place: Int, _ now: Int64) {
    if roster.sessions[place].isLost { forgetCrossedPushes(of: place) }
    let pushes = roster.sessions[place].unacknowledged
    roster.sessions[place].unacknowledged = []
    for push in pushes {
      if push.received.isOver(Timeout.answer, now, next: &roster.nextTimeout) {
        countUnacknowledged(push, of: place)
      } else {
        roster.sessions[place].unacknowledged.append(push)
      }
    }
  }

  private mutating func reportOverdueFetch(of place: Int, _ now: Int64) {
    guard let since = roster.sessions[place].unfetchedSince,
      since.isOver(Timeout.answer, now, next: &roster.nextTimeout)
    else { return }
    reportUnfetched(of: place)
  }

  /// Complexity: O(log n) for each request that is overdue or over; linear in the contacts where
  /// they were not looked through before.
  private mutating func reportNeglectedRequests(_ now: Int64) {
    var waiting = roster.peopleWaiting ?? roster.contacts.peopleWaiting
    // Only who alone refers to it changes it without copying it.
    roster.peopleWaiting = nil
    var due: [PeopleWaiting.Wait] = []
    while let first = waiting.first {
      if roster.contacts.isWaiting(first) {
        let since = RecordStamp(record: 0, time: first.since)
        guard since.isOver(Timeout.people, now, next: &roster.nextNeglect) else { break }
        due.append(first)
      }
      waiting.removeFirst()
    }
    roster.peopleWaiting = waiting
    func numbers(_ isOurs: Bool) -> [ContactNumber] {
      roster.contacts.sorted(due.filter { $0.isOurs == isOurs }.map(\.contact))
    }
    for number in numbers(false) { reportNeglected(incoming: number) }
    for number in numbers(true) { reportNeglected(outgoing: number) }
  }

  private mutating func reportNeglected(incoming number: ContactNumber) {
    guard case .open(var request)? = roster.contacts.request(of: number),
      !request.isReportedAsNeglected
    else { return }
    request.isReportedAsNeglected = true
    roster.contacts.updateDetails(of: number) { $0.request = .open(request) }
    report(
      .subscription(.neglectedRequest(.inbound)), about: number,
      cause: request.since.record, by: .account)
  }

  private mutating func reportNeglected(outgoing number: ContactNumber) {
    guard var request = roster.contacts.outgoing(of: number), !request.isReportedAsNeglected
    else { return }
    request.isReportedAsNeglected = true
    roster.contacts.updateDetails(of: number) { $0.outgoing = request }
    report(
      .subscription(.neglectedRequest(.outbound)), about: number,
      cause: request.since.record, by: .account)
  }

  /// A request waits for a person's answer, from now on or again.
  mutating func personAsked(_ number: ContactNumber, since: RecordStamp, isOurs: Bool) {
    guard let time = since.clock, let count = roster.peopleWaiting?.count else { return }
    // Many ended requests are between the open ones.
    guard count < 2 * roster.contacts.requestCount + PeopleWaiting.pruneThreshold else {
      return roster.peopleWaiting = nil
    }
    roster.peopleWaiting?.insert(
      PeopleWaiting.Wait(since: time, contact: number, isOurs: isOurs))
  }
}

extension ContactTable {
  /// Whether a request still has no answer, and no finding has reported that.
  fileprivate func isWaiting(_ wait: PeopleWaiting.Wait) -> Bool {
    guard !wait.isOurs else {
      guard let request = outgoing(of: wait.contact) else { return false }
      return !request.isReportedAsNeglected && request.since.clock == wait.since
    }
    guard case .open(let request)? = request(of: wait.contact) else { return false }
    return !request.isReportedAsNeglected && request.since.clock == wait.since
  }

  /// The requests that people have still to answer. Complexity: O(n log n).
  fileprivate var peopleWaiting: PeopleWaiting {
    var waiting = PeopleWaiting()
    for (numbers, isOurs) in [(members(.openRequest), false), (members(.outgoing), true)] {
      for number in numbers {
        let since = isOurs ? outgoing(of: number)?.since : request(of: number)?.request.since
        guard let time = since?.clock else { continue }
        let wait = PeopleWaiting.Wait(since: time, contact: number, isOurs: isOurs)
        if isWaiting(wait) { waiting.insert(wait) }
      }
    }
    return waiting
  }
}

extension RecordStamp {
  /// Whether a wait that began here is over; if it is not, the next look is no later than its end.
  fileprivate func isOver(_ timeout: Int64, _ now: Int64, next: inout Int64) -> Bool {
    guard let time = clock else { return false }
    let due = time.adding(timeout)
    if now > due { return true }
    next = min(next, due)
    return false
  }
}

extension Int64 {
  /// A time so much later, at most the last one that can be written.
  func adding(_ timeout: Int64) -> Int64 {
    let (sum, isOver) = addingReportingOverflow(timeout)
    return isOver ? .max : sum
  }
}
