import EventStore
import RawBytes
import RosterCore
import XMPPStanza

/// Collects from a log what it says about the subscriptions with one other account.
struct EndReader {
  private let contact: BareJID
  private var end: RecordedEnd
  private var isKnown = false
  /// For each span the record that ends it; nil if it lasts to the end of the log.
  private var ends: [UInt64?] = []
  /// The number of spans that began by the last record that was read.
  private var begun = 0
  private let reader = RecordReader()

  init(of account: BareJID, with contact: BareJID) {
    self.contact = contact
    end = RecordedEnd(account: account)
  }

  /// What was collected.
  var recorded: RecordedEnd { end }

  /// Follows an event, which led to this state. Events are given in order, before the records.
  mutating func follow(_ moment: Timeline.Moment, _ roster: Roster) {
    followSpan(moment.stamp.record, roster)
    var isFetched = false
    if case .stanza(.answerReceived(let answer)) = moment.event, case .roster = answer.payload {
      isFetched = true
    }
    if case .stanza(.subscriptionSent(let stanza)) = moment.event, stanza.contact == contact {
      end.acts.append(RecordedEnd.Act(stamp: moment.stamp, kind: .stanza(stanza.kind)))
    }
    for change in moment.outcome.changes where change.contact == contact && !isFetched {
      guard case .item(let before?, nil) = change.values,
        before.subscription != .none || before.isPending
      else { continue }
      end.acts.append(RecordedEnd.Act(stamp: moment.stamp, kind: .removal))
    }
    forgetRemovals(explainedBy: moment.outcome)
    guard isKnown else { return }
    let now = RecordedEnd.Moment(
      stamp: moment.stamp, ours: PossibleStages(ofOurs: contact, in: roster),
      theirs: PossibleStages(ofTheirs: contact, in: roster), isBlocked: roster.blocks(contact),
      isFetched: isFetched)
    if let last = end.moments.last, last.ours == now.ours, last.theirs == now.theirs,
      last.isBlocked == now.isBlocked
    {
      return
    }
    end.moments.append(now)
  }

  /// A server may remove a contact that has left, which is no act of the account. The contact's
  /// stanzas come before that push or after it.
  private mutating func forgetRemovals(explainedBy outcome: RosterOutcome) {
    for origin in outcome.toldOrigins where origin.contact == contact {
      guard case .contactStanza = origin.kind else { continue }
      end.acts.removeAll { $0.kind == .removal && $0.stamp.record == origin.effect }
    }
  }

  private mutating func followSpan(_ record: UInt64, _ roster: Roster) {
    let wasKnown = isKnown
    isKnown = roster.completeness == .complete && roster.receivesPushes
    if isKnown, !wasKnown {
      end.spans.append(RecordedEnd.Span(first: record, times: nil))
      ends.append(nil)
    } else if !isKnown, wasKnown {
      ends[ends.count - 1] = record
    }
  }

  /// Reads a record: whether it shows that the server was still there, and whether it is a stanza
  /// between the two accounts.
  mutating func read(_ header: RecordHeader, _ bytes: RawSpan) {
    let stamp = RecordStamp(
      record: header.sequence, time: header.time, isHeld: header.isHeld)
    while begun < end.spans.count, end.spans[begun].first <= stamp.record { begun += 1 }
    let index = begun - 1
    if let time = stamp.time, index >= 0, ends[index] ?? .max > stamp.record,
      header.direction == .inbound || end.spans[index].times == nil
    {
      let start = end.spans[index].times?.lowerBound ?? time
      end.spans[index].times = start...max(start, end.spans[index].times?.upperBound ?? time, time)
    }
    guard header.kind == .element, let direction = Direction(header.direction),
      [.presence, .message].contains(RecordContent(header, bytes)),
      let node = reader.element([UInt8](bytes)),
      let stanza = ExchangedStanza(node, direction, with: contact, at: stamp)
    else { return }
    end.traffic.append(stanza)
  }
}

extension Roster {
  /// Whether the account blocks an address or its domain, as far as the log shows.
  fileprivate func blocks(_ contact: BareJID) -> Bool {
    blocked.contains(JID(prepared: contact, resource: nil))
      || blocked.contains(JID(prepared: BareJID(prepared: contact.domain), resource: nil))
  }
}
