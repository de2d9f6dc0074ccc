package import RosterCore
package import XMPPStanza

/// Holds back that requests of earlier sessions are in doubt, until the server had time to send
/// them again.
///
/// At our first presence, the reducer can no longer tell whether these requests are open, and those
/// that are arrive right after it (RFC 6121 §3.1.3), so a story that reported the doubt at once
/// would withdraw it in the next line.
package struct DoubtHold: Sendable {
  /// The time after which a request counts as not sent again, in milliseconds of log time.
  private static let timeout: Int64 = 2_000
  /// The number of contacts that a line names.
  private static let namedLimit = 5

  private var contacts: [BareJID] = []
  private var began: (stamp: RecordStamp, connection: ConnectionID)?

  package init() {}

  /// Takes the doubts of a record about the contacts that are shown.
  package mutating func take(_ moment: Timeline.Moment, about isShown: (BareJID?) -> Bool) {
    let doubted = moment.outcome.changes.filter { $0.isHeldDoubt && isShown($0.contact) }
    guard !doubted.isEmpty else { return }
    contacts += doubted.compactMap(\.contact)
    began = (moment.stamp, moment.connection)
  }

  /// Whether nothing that is still to come before a record could settle the doubts.
  package func isOver(at moment: Timeline.Moment) -> Bool {
    guard let began, began.connection == moment.connection,
      moment.stamp.record > began.stamp.record
    else { return false }
    if case .session = moment.event { return true }
    guard let now = moment.stamp.time, let then = began.stamp.time else { return false }
    let (span, isOverflow) = now.subtractingReportingOverflow(then)
    return isOverflow || span >= Self.timeout
  }

  /// Ends the wait.
  ///
  /// - Returns: A line about the requests that are still in doubt; nil if none is.
  package mutating func finish(_ roster: Roster) -> String? {
    defer { (contacts, began) = ([], nil) }
    let left = contacts.filter { contact in
      if case .unconfirmed? = roster.contact(contact)?.request { true } else { false }
    }
    guard !left.isEmpty else { return nil }
    var names = left.prefix(Self.namedLimit).map(\.text).joined(separator: ", ")
    if left.count > Self.namedLimit { names += " and \(left.count - Self.namedLimit) more" }
    return "\(left.count.of("request")) \(left.count == 1 ? "was" : "were") not sent again in this "
      + "session: \(names)"
  }
}

extension RosterChange {
  /// Whether it is a doubt that the server settles right after the record.
  var isHeldDoubt: Bool { reason == .unconfirmed(.notSentAgain) }
}
