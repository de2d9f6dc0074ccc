import XMPPStanza

/// How long to wait before reporting that something did not come, in milliseconds of log time.
enum Timeout {
  /// A server's answer to a request, or our acknowledgement of a push.
  static let answer: Int64 = 60_000
  /// Somebody's answer to a subscription request: three days.
  static let people: Int64 = 3 * 86_400_000
  /// Whoever reads a request and answers it faster is hardly a person.
  static let person: Int64 = 2_000
}

// Waiting is measured by the time of the records. That nothing came is a finding, not a change.
extension Reduction {
  /// Looks again at what the server or we owe once an answer is overdue.
  mutating func expectAnswer() {
    guard let time = stamp.time else { return }
    roster.nextTimeout = min(roster.nextTimeout, time.adding(Timeout.answer))
  }

  /// Looks again at what people owe. They are given so much longer, and so many may owe something,
  /// that they have a timeout of their own.
  mutating func expectPerson() {
    guard let time = stamp.time else { return }
    roster.nextNeglect = min(roster.nextNeglect, time.adding(Timeout.people))
  }

  /// Reports everything that is overdue, each once.
  mutating func reportOverdue() {
    guard let now = stamp.time else { return }
    if now > roster.nextTimeout {
      roster.nextTimeout = .max
      for place in roster.sessions.all.indices {
        reportOverdueQueries(of: place, now)
        reportOverdueEdits(of: place, now)
        reportOverdueAcknowledgements(of: place, now)
        reportOverdueFetch(of: place, now)
      }
    }
    if now > roster.nextNeglect {
      roster.nextNeglect = .max
      reportNeglectedRequests(now)
    }
  }

  private mutating func reportOverdueQueries(of place: Int, _ now: Int64) {
    for index in roster.sessions[place].openQueries.indices
    where !roster.sessions[place].openQueries[index].isReportedAsOverdue {
      let open = roster.sessions[place].openQueries[index]
      guard open.sent.isOver(Timeout.answer, now, next: &roster.nextTimeout) else { continue }
      roster.sessions[place].openQueries[index].isReportedAsOverdue = true
      guard roster.hasReceived else { continue }
      report(
        .answer(.unansweredQuery(.overdue)), about: open.query.to?.bare, cause: open.sent.record)
    }
  }

  private mutating func reportOverdueEdits(of place: Int, _ now: Int64) {
    let edits = roster.sessions[place].pendingEdits
    roster.sessions[place].pendingEdits = []
    for edit in edits {
      if edit.sent.isOver(Timeout.answer, now, next: &roster.nextTimeout) {
        reportUnfinished(edit)
      } else {
        roster.sessions[place].pendingEdits.append(edit)
      }
    }
  }

  private mutating func reportOverdueAcknowledgements(of place: Int, _ now: Int64) {
    let pushes = roster.sessions[place].unacknowledged
    roster.sessions[place].unacknowledged = []
    for push in pushes {
      if push.received.isOver(Timeout.answer, now, next: &roster.nextTimeout) {
        report(unacknowledged: push)
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

  private mutating func reportNeglectedRequests(_ now: Int64) {
    let numbers = roster.contacts.sorted(roster.contacts.numbersWithDetails)
    for number in numbers { reportIfNeglected(incoming: number, now) }
    for number in numbers { reportIfNeglected(outgoing: number, now) }
  }

  private mutating func reportIfNeglected(incoming number: ContactNumber, _ now: Int64) {
    guard case .open(var request)? = roster.contacts.request(of: number),
      !request.isReportedAsNeglected,
      request.since.isOver(Timeout.people, now, next: &roster.nextNeglect)
    else { return }
    request.isReportedAsNeglected = true
    roster.contacts.updateDetails(of: number) { $0.request = .open(request) }
    report(
      .subscription(.neglectedRequest(.inbound)), about: roster.contacts.address(of: number),
      cause: request.since.record)
  }

  private mutating func reportIfNeglected(outgoing number: ContactNumber, _ now: Int64) {
    guard var request = roster.contacts.outgoing(of: number),
      !request.isReportedAsNeglected,
      request.since.isOver(Timeout.people, now, next: &roster.nextNeglect)
    else { return }
    request.isReportedAsNeglected = true
    roster.contacts.updateDetails(of: number) { $0.outgoing = request }
    report(
      .subscription(.neglectedRequest(.outbound)), about: roster.contacts.address(of: number),
      cause: request.since.record)
  }
}

extension RecordStamp {
  /// Whether a wait that began here is over; if it is not, the next look is no later than its end.
  fileprivate func isOver(_ timeout: Int64, _ now: Int64, next: inout Int64) -> Bool {
    guard let time else { return false }
    let due = time.adding(timeout)
    if now > due { return true }
    next = min(next, due)
    return false
  }
}

extension Int64 {
  /// A time so much later, at most the last one that can be written.
  fileprivate func adding(_ timeout: Int64) -> Int64 {
    let (sum, isOver) = addingReportingOverflow(timeout)
    return isOver ? .max : sum
  }
}
