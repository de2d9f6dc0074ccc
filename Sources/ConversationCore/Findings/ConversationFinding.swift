package import XMPPStanza

/// Something odd about messages.
package struct ConversationFinding: Hashable, Sendable {
  package var code: Code
  /// The record that shows it.
  package var record: UInt64
  /// The address that it is about.
  package var contact: JID?

  /// The kinds of finding by name; stable from release to release. The numbers are those of the
  /// rules of conversations.
  package enum Code: String, Hashable, Sendable, CaseIterable {
    /// Rule 5.
    case carbonForged = "carbon-forged"
    /// Rule 6.
    case archiveForged = "archive-forged"
    /// Rule 8.
    case archiveIDForged = "archive-id-forged"
    /// Rule 9.
    case stampImpossible = "stamp-impossible"
    /// Rule 12.
    case deliveredTwice = "delivered-twice"
    case idReused = "id-reused"
    /// Rule 15.
    case errorAfterDelivery = "error-after-delivery"
    case errorOfUnknown = "error-of-unknown"
    /// Rule 16.
    case receiptByAnother = "receipt-by-another"
    case receiptOfUnknown = "receipt-of-unknown"
    /// Rule 17.
    case markerByAnother = "marker-by-another"
    /// Rule 20.
    case correctionOfUnknown = "correction-of-unknown"
    case correctionByAnother = "correction-by-another"
    case correctionOfRetracted = "correction-of-retracted"
    case correctionUnencrypted = "correction-unencrypted"
    /// Rule 21.
    case retractionOfUnknown = "retraction-of-unknown"
    case retractionByAnother = "retraction-by-another"
    /// Rules 24 and 27.
    case mediaUnreadable = "media-unreadable"
    case digestWrong = "digest-wrong"
    /// Rule 34.
    case archiveReversed = "archive-reversed"
    /// Rule 35.
    case messageFromStranger = "message-from-stranger"
    case maybeLost = "maybe-lost"
    case gap
    case outOfOrder = "out-of-order"
    case sentAgain = "sent-again"
    case receiptMissing = "receipt-missing"
    case receiptsToStranger = "receipts-to-stranger"
    case resumeNotTried = "resume-not-tried"
  }

  /// Whether it is about an archive result from our own server, which cannot be forged.
  package var isOfOwnServer: Bool { code == .archiveForged && contact == nil }

  package init(_ code: Code, record: UInt64, contact: JID?) {
    (self.code, self.record, self.contact) = (code, record, contact)
  }
}
