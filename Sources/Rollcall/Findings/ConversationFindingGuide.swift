package import ConversationCore

extension ConversationFinding.Code {
  /// What to know of findings of this code.
  package var guide: FindingGuide {
    switch self {
    // Who may say what
    case .carbonForged:
      FindingGuide(
        "A carbon is from our own bare address; a client ignores all others (XEP-0280, security "
          + "considerations). The sender of the message inside says nothing about that.",
        "Somebody tries to make a client show a message that was never sent: about fifteen "
          + "programs believed it (CVE-2017-5589 to CVE-2017-5606, CVE-2019-16235, "
          + "CVE-2020-26547), and aioxmpp still hands such a carbon to the application.",
        "Compare the address of the outer message with the bare address of the account, and "
          + "nothing else. Block the sender.")
    case .archiveForged:
      FindingGuide(
        "A result counts while a query of ours with its id is open, and only from the archive that "
          + "was asked (XEP-0313, security considerations).",
        "Somebody tries to write into the history of a client: profanity 0.13 and QXmpp 1.4 store "
          + "or pass on such results. A result of our own archive cannot be forged: it arrived "
          + "after its query was answered, or was meant for another session, and is only "
          + "information.",
        "Keep the open queries with the address that was asked, and ignore every other result.")
    case .archiveIDForged:
      FindingGuide(
        "A server adds its id after those that a message already has, and should remove those in "
          + "its own name (XEP-0359).",
        "A sender writes an id in our server's name. Prosody 0.12 passes it on, and Gajim 1.7, "
          + "Dino 0.4 and profanity 0.13 store it, so that a real message with that id disappears "
          + "as a copy. Some versions of ejabberd add two ids of their own.",
        "Take the last id by the own account or the room, and match an id only together with the "
          + "sender.")
    case .receiptByAnother:
      FindingGuide(
        "A receipt counts from the account that the message was sent to (XEP-0184, security "
          + "considerations).",
        "Somebody guesses ids to have messages shown as received: slixmpp 1.17 and QXmpp 1.4 "
          + "report such receipts. A gateway that answers from an address of its own.",
        "Compare the sender of a receipt with the conversation of the message.")
    case .markerByAnother:
      FindingGuide(
        "A marker counts from the account that the message was sent to (XEP-0333).",
        "Somebody guesses ids to have messages shown as read; a gateway that answers from an "
          + "address of its own; a private message in a room answered by the room.",
        "Compare the sender of a marker with the conversation of the message.")
    case .correctionByAnother:
      FindingGuide(
        "Only the sender of a message corrects it; in a room that is the occupant, not the nick "
          + "(XEP-0308, XEP-0421).",
        "Somebody tries to change what another person said; an occupant who took the nick of one "
          + "who had left.",
        "Compare the occupant id, or else the stay of the nick, and not the nick alone.")
    case .retractionByAnother:
      FindingGuide(
        "A message is retracted by its sender, or by the room for a moderator (XEP-0424, "
          + "XEP-0425).",
        "Somebody tries to make another person's message disappear; a moderation that a client "
          + "sends by itself instead of asking the room.",
        "Accept moderation only from the bare address of the room.")
    // What names a message
    case .errorOfUnknown:
      FindingGuide(
        "An error has the id of the stanza that it answers (RFC 6120 §8.3.1).",
        "The message was sent by another device or before the log began; a server that answers "
          + "chat states or receipts with errors; an id that a gateway changed.",
        "Import the log of the other device as well, if there is one.")
    case .receiptOfUnknown:
      FindingGuide(
        "A receipt has the id of the message that it is for (XEP-0184).",
        "The message was sent by another device without carbons, or before the log began; a "
          + "message that was sent without an id.",
        "Turn carbons on (XEP-0280), and give each message an id.")
    case .correctionOfUnknown:
      FindingGuide(
        "A correction names the id of a message of its sender (XEP-0308).",
        "The message is from before the log; a client that names the last correction instead of "
          + "the original; a correction in a room after its sender had left it; a correction that "
          + "names itself (CVE-2021-41055).",
        "Name the id of the original stanza in each correction.")
    case .correctionOfRetracted:
      FindingGuide(
        "What was retracted is gone for good (XEP-0424).",
        "A person edited the message on a device that had not seen the retraction.",
        "Nothing is wrong with the log. A client should not offer to edit a retracted message.")
    case .correctionUnencrypted:
      FindingGuide(
        "A correction is only as trustworthy as the way it arrived: one in the clear can be from "
          + "anybody on the way (XEP-0308, security considerations).",
        "A client that encrypts messages and forgets to encrypt corrections; a device without the "
          + "keys; an attack by a server.",
        "Encrypt corrections like messages, and show one in the clear as a message of its own.")
    case .retractionOfUnknown:
      FindingGuide(
        "A retraction names the origin id or id of a message, and in a room the id that the room's "
          + "archive gave it (XEP-0424).",
        "The message is from before the log; a client that names its own id in a room.",
        "Name the archive's id in rooms.")
    // How messages arrive
    case .stampImpossible:
      FindingGuide(
        "A delay stamp says when a message was first handled, as a time of XEP-0082 (XEP-0203).",
        "A server or a gateway whose clock is wrong or that writes another format; somebody who "
          + "wants to crash clients (CVE-2013-6477).",
        "Compare the server's clock with the log's. Use the time of arrival for such messages.")
    case .deliveredTwice:
      FindingGuide(
        "A message that is sent again after a resumption is the same message, with the same origin "
          + "id (XEP-0198, XEP-0359).",
        "A server that archives what is sent again once more (MongooseIM), or private messages of "
          + "rooms once per device (ejabberd).",
        "Match messages by origin id and content, not by the id of the archive alone.")
    case .idReused:
      FindingGuide(
        "An id is unique among the stanzas of a session (RFC 6120 §8.1.3).",
        "A client that counts from the start at each login, or that takes the id from a fixed "
          + "text. Monal lost messages of such a client.",
        "Make ids random in the client that sends them.")
    case .errorAfterDelivery:
      FindingGuide(
        "A receipt says that the message arrived on a device (XEP-0184).",
        "A server that reports the failure for one device although another one has the message; a "
          + "session that ended while the message was on its way.",
        "Keep the message as received.")
    case .mediaUnreadable:
      FindingGuide(
        "A message whose subject is ImageMessage or VoiceMessage has its data in Base64 (RFC "
          + "4648).",
        "A sender that cuts large messages, that sends an address instead, or whose person wrote "
          + "that word as a subject.",
        "Look at the record with rollcall show.")
    case .digestWrong:
      FindingGuide(
        "The content id of data is its digest (XEP-0231).",
        "A server that encoded a picture again; a cache that mixes up its files; somebody who "
          + "wants another picture to be shown.",
        "Compute the digest of the data before it is stored or shown.")
    case .archiveReversed:
      FindingGuide(
        "The results of a page are in chronological order, even if the last page is asked for "
          + "first, unless the query flips pages (XEP-0313).",
        "An archive that turns pages around when the last ones are asked for (Openfire's "
          + "monitoring plugin did).",
        "Report it to the server's authors. A client can turn such a page around by its stamps.")
    case .outOfOrder:
      FindingGuide(
        "A server delivers the stanzas of one sender in order (RFC 6120 §10.1); a message that "
          + "waited carries the time when it was sent (XEP-0203).",
        "A message that was stored while we were offline and arrives after newer ones; a gateway.",
        "Show messages by the stamp of the server, and not in the order of their arrival.")
    case .sentAgain:
      FindingGuide(
        "A client sends again what the server had not acknowledged (XEP-0198 §5).",
        "A connection that was lost. Days later it is a fault of the client, which kept its queue "
          + "(libstrophe).",
        "Look at the time between both records. Give messages origin ids, so that others can tell.")
    // What is missing
    case .messageFromStranger:
      FindingGuide(
        "Anybody may send a message (RFC 6121 §5.1); it is the client that decides what to show.",
        "Somebody writes before sending a request; spam.",
        "Show such conversations apart, and load nothing that their messages name.")
    case .receiptsToStranger:
      FindingGuide(
        "A receipt tells its recipient that we are online, so it goes only to those who see our "
          + "presence (XEP-0184, security considerations).",
        "A client that answers every request for a receipt.",
        "Send receipts only to contacts that see our presence.")
    case .receiptMissing:
      FindingGuide(
        "A client that supports receipts answers each request for one (XEP-0184).",
        "A device that sends markers only; a receipt that went to another device of ours without "
          + "carbons.",
        "Take a marker for a receipt. Turn carbons on.")
    case .maybeLost:
      FindingGuide(
        "Only what the server acknowledged has arrived there (XEP-0198).",
        "The connection was lost right after the message was written, and the client did not send "
          + "it again.",
        "Keep messages until they are acknowledged, and send them again in the next session.")
    case .gap:
      FindingGuide(
        "After each login that is not a resumption, the archive has what arrived in between "
          + "(XEP-0313).",
        "A client without message archives, or one that asks only when a conversation is opened; a "
          + "server without them.",
        "Ask the archive from the last known message on after each login.")
    case .resumeNotTried:
      FindingGuide(
        "A session that the server offered to resume is resumed after its connection was lost "
          + "(XEP-0198 §5).",
        "A client that was restarted, or that forgets the id of its session. ChatSecure lost "
          + "messages this way.",
        "Keep the id of the session and the number of handled stanzas, and try to resume first.")
    }
  }
}
