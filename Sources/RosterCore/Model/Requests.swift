import RawBytes
package import XMPPStanza

/// A contact's request to see our presence, and whether it is open (RFC 6121 §3.1).
public enum ContactRequest: Hashable, Sendable {
  /// The request awaits our answer.
  case open(IncomingRequest)
  /// The request may have been answered by another of our devices or withdrawn by its sender. The
  /// server has not sent it again in this session, or has removed the contact, or may have sent it
  /// before it received our refusal.
  case unconfirmed(IncomingRequest)

  /// The request itself.
  public var request: IncomingRequest {
    switch self {
    case .open(let request), .unconfirmed(let request): request
    }
  }
}

/// The content of a contact's request.
public struct IncomingRequest: Sendable {
  /// The record that first contained it.
  public internal(set) var since: RecordStamp
  /// The record that last contained it, for any of our devices.
  public internal(set) var last: RecordStamp
  /// The record of the contact's last own request. What the server sends to other devices is not a
  /// new request.
  var asked: RecordStamp
  /// How many times it was received.
  public internal(set) var count: Int
  /// The newest status text that is not empty.
  public internal(set) var status: String?
  /// The newest nickname that came with it (XEP-0172).
  public internal(set) var nickname: String?
  /// Whether it was reported that the request has not been answered.
  var isReportedAsNeglected = false
  /// Whether it was reported that we have answered it by the stanza that ends something else.
  var isReportedAsWronglyRefused = false
  /// The record that marked it as seen by the user; nil if it is unseen.
  public internal(set) var seen: UInt64?
}

extension IncomingRequest: Hashable {
  /// Whether all fields are equal. Compares texts by their bytes.
  public static func == (a: IncomingRequest, b: IncomingRequest) -> Bool {
    a.since == b.since && a.last == b.last && a.asked == b.asked && a.count == b.count
      && a.status.hasSameBytes(as: b.status) && a.nickname.hasSameBytes(as: b.nickname)
      && a.isReportedAsNeglected == b.isReportedAsNeglected
      && a.isReportedAsWronglyRefused == b.isReportedAsWronglyRefused && a.seen == b.seen
  }

  /// Hashes the fields that distinguish requests.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(since)
    hasher.combine(last)
    hasher.combine(count)
  }
}

/// Our request to see a contact's presence.
public struct OutgoingRequest: Hashable, Sendable {
  /// The record of our `subscribe`, or of the item that first showed the request.
  public internal(set) var since: RecordStamp
  /// Whether the server has shown the request in the roster, which is authoritative from then on.
  public internal(set) var isReflected: Bool
  /// Whether it was reported that the request has not been answered.
  var isReportedAsNeglected = false
  /// The contact's own request that came after this one; nil if none did, or if both crossed.
  var answeredBy: RecordStamp?
}

/// How our last request to a contact ended, until we ask again.
package struct EndedOutgoing: Hashable, Sendable {
  package let way: RosterChange.OutgoingEnd
  /// The record that ended it.
  package let at: RecordStamp
  /// The record that had opened it.
  package let since: RecordStamp
}

/// An error that answered what we sent to a contact.
package struct ReturnedError: Hashable, Sendable {
  /// The record of the error.
  package var record: UInt64
  /// The record of the subscription stanza or request that it answers; nil if it answers presence.
  package var cause: UInt64?
  /// What the error says.
  package var report: ErrorReport
}

/// How a contact's request ended.
public struct EndedRequest: Hashable, Sendable {
  /// The ways in which a request can end.
  public enum Way: String, Hashable, Sendable, CaseIterable {
    /// We sent `subscribed`.
    case accepted
    /// We sent `unsubscribed`.
    case denied
    /// The contact sent `unsubscribe`.
    case withdrawn
    /// The roster shows that the contact sees our presence: another of our devices accepted.
    case acceptedElsewhere
  }

  /// How it ended.
  public internal(set) var way: Way
  /// The record that ended it.
  public internal(set) var at: RecordStamp
  /// The record that had opened it.
  public internal(set) var since: RecordStamp
}

/// Rounds of requests between a contact and us that open again as soon as they end.
struct Rounds: Hashable, Sendable {
  /// How many times a request was opened again without a pause.
  var count = 0
  /// The record that opened the first request.
  var first: RecordStamp
  /// The record that ended the last request; nil if it is open.
  var ended: RecordStamp?

  /// The number of rounds that counts as a loop: people would have stopped by then.
  static let loop = 3
  /// The pause after which a request no longer continues the rounds: milliseconds of log time, or
  /// records in a log without times.
  static let pause: (time: Int64, records: UInt64) = (60_000, 100)

  /// Whether an event follows the last end without a pause.
  func continues(at stamp: RecordStamp) -> Bool {
    guard let ended else { return false }
    return !ended.isLongBefore(stamp)
  }
}
