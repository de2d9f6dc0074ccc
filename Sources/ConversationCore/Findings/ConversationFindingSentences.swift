import XMPPStanza

// Findings about messages in English, each with the specification that it rests on.
extension ConversationFinding {
  /// A sentence for a person. It names an address, but nothing that anybody wrote.
  package var sentence: String {
    let somebody = contact?.description ?? "somebody"
    return switch code {
    // Who may say what
    case .carbonForged:
      "A carbon from \(somebody) was ignored: only our own server sends carbons, from our bare "
        + "address (XEP-0280, security considerations)."
    case .archiveForged where isOfOwnServer:
      "A result of our own archive was ignored: no query of ours was open that it answers. It may "
        + "have come after the answer to its query, or have been meant for another session "
        + "(XEP-0313)."
    case .archiveForged:
      "A result of an archive from \(somebody) was ignored: no query of ours to that archive was "
        + "open (XEP-0313, security considerations)."
    case .archiveIDForged:
      "A message from \(somebody) came with an archive id in our server's name before the one that "
        + "the server added; only the last one counts (XEP-0359, security considerations)."
    case .receiptByAnother:
      "A receipt from \(somebody) was ignored: the message of ours that it names was sent to "
        + "somebody else (XEP-0184, security considerations)."
    case .markerByAnother:
      "A marker from \(somebody) was ignored: the message of ours that it names was sent to "
        + "somebody else (XEP-0333)."
    case .correctionByAnother:
      "\(somebody) corrected a message of another sender. The correction is shown as a message of "
        + "its own, and the other message stays as it was (XEP-0308, security considerations)."
    case .retractionByAnother:
      "\(somebody) retracted a message of another sender, and that message stays as it was "
        + "(XEP-0424, security considerations)."
    // What names a message
    case .errorOfUnknown:
      "An error from \(somebody) answers no message of ours that the log has (RFC 6120 §8.3.1)."
    case .receiptOfUnknown:
      "A receipt from \(somebody) names no message of ours that the log has (XEP-0184)."
    case .correctionOfUnknown:
      "A correction from \(somebody) names no message that it may replace, so it is shown as a "
        + "message of its own (XEP-0308)."
    case .correctionOfRetracted:
      "\(somebody) corrected a message that had been retracted; it stays retracted (XEP-0424)."
    case .correctionUnencrypted:
      "A correction from \(somebody) is not encrypted, although the message that it names is. It "
        + "is shown as a message of its own, because anybody on the way could have written it."
    case .retractionOfUnknown:
      "A retraction from \(somebody) names no message that the log has (XEP-0424)."
    // How messages arrive
    case .stampImpossible:
      "The time stamp of a message from \(somebody) is unreadable or later than its record; it was "
        + "not used (XEP-0203)."
    case .deliveredTwice:
      "A message from \(somebody) was delivered and archived twice: the origin id and the content "
        + "are the same, and the archive ids differ (XEP-0359). It is shown once."
    case .idReused:
      "\(somebody) used the id of an earlier message again on the same connection. They are two "
        + "messages, which an id alone does not tell apart (RFC 6120 §8.1.3)."
    case .errorAfterDelivery:
      "An error says that our message to \(somebody) failed, but its receipt had already arrived; "
        + "the message counts as delivered (XEP-0184)."
    case .mediaUnreadable:
      "A message from \(somebody) says that it is a picture or a recording, but its data is not "
        + "Base64; it is shown as text."
    case .digestWrong:
      "A message from \(somebody) has data whose digest differs from its content id, so it is not "
        + "the file that the id names (XEP-0231)."
    case .archiveReversed:
      "The archive sent a page with the newest message first, although the query did not ask for "
        + "that; the page was turned around (XEP-0313)."
    case .outOfOrder:
      "A message in the conversation with \(somebody) arrived after a newer one had been shown."
    case .sentAgain:
      "We sent a message to \(somebody) again on a later connection. It is shown once."
    // What is missing
    case .messageFromStranger:
      "The first message of a conversation is from \(somebody), who is not a contact: no request "
        + "is open, and we had sent nothing there."
    case .receiptsToStranger:
      "We sent a receipt to \(somebody), who is not a contact. It tells a stranger when we are "
        + "online (XEP-0184, security considerations)."
    case .receiptMissing:
      "\(somebody) displayed our message, but the receipt that we had asked for never arrived "
        + "(XEP-0184)."
    case .maybeLost:
      "Our message to \(somebody) may be lost: the connection ended before the server acknowledged "
        + "it, and the archive of that time does not have it (XEP-0198)."
    case .gap:
      "What was sent to us between the last session and this one is not in the log: no query of "
        + "the archive covered that time (XEP-0313)."
    case .resumeNotTried:
      "The connection was lost, and the server had offered to resume its session, but a new one "
        + "was bound instead. What was on its way may be lost (XEP-0198)."
    }
  }
}
