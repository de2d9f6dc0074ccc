import RawBytes
import XMPPStanza

// Findings that stand for several cases: one cause is one finding, with its count and its device.
extension Reduction {
  /// Counts a case, which is reported with the others when the log ends.
  ///
  /// - Parameters:
  ///   - record: The record of the case.
  ///   - place: The slot of the session that it is about.
  ///   - receiver: The device that received a missed push.
  ///   - answer: The device's answer to a refused push.
  mutating func tally(
    _ kind: Tally.Kind, about contact: BareJID? = nil, at record: UInt64, of place: Int,
    receivedBy receiver: String? = nil, answer: ErrorReport? = nil
  ) {
    let (connection, device) = (
      roster.sessions[place].connection, roster.sessions[place].resource
    )
    let isShared = isShared
    let known = roster.tallies.firstIndex {
      $0.includes(kind, about: contact, on: connection, of: device, isShared: isShared)
    }
    guard let known else {
      if roster.tallies.count >= Tally.limit {
        // A few repetitions of one contact say nothing yet.
        let index = roster.tallies.firstIndex {
          $0.kind.isOfOneContact && $0.count < Tally.idleLimit
        }
        report(roster.tallies.remove(at: index ?? 0))
      }
      roster.tallies.append(
        Tally(
          kind: kind, connection: connection, device: device, receiver: receiver,
          answer: answer, contact: contact, first: record, last: record))
      return
    }
    // Of several devices, none is named.
    let isElsewhere =
      kind.isOfOneContact && !roster.tallies[known].device.hasSameBytes(as: device)
    roster.tallies[known].connection = connection
    roster.tallies[known].device = isElsewhere ? nil : device ?? roster.tallies[known].device
    roster.tallies[known].count += 1
    roster.tallies[known].last = record
    if roster.tallies[known].contact != contact { roster.tallies[known].contact = nil }
  }

  /// A contact's presence says something new: a few repetitions before it were no flood.
  mutating func forgetIdlePresence(of number: ContactNumber) {
    guard !roster.tallies.isEmpty else { return }
    let contact = roster.contacts.address(of: number)
    roster.tallies.removeAll {
      $0.kind == .idlePresence && $0.count < Tally.idleLimit && $0.contact == contact
    }
  }

  /// Reports what was counted.
  mutating func reportTallies() {
    let tallies = roster.tallies
    roster.tallies = []
    for tally in tallies { report(tally) }
  }

  private mutating func report(_ tally: Tally) {
    let finding: Finding.Kind
    switch tally.kind {
    case .unacknowledgedPushes: finding = .item(.unacknowledgedPush)
    case .refusedPushes: finding = .item(.refusedPush(tally.answer ?? ErrorReport()))
    case .missedPushes: finding = .item(.missedPush(receivedBy: tally.receiver))
    case .answersToNothing: finding = .answer(.toNothing)
    case .idlePushes:
      guard tally.count >= Tally.idleLimit else { return }
      finding = .item(.idlePushes)
    case .idlePresence:
      guard tally.count >= Tally.idleLimit else { return }
      finding = .presence(.idle)
    }
    let extent =
      tally.count > 1
      ? Finding.Extent(count: tally.count, first: tally.first, last: tally.last) : nil
    report(
      finding, about: tally.contact, cause: tally.first,
      by: .connection(tally.connection, tally.device), extent: extent)
  }
}
