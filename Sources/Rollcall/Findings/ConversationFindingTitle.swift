package import ConversationCore
package import RosterCore

extension ConversationFinding.Code {
  /// The kind of finding in a few words, for a person who has never read a specification.
  package var title: String {
    switch self {
    case .carbonForged: "A stranger sent a carbon"
    case .archiveForged: "An archive result answers no query of ours"
    case .archiveIDForged: "A message brought a forged archive id"
    case .stampImpossible: "A time stamp cannot be true"
    case .deliveredTwice: "A message was delivered twice"
    case .idReused: "An id was used for two messages"
    case .errorAfterDelivery: "A delivered message was reported as failed"
    case .errorOfUnknown: "An error answers no known message"
    case .receiptByAnother: "A receipt came from somebody else"
    case .receiptOfUnknown: "A receipt is for no known message"
    case .markerByAnother: "A marker came from somebody else"
    case .correctionOfUnknown: "A correction corrects no known message"
    case .correctionByAnother: "Somebody corrected another sender's message"
    case .correctionOfRetracted: "A retracted message was corrected"
    case .correctionUnencrypted: "An encrypted message was corrected in the clear"
    case .retractionOfUnknown: "A retraction retracts no known message"
    case .retractionByAnother: "Somebody retracted another sender's message"
    case .mediaUnreadable: "A picture or a recording cannot be read"
    case .digestWrong: "The bytes of a file are not those that were named"
    case .archiveReversed: "The archive sent a page in reverse"
    case .messageFromStranger: "A stranger wrote"
    case .maybeLost: "A message may be lost"
    case .gap: "Messages between two sessions are missing"
    case .outOfOrder: "A message arrived late"
    case .sentAgain: "A message was sent again"
    case .receiptMissing: "A receipt never arrived"
    case .receiptsToStranger: "A stranger was sent receipts"
    case .resumeNotTried: "A lost session was not resumed"
    }
  }

  /// How much findings of this code matter.
  package var severity: Finding.Severity {
    switch self {
    case .carbonForged, .archiveForged, .correctionByAnother, .retractionByAnother: .error
    case .archiveIDForged, .stampImpossible, .deliveredTwice, .idReused, .errorAfterDelivery,
      .receiptByAnother, .markerByAnother, .correctionUnencrypted, .mediaUnreadable, .digestWrong,
      .archiveReversed, .maybeLost, .receiptsToStranger:
      .warning
    case .errorOfUnknown, .receiptOfUnknown, .correctionOfUnknown, .correctionOfRetracted,
      .retractionOfUnknown, .messageFromStranger, .gap, .outOfOrder, .sentAgain, .receiptMissing,
      .resumeNotTried:
      .info
    }
  }
}

extension ConversationFinding {
  /// How much it matters. A result of our own archive that comes at the wrong time is no
  /// deception.
  package var severity: Finding.Severity { isOfOwnServer ? .info : code.severity }
}
