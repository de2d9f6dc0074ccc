import RawBytes
import XMPPStanza

/// A contact's request to see our presence, and whether it is open (RFC 6121 §3.1).
public enum ContactRequest: Hashable, Sendable {
  /// It waits for our answer.
  case open(IncomingRequest)
  /// The server has not sent it again in this session, or has removed the contact, or may have
  /// sent it before it had our refusal: another of our devices may have answered it, or its sender
  /// withdrawn it. Nobody can say.
  case unconfirmed(IncomingRequest)

  /// What was asked.
  public var request: IncomingRequest {
    switch self {
    case .open(let request), .unconfirmed(let request): request
    }
  }
}

/// What a contact asked.
public struct IncomingRequest: Sendable {
  /// The record that first brought it.
  public internal(set) var since: RecordStamp
  /// The record that last brought it, to any of our devices.
  public internal(set) var last: RecordStamp
  /// The record that brought it when the contact last asked; what the server sends other devices is
  /// no new question.
  var asked: RecordStamp
  /// How often it came.
  public internal(set) var count: Int
  /// The newest status text that is not empty.
  public internal(set) var status: String?
  /// The newest nickname that came with it (XEP-0172).
  public internal(set) var nickname: String?
  /// Whether it was reported that nobody answers it.
  var isReportedAsNeglected = false
  /// The record by which the user had seen it; nil where the user has not.
  public internal(set) var seen: UInt64?
}

extension IncomingRequest: Hashable {
  /// Whether everything is the same, the texts by their bytes.
  public static func == (a: IncomingRequest, b: IncomingRequest) -> Bool {
    a.since == b.since && a.last == b.last && a.asked == b.asked && a.count == b.count
      && a.status.hasSameBytes(as: b.status) && a.nickname.hasSameBytes(as: b.nickname)
      && a.isReportedAsNeglected == b.isReportedAsNeglected && a.seen == b.seen
  }

  /// Feeds what tells requests apart into a hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(since)
    hasher.combine(last)
    hasher.combine(count)
  }
}

/// A request of ours to see a contact's presence.
public struct OutgoingRequest: Hashable, Sendable {
  /// The record of our `subscribe`, or of the item that first showed the request.
  public internal(set) var since: RecordStamp
  /// Whether the server has shown the request in the roster; from then on the roster decides.
  public internal(set) var isReflected: Bool
  /// Whether it was reported that nobody answers it.
  var isReportedAsNeglected = false
}

/// How a request of a contact ended.
public struct EndedRequest: Hashable, Sendable {
  /// The ways in which a request ends.
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

  /// The way it ended.
  public internal(set) var way: Way
  /// The record that ended it.
  public internal(set) var at: RecordStamp
  /// The record that had opened it.
  public internal(set) var since: RecordStamp
}

/// How a contact and we go round: requests between us that open again as soon as they have ended.
struct Rounds: Hashable, Sendable {
  /// How often one opened again without a pause.
  var count = 0
  /// The record that opened the first of them.
  var first: RecordStamp
  /// The record that ended the last one; nil where it is open.
  var ended: RecordStamp?

  /// So many are no misunderstanding between people.
  static let loop = 3
  /// What comes later is another matter; in milliseconds of log time, and where there is none in
  /// records.
  static let pause: (time: Int64, records: UInt64) = (60_000, 100)

  /// Whether what happens now follows the end of the last one without a pause.
  func goOn(at stamp: RecordStamp) -> Bool {
    guard let ended else { return false }
    guard let now = stamp.time, let then = ended.time else {
      return stamp.record - ended.record <= Self.pause.records
    }
    let (span, isOver) = now.subtractingReportingOverflow(then)
    return !isOver && span <= Self.pause.time
  }
}

/// Kinds of subscription stanza.
struct SubscriptionKinds: OptionSet, Hashable, Sendable {
  let rawValue: UInt8

  static let subscribed = Self(rawValue: 1)
  static let unsubscribe = Self(rawValue: 2)
  static let unsubscribed = Self(rawValue: 4)
}

/// What is still to come of what a contact did, or of what we did about it: a stanza and the push
/// that shows its effect come in either order, since servers differ (RFC 6121 §3.1.6, §3.2.3 and
/// §3.3.3 leave it open).
struct ExpectedCounterparts: Hashable, Sendable {
  /// Stanzas whose effect a push has shown already.
  var stanzas: SubscriptionKinds = []
  /// Stanzas that have come and whose effect no push has shown yet.
  var pushes: SubscriptionKinds = []

  var isEmpty: Bool { stanzas.isEmpty && pushes.isEmpty }
}
