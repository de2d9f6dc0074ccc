package import RosterCore

/// What a reader of a finding wants to know.
package struct FindingGuide: Hashable, Sendable {
  /// What the specifications say, with the section.
  package let rule: String
  /// What usually causes it, in clients and servers.
  package let causes: String
  /// What to look at, or to change.
  package let remedy: String

  init(_ rule: String, _ causes: String, _ remedy: String) {
    self.rule = rule
    self.causes = causes
    self.remedy = remedy
  }
}

extension Finding.Code {
  /// What to know of findings of this code.
  package var guide: FindingGuide {
    switch self {
    // Elements that were not taken
    case .unpreparedAddress:
      FindingGuide(
        "An address is prepared by the profiles of RFC 7622 before it is compared or kept.",
        "A client takes what a person typed for an address; a gateway builds addresses from "
          + "foreign names without escaping them (XEP-0106).",
        "Look at the element with rollcall show, and have its sender prepare the address.")
    case .unknownType:
      FindingGuide(
        "The types of presence and of iq are closed lists (RFC 6121 §4.7.1, RFC 6120 §8.2.3).",
        "A misspelt type, such as “Subscribe” or “available”: types are in lower case, and "
          + "presence that is available has none.",
        "Correct the type where the stanza is made.")
    case .addresslessSubscription:
      FindingGuide(
        "A subscription stanza is to somebody, and comes from somebody (RFC 6121 §3.1).",
        "A client answers a request without the address of who asked, of which it kept only "
          + "the name.",
        "Keep the bare address with each request, and answer to that.")
    case .malformedPayload:
      FindingGuide(
        "What a roster, a block list or a presence may hold is in its schema (RFC 6121 "
          + "appendix D, XEP-0191).",
        "A payload in the wrong namespace, two payloads in one iq, an element that belongs "
          + "into another.",
        "Compare the element (rollcall show) with the schema.")
    case .oversizedElement:
      FindingGuide(
        "XMPP sets no limits; each side has its own, and says so (RFC 6120 §13.12).",
        "A contact, or anybody, sent an element with hundreds of attributes or levels, or of many "
          + "megabytes, and the server passed it on.",
        "Look at its first bytes with rollcall show. The session goes on. If such elements are "
          + "legitimate, raise SessionLimits.")
    case .foreignAccount:
      FindingGuide(
        "A log is the history of one account.",
        "Captures of two accounts were read as one, or a client with several accounts writes "
          + "them to one file.",
        "Choose the account with --account, and keep a log for each.")
    // The server
    case .otherDomain:
      FindingGuide(
        "A certificate vouches for one domain, and that domain's server for its own accounts "
          + "(RFC 6120 §13.7.2).",
        "A server that claims an account of another domain to have its stream recorded as that "
          + "account's; a server that hosts several domains and binds the wrong one.",
        "Look at the domain that the client named in its stream header (rollcall show). If you "
          + "did not expect that server, keep the recording away from the account's log.")
    case .unverifiedServer:
      FindingGuide(
        "A client uses TLS and checks the certificate before it logs in (RFC 6120 §5, §13.7.2).",
        "A server on the same machine without TLS; a machine in the middle that took STARTTLS out "
          + "of the server's offer.",
        "Turn TLS on in the client and the server. Do not trust what the stream says of the "
          + "account if you did not expect it to be without TLS.")
    case .lateStanza:
      FindingGuide(
        "After its closing tag, an entity sends nothing more on a stream (RFC 6120 §4.4).",
        "A machine in the middle that adds stanzas to a stream that has ended; a server that still "
          + "delivers stanzas while it closes a session; a client that still sends after it has "
          + "logged out; a capture that gives several streams the same name.",
        "Compare the record (rollcall show) with the end of the stream before it. If they belong "
          + "to different streams, capture each stream separately.")
    case .streamError:
      FindingGuide(
        "A stream error ends the stream; its condition says why (RFC 6120 §4.9).",
        "The server restarts, or another login replaced this one; a client that sends what the "
          + "server does not accept, or too much of it; a client that could not read what came.",
        "Read the condition and the text, and look at what was sent just before (rollcall log).")
    case .conflictLoop:
      FindingGuide(
        "A server that binds a resource again may end the session that has it, with “conflict” "
          + "(RFC 6120 §4.9.3.3, §7.7.2.2).",
        "Two installations with the same fixed resource; a client that logs in again although it "
          + "was replaced; an old process that still runs.",
        "Let the server choose the resource, and do not log in again after “conflict” without "
          + "asking the user.")
    // Answers
    case .unsolicitedResult:
      FindingGuide(
        "An answer has the id of a request that is open (RFC 6120 §8.2.3); a client that "
          + "takes a roster from any other can be given a false one.",
        "The capture began after the request; ids that are used twice; a server that answers "
          + "twice; somebody who tries what a client takes.",
        "See with rollcall log --kind iq whether the request is there. Where it is not, begin "
          + "captures before the login.")
    case .foreignRoster:
      FindingGuide(
        "A roster comes from the own server: from no address, or from the bare address of the "
          + "account (RFC 6121 §2.1.4, RFC 6120 §8.1.2.1).",
        "An attempt to give the client a false roster (CVE-2015-8688 and its like), or a "
          + "component that rewrites addresses.",
        "Make sure that your client ignores it: compare the sender, not the id alone.")
    case .rosterFromDomain:
      FindingGuide(
        "What a server sends on behalf of an account comes from no address, or from the account's "
          + "bare address (RFC 6120 §8.1.2.1).",
        "An old server, or a gateway that is the server of its users and writes its own domain "
          + "into all that it sends.",
        "If the contacts are missing in the client, let the server leave out “from”, or look in "
          + "the client's own log for a roster that it ignored.")
    case .answerToNothing:
      FindingGuide(
        "A result answers a get or a set, once; a result is never answered (RFC 6120 §8.2.3).",
        "A client that acknowledges every iq with an id, answers included, or one push twice.",
        "Answer only iq of types get and set. Servers ignore the others, but an id that is used "
          + "again can be taken for answered.")
    case .unseenQuery:
      FindingGuide(
        "An answer has the id of a request that is open (RFC 6120 §8.2.3). A log that begins in "
          + "the middle of a session cannot show the requests that were sent before.",
        "The log was cut out of a longer one, or was switched on after the login.",
        "Log from before the login to see the get as well.")
    case .spoofedAnswer:
      FindingGuide(
        "Only who was asked answers: for the own account the server, from no address, the "
          + "bare or the full one (RFC 6120 §8.1.2.1).",
        "An attempt to give the client a false roster (CVE-2015-8688 and its like), or a "
          + "component that rewrites addresses.",
        "Compare both addresses in your client, not the id alone.")
    case .misdirectedQuery:
      FindingGuide(
        "The roster is asked for without an address, or from the own bare one (RFC 6121 "
          + "§2.1.3).",
        "A client that sets “to” to the server's domain, or to a contact.",
        "Leave “to” out.")
    case .refusedQuery:
      FindingGuide(
        "A server answers a roster get by a roster or by an error (RFC 6121 §2.1.4).",
        "The session is not bound yet, the account has no right to a roster, or the server's "
          + "storage has failed.",
        "The condition of the error says which; the server's log says why.")
    case .emptyResult:
      FindingGuide(
        "The answer to a get holds the roster, unless the get named a version and nothing has "
          + "changed since (RFC 6121 §2.6.3).",
        "A server that versions rosters and forgets to look whether it was asked with a "
          + "version; a proxy that drops payloads.",
        "Ask with an empty version, or without one, and report it to the server's authors.")
    case .unknownBase:
      FindingGuide(
        "“Nothing has changed” refers to a roster that the client keeps (RFC 6121 §2.6).",
        "The capture began after that roster was fetched; or a client kept the version and "
          + "lost the roster, and shows no contacts now.",
        "Import the capture of an earlier login first. Where the client shows nothing, it "
          + "must forget the version with the roster.")
    case .unansweredQuery:
      FindingGuide(
        "Each get and set is answered (RFC 6120 §8.2.3).",
        "A request without an id, a connection that was lost, a server under load, a capture "
          + "of one direction only.",
        "See in rollcall replay whether the connection ended; a client asks again after a "
          + "while.")
    case .missingID:
      FindingGuide(
        "An iq has an id, or nobody can answer it (RFC 6120 §8.2.3).",
        "Stanzas that are put together as text.",
        "Give each request an id that is not used twice on its connection.")
    // Pushes and items
    case .foreignPush:
      FindingGuide(
        "Only the own server pushes, from no address or from the bare one of the account; a "
          + "client ignores all others (RFC 6121 §2.1.6).",
        "Somebody tries to put contacts into the roster (CVE-2015-8688), or a server pushes "
          + "from an address that it should not.",
        "Make sure that your client ignores it: rollcall diff, with what your client shows, "
          + "tells.")
    case .pushItemCount:
      FindingGuide(
        "A push holds exactly one item (RFC 6121 §2.1.6).",
        "A server, or a component that manages rosters, that sends several changes as one.",
        "Report it: clients ignore all of it, or take the first.")
    case .unacknowledgedPush:
      FindingGuide(
        "Each push is answered by a result with its id (RFC 6121 §2.1.6).",
        "A client that handles pushes and forgets to answer; an id that was changed on the "
          + "way.",
        "Answer every iq of type set. Servers may take a client that does not for dead.")
    case .missedPush:
      FindingGuide(
        "A change is pushed to every resource that has requested the roster (RFC 6121 §2.1.6).",
        "A server that keeps its list of interested resources wrong, for example after a session "
          + "was resumed or in a cluster; a module or proxy that drops stanzas.",
        "Fetch the roster again on that device: until then it shows what was before. Report it to "
          + "the server's authors with the record of the push.")
    case .idlePushes:
      FindingGuide(
        "A push tells of a change (RFC 6121 §2.1.6), and so does a presence (RFC 6121 §4.4).",
        "A server or a synchronizing module that pushes the whole roster item by item; a directory "
          + "that is copied over the roster again and again; a client or gateway that sends its "
          + "presence on a timer.",
        "Nothing is lost by it. Each push costs every device an answer, and each presence wakes "
          + "phones up: see in the server's log, or in the contact's client, what causes them.")
    case .malformedItem:
      FindingGuide(
        "An item has an address and what the schema allows (RFC 6121 §2.1.2).",
        "Contacts from an import or a gateway whose addresses were never prepared.",
        "Take the contact out and add it again with its prepared address.")
    case .duplicateItem:
      FindingGuide(
        "A roster has one item for each address (RFC 6121 §2.1.2.3).",
        "A server that stores addresses as they were written, so that Bob@ and bob@ are two.",
        "Remove both and add one; in a client, key contacts by the prepared bare address.")
    case .removalInResult:
      FindingGuide(
        "“remove” stands in sets and pushes only (RFC 6121 §2.1.2.5).",
        "A server that keeps removed contacts and sends them with the others.",
        "Clients leave the item out; report it to the server's authors.")
    case .unknownSubscription:
      FindingGuide(
        "A subscription is none, to, from, both, or remove (RFC 6121 §2.1.2.5).",
        "A gateway with states of its own, or “ask” written where the subscription belongs.",
        "Clients take it for none; correct it where the item is made.")
    case .unusedVersion:
      FindingGuide(
        "A client that keeps its roster names its version and is sent only what changed (RFC "
          + "6121 §2.6).",
        "A client that keeps no roster, or does not look for the server's feature.",
        "Nothing is wrong. With a large roster, versions save most of each login.")
    case .removedElsewhere:
      FindingGuide(
        "A removal is pushed to all resources that have asked for the roster (RFC 6121 §2.5).",
        "Another device, a web interface or the server's administrator removed the contact.",
        "rollcall history of the contact shows the push; the server's log shows who asked for "
          + "it.")
    case .unfetchedRoster:
      FindingGuide(
        "A session is pushed changes only once it has asked for the roster (RFC 6121 §2.2).",
        "A client that shows the roster of its last session after it has connected again.",
        "Ask for the roster before the first presence of each session that is not resumed.")
    // Our edits
    case .setItemCount:
      FindingGuide(
        "A set holds exactly one item (RFC 6121 §2.1.5).",
        "A client that sends several edits as one: the server refuses all of them.",
        "Send a set for each contact.")
    case .groupsLost:
      FindingGuide(
        "A set replaces the name and all groups of the contact (RFC 6121 §2.1.2).",
        "A client that renames a contact and sends the name only, or moves it and sends the "
          + "new group only.",
        "Send with every edit all that the item had, but for what is to change.")
    case .refusedEdit:
      FindingGuide(
        "A server may refuse a set (RFC 6121 §2.3.3).",
        "A contact who is not in the roster any more, a name that is too long, a group "
          + "without a name, a full roster.",
        "The condition says which. Show what the server pushed last, not what was asked for.")
    case .unansweredEdit:
      FindingGuide(
        "Each set is answered (RFC 6120 §8.2.3).",
        "The connection was lost: nobody knows whether the edit was done.",
        "Fetch the roster after connecting again, and see.")
    case .unpushedEdit:
      FindingGuide(
        "Who changes a roster is pushed the change like all others (RFC 6121 §2.1.5).",
        "The set changed nothing; or the session has never asked for the roster, so that the "
          + "server pushes it nothing.",
        "Ask for the roster first; change what is shown only by pushes.")
    case .undoneEdit:
      FindingGuide(
        "Only what the server pushes is in the roster (RFC 6121 §2.1.6).",
        "Another device sent its older copy of the contact; two devices edit at once; an "
          + "address book that is copied over the roster; a server that cuts long names, or adds "
          + "groups that it shares.",
        "rollcall history of the contact shows the push that undid or altered it, and whether a "
          + "set of ours asked for it.")
    case .outdatedSet:
      FindingGuide(
        "A set replaces the name and all groups of the contact (RFC 6121 §2.1.2).",
        "A client that edits the copy it took at its login and leaves out the pushes since, or "
          + "that was offline while another device edited.",
        "Make each set from what the last push showed; rollcall history of the contact shows "
          + "both sets and who sent them.")
    case .prematureSet:
      FindingGuide(
        "A set replaces the name and all groups of the contact (RFC 6121 §2.1.2), also those that "
          + "its sender does not know.",
        "A client that edits as soon as it has logged in: from what it kept of an earlier session, "
          + "or, on a new device, from nothing.",
        "Send a set only once the session's roster is known, and make it from that; give the "
          + "contact back what the finding names.")
    case .putBack:
      FindingGuide(
        "A set replaces the whole item, and the pushes say what another device has changed "
          + "(RFC 6121 §2.1.2, §2.1.6).",
        "A client keeps its own copy of the roster, on disk or in an address book, and sends it "
          + "back at its login or when it synchronizes.",
        "Have the client fetch the roster before it edits, take the pushes, and send only what "
          + "the user changed. If the user wanted it, nothing is wrong.")
    case .foreignSet:
      FindingGuide(
        "A roster is set without an address (RFC 6121 §2.1.5).",
        "A client that sends the set to the contact, or to the server's domain.",
        "Leave “to” out.")
    // Subscriptions
    case .ownSubscription:
      FindingGuide(
        "An account sees its own presence without a subscription (RFC 6121 §3.1).",
        "A contact list that holds the account itself.",
        "Leave the own address out of what can be added.")
    case .needlessRequest:
      FindingGuide(
        "Who has a subscription need not ask for it (RFC 6121 §3.1).",
        "“Add friend” for somebody who is one; a contact whose server has lost the "
          + "subscription asks again.",
        "Answer it all the same: the server does so by itself where both agree.")
    case .unsolicitedSubscribed:
      FindingGuide(
        "“subscribed” answers a request, or approves one in advance (RFC 6121 §3.1.6, §3.4).",
        "The contact's client answers twice, or the request was made before the capture.",
        "Nothing changes by it; a client must not show a friend for it.")
    case .unsolicitedUnsubscribe:
      FindingGuide(
        "“unsubscribe” ends a subscription or a request (RFC 6121 §3.3).",
        "The contact removed us twice, or its roster is another than what our server holds.",
        "Nothing changes by it.")
    case .unsolicitedUnsubscribed:
      FindingGuide(
        "“unsubscribed” refuses a request or ends a subscription (RFC 6121 §3.2).",
        "The contact refused twice, or its roster is another than what our server holds.",
        "Nothing changes by it.")
    case .preApproval:
      FindingGuide(
        "A server may offer to approve requests that have not come yet (RFC 6121 §3.4).",
        "A client that answers a request which was withdrawn, or that approves on purpose.",
        "Where it was not meant, look whether the client answers requests of an earlier "
          + "session.")
    case .wrongRefusal:
      FindingGuide(
        "A request is refused by “unsubscribed” (RFC 6121 §3.2.1); “unsubscribe” ends what we "
          + "see of the other.",
        "Two words that differ by a letter: a reject button that sends “unsubscribe”. The "
          + "request comes back at every login.",
        "Send “unsubscribed” to who asked.")
    case .requestForRequest:
      FindingGuide(
        "A request is accepted by “subscribed” (RFC 6121 §3.1.4); “subscribe” asks for the other "
          + "direction.",
        "The client of the one who was asked sends “subscribe” if its user accepts; or that user "
          + "added the other without answering the request.",
        "Accept the request, or ask the contact to accept ours. In the client, answer by "
          + "“subscribed” before asking back.")
    case .unshownAcceptance:
      FindingGuide(
        "Both servers show an accepted request in the roster and push it (RFC 6121 §3.1.5, "
          + "§3.1.6).",
        "The server no longer had the request; the answer went to a full or a wrong address; a "
          + "module that refuses or drops it.",
        "Look at the answer's address (rollcall show), and ask the contact to send the request "
          + "again.")
    case .returnedRequest:
      FindingGuide(
        "An answer ends a request at both servers (RFC 6121 §3.1.5, §3.2).",
        "The answer was lost on the way between two servers, or its sender asks again "
          + "whenever it logs in.",
        "Answer again; a client that shows each return as a new friend should know the "
          + "address.")
    case .friendLeft:
      FindingGuide(
        "Either side ends a subscription: “unsubscribed” takes back what the other one sees, "
          + "“unsubscribe” gives up what one sees (RFC 6121 §3.2, §3.3).",
        "The contact removed us from its roster, blocked us, or deleted its account.",
        "Nothing, if it was meant. A new request asks for it again; rollcall history has what the "
          + "contact sent before.")
    case .undeliveredRequest:
      FindingGuide(
        "A subscription stanza that cannot be delivered is answered with an error (RFC 6120 §8.3, "
          + "RFC 6121 §3.1.2).",
        "A mistyped domain, a server that is down or that does not accept ours, an account that "
          + "does not exist.",
        "Check the address. If it is wrong, cancel the request with “unsubscribe”, or remove the "
          + "contact; otherwise the server sends the request again at the next login.")
    case .deniedRequest:
      FindingGuide(
        "Who is asked may refuse (RFC 6121 §3.2).",
        "The contact did.",
        "Nothing is wrong: show it to who asked.")
    case .subscriptionLoop:
      FindingGuide(
        "Servers do not pass on what changes nothing (RFC 6121 appendix A), so that answers "
          + "to answers end.",
        "Two clients that accept and ask by themselves, or a bot that answers each "
          + "“unsubscribed” with a request.",
        "Stop one of them: act on what the roster shows, not on each stanza.")
    case .automaticAcceptance:
      FindingGuide(
        "Whether a request is granted is for a person to say (RFC 6121 §3.1.4). An answer within "
          + "half a second is a warning, within two seconds info.",
        "XMPPFramework's autoAcceptKnownPresenceSubscriptionRequests and its like, a bot, or "
          + "a client that accepts everybody.",
        "Look for the client's setting: with it, any stranger can see when you are online.")
    case .neglectedRequest:
      FindingGuide(
        "A server sends an open request again at each login, until it is answered (RFC 6121 "
          + "§3.1.3).",
        "Nobody looked; or the client showed the request once and forgot it.",
        "Keep open requests in the client, and ask for an answer.")
    // Presence and blocking
    case .uninvitedPresence:
      FindingGuide(
        "Presence comes from who we see, and directed presence from anybody (RFC 6121 §4.6).",
        "A bot, a stranger, or a contact that the server's roster has otherwise than ours. What "
          + "answers our own presence, such as a room that we enter, is none.",
        "Fetch the roster and compare, where it is a contact.")
    case .crowdedAddress:
      FindingGuide(
        "A contact has a resource for each device (RFC 6120 §2.1); no specification limits them.",
        "Somebody makes up resources to fill the memory of clients; a room or a gateway that shows "
          + "each of its members as a resource of one address.",
        "Look at the presence of that address with rollcall log. The newest resources are kept.")
    case .unshownPresence:
      FindingGuide(
        "After it has the roster, a client sends its first presence; the server then sends it the "
          + "presence of its contacts and open requests (RFC 6121 §2.2, §4.2).",
        "A client that was connected again and forgot its presence, or that sends it only while "
          + "the screen is on; a script needs none.",
        "Send available presence after the roster in each session that is not resumed.")
    case .malformedPresence:
      FindingGuide(
        "A presence has one show, of a closed list, and a priority from -128 to 127 (RFC 6121 "
          + "§4.7.2).",
        "A client that writes “online” or “available” as show, or an empty priority.",
        "Leave show out for somebody who is simply there.")
    case .foreignBlocking:
      FindingGuide(
        "Only the own server pushes the block list (XEP-0191 §3.3).",
        "Somebody tries to unblock himself, or to have others blocked.",
        "Make sure that your client ignores it.")
    }
  }
}
