package import XMPPStanza

// The namespaces that only conversations need.
extension Namespace {
  /// XEP-0280.
  static let carbons = "urn:xmpp:carbons:2"
  /// XEP-0297.
  static let forward = "urn:xmpp:forward:0"
  /// XEP-0313 in the versions that are in use; all have the same elements.
  static let archives = ["urn:xmpp:mam:2", "urn:xmpp:mam:1", "urn:xmpp:mam:0"]
  /// XEP-0059.
  static let resultSets = "http://jabber.org/protocol/rsm"
  /// XEP-0359.
  package static let stanzaIDs = "urn:xmpp:sid:0"
  /// XEP-0091, the predecessor of XEP-0203.
  static let legacyDelay = "jabber:x:delay"
  /// XEP-0184.
  package static let receipts = "urn:xmpp:receipts"
  /// XEP-0333.
  package static let markers = "urn:xmpp:chat-markers:0"
  /// XEP-0490.
  static let displayedSync = "urn:xmpp:mds:displayed:0"
  /// XEP-0308.
  package static let correction = "urn:xmpp:message-correct:0"
  /// XEP-0424.
  static let retraction = "urn:xmpp:message-retract:1"
  static let retraction0 = "urn:xmpp:message-retract:0"
  /// XEP-0425.
  static let moderation = "urn:xmpp:message-moderate:1"
  static let moderation0 = "urn:xmpp:message-moderate:0"
  /// XEP-0422.
  static let fastening = "urn:xmpp:fasten:0"
  /// XEP-0444.
  static let reactions = "urn:xmpp:reactions:0"
  /// XEP-0461.
  static let reply = "urn:xmpp:reply:0"
  /// XEP-0428.
  package static let fallback = "urn:xmpp:fallback:0"
  /// XEP-0428, also by the name of its draft, which Movim, Converse.js and slixmpp still send.
  static let fallbacks = [fallback, "urn:xmpp:feature-fallback:0"]
  /// XEP-0066.
  package static let outOfBand = "jabber:x:oob"
  /// XEP-0447.
  package static let fileSharing = "urn:xmpp:sfs:0"
  /// XEP-0367.
  static let attaching = "urn:xmpp:message-attaching:1"
  /// XEP-0446.
  package static let fileMetadata = "urn:xmpp:file:metadata:0"
  /// XEP-0385.
  static let inlineMedia = "urn:xmpp:sims:1"
  /// XEP-0234, whose description of a file XEP-0385 uses.
  static let jingleFile = "urn:xmpp:jingle:apps:file-transfer:5"
  /// XEP-0372.
  static let references = "urn:xmpp:reference:0"
  /// XEP-0448.
  static let encryptedFile = "urn:xmpp:esfs:0"
  /// XEP-0264.
  static let thumbnails = "urn:xmpp:thumbs:1"
  /// XEP-0103.
  package static let urlData = "http://jabber.org/protocol/url-data"
  /// XEP-0300.
  package static let hashes = "urn:xmpp:hashes:2"
  /// XEP-0363.
  package static let upload = "urn:xmpp:http:upload:0"
  /// XEP-0231.
  static let bitsOfBinary = "urn:xmpp:bob"
  /// XEP-0071.
  static let formattedText = "http://jabber.org/protocol/xhtml-im"
  /// XEP-0380.
  static let encryption = "urn:xmpp:eme:0"
  /// XEP-0384 in its versions.
  static let omemo = ["eu.siacs.conversations.axolotl", "urn:xmpp:omemo:2", "urn:xmpp:omemo:1"]
  /// XEP-0373 and XEP-0027.
  static let openPGP = "urn:xmpp:openpgp:0"
  static let legacyPGP = "jabber:x:encrypted"
  /// XEP-0421.
  static let occupantID = "urn:xmpp:occupant-id:0"
  /// XEP-0249.
  static let directInvitation = "jabber:x:conference"
  /// XEP-0334.
  package static let hints = "urn:xmpp:hints"
  /// XEP-0084.
  package static let avatarMetadata = "urn:xmpp:avatar:metadata"
  package static let avatarData = "urn:xmpp:avatar:data"
  /// XEP-0153.
  static let avatarUpdate = "vcard-temp:x:update"
}
