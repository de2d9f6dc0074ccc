import RawBytes
import XMPPStanza

/// Cases of one cause on one device, which are one finding when the log ends.
struct Tally: Hashable, Sendable {
  /// What the cases have in common.
  enum Kind: Hashable, Sendable, CaseIterable {
    /// Pushes that the device has not acknowledged.
    case unacknowledgedPushes
    /// Pushes that the device has answered by an error.
    case refusedPushes
    /// Pushes that another device received and this one did not.
    case missedPushes
    /// Answers of ours to what was no request, or was answered.
    case answersToNothing
    /// Pushes that change nothing.
    case idlePushes
    /// Presence of one contact that says what it said before.
    case idlePresence

    /// Whether cases belong together by their contact rather than by their device.
    var isOfOneContact: Bool {
      switch self {
      case .idlePresence: true
      case .unacknowledgedPushes, .refusedPushes, .missedPushes, .answersToNothing, .idlePushes:
        false
      }
    }
  }

  let kind: Kind
  /// The connection of the last case, and the resource that was bound to it; nil if the log does
  /// not show it.
  var connection: ConnectionID
  var device: String?
  /// The resource of the device that received the first missed push; nil for other kinds.
  let receiver: String?
  /// The device's answer to the first refused push; nil for other kinds.
  let answer: ErrorReport?
  /// The contact that all cases are about; nil if there are several.
  var contact: BareJID?
  /// The number of cases.
  var count = 1
  /// The records of the first and of the last case.
  let first: UInt64
  var last: UInt64

  /// The number of tallies that are kept at once; beyond it the oldest is reported.
  static let limit = 64

  /// The number of pushes, or presences of a contact, that change nothing from which on they are
  /// reported: a few are ordinary.
  static let idleLimit = 10

  /// Whether a case on a device belongs to this tally.
  ///
  /// - Parameter isShared: Whether the log has several connections. Otherwise all its sessions are
  ///   of one client, even if the server binds each of them to another resource.
  func includes(
    _ kind: Kind, about contact: BareJID?, on connection: ConnectionID, of device: String?,
    isShared: Bool
  ) -> Bool {
    guard self.kind == kind else { return false }
    guard !kind.isOfOneContact else { return self.contact == contact }
    guard isShared, let mine = self.device, let device else { return self.connection == connection }
    return mine.hasSameBytes(as: device)
  }
}
