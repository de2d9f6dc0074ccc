/// The places of a message, and of what belongs to one, where a client shows what a person wrote,
/// the name or the address of a file, or its bytes.
package enum MessagePlaces {
  /// A word that no specification has.
  package static let word = "Zq7Marker"
  /// The same in Base64, at each alignment, without the ends that depend on the neighbors.
  package static let encodedWords = ["WnE3TWFya2Vy", "pxN01hcmtlc", "acTdNYXJrZX"]

  /// The payloads of a message.
  package static let payloads: [String] = [
    "<body>\(word)</body>", "<subject>\(word)</subject>", "<thread>\(word)</thread>",
    "<thread parent='t'>\(word)</thread>", "<body xml:lang='de'>\(word)</body>",
    "<html xmlns='http://jabber.org/protocol/xhtml-im'><body xmlns='http://www.w3.org/1999/xhtml'>"
      + "<p title='\(word)'>\(word)</p><img src='https://\(word).test/x'/></body></html>",
    "<x xmlns='jabber:x:oob'><url>https://\(word).test/x</url><desc>\(word)</desc></x>",
    "<file-sharing xmlns='urn:xmpp:sfs:0'><file xmlns='urn:xmpp:file:metadata:0'>"
      + "<name>\(word)</name><desc>\(word)</desc><size>\(word)</size>"
      + "<hash xmlns='urn:xmpp:hashes:2' algo='sha-256'>\(word)</hash>"
      + "<thumbnail xmlns='urn:xmpp:thumbs:1' uri='cid:\(word)'/></file><sources>"
      + "<url-data xmlns='http://jabber.org/protocol/url-data' target='https://a.test/\(word)'/>"
      + "</sources></file-sharing>",
    "<reference xmlns='urn:xmpp:reference:0' type='data' uri='https://a.test/\(word)'>"
      + "<media-sharing xmlns='urn:xmpp:sims:1'>"
      + "<file xmlns='urn:xmpp:jingle:apps:file-transfer:5'><name>\(word)</name><desc>\(word)</desc>"
      + "<size>\(word)</size><hash xmlns='urn:xmpp:hashes:2' algo='sha-1'>\(word)</hash></file>"
      + "<sources><reference xmlns='urn:xmpp:reference:0' type='data' uri='https://a.test/\(word)'/>"
      + "</sources></media-sharing></reference>",
    "<data xmlns='urn:xmpp:bob' cid='sha1+\(word)@bob.xmpp.org' type='image/png'>"
      + "\(encodedWords[0])</data>",
    "<subject>ImageMessage</subject><body>ImageMessage</body>"
      + "<ImageMessage>\(encodedWords[0])</ImageMessage>"
      + "<XMPPElementImageMessage>\(word)</XMPPElementImageMessage>",
    "<subject>VoiceMessage</subject><body>\(encodedWords[0])</body>",
    "<spoiler xmlns='urn:xmpp:spoiler:0'>\(word)</spoiler><body>x</body>",
    "<reactions xmlns='urn:xmpp:reactions:0' id='1'><reaction>\(word)</reaction></reactions>",
    "<retract xmlns='urn:xmpp:message-retract:1' id='1'><reason>\(word)</reason></retract>",
    "<apply-to xmlns='urn:xmpp:fasten:0' id='1'><moderated xmlns='urn:xmpp:message-moderate:0'>"
      + "<retract xmlns='urn:xmpp:message-retract:0'/><reason>\(word)</reason></moderated></apply-to>",
    "<retract xmlns='urn:xmpp:message-retract:1' id='1'>"
      + "<moderated xmlns='urn:xmpp:message-moderate:1'/><reason>\(word)</reason></retract>",
    "<x xmlns='http://jabber.org/protocol/muc#user'><invite from='carol@c.test'>"
      + "<reason>\(word)</reason></invite></x>",
    "<x xmlns='jabber:x:conference' jid='room@c.test' reason='\(word)'/>",
    "<delay xmlns='urn:xmpp:delay' stamp='2026-01-01T00:00:00Z'>\(word)</delay><body>x</body>",
    "<unknown xmlns='urn:example:unknown'><text>\(word)</text></unknown><body>x</body>",
  ]

  /// What belongs to messages and is an iq.
  package static let queries: [String] = [
    "<iq type='get' id='u1' to='upload.a.test'><request xmlns='urn:xmpp:http:upload:0' "
      + "filename='\(word).png' size='7' content-type='image/png'/></iq>",
    "<iq type='result' id='u1' from='upload.a.test'><slot xmlns='urn:xmpp:http:upload:0'>"
      + "<put url='https://a.test/put/\(word)'/><get url='https://a.test/get/\(word)'/></slot></iq>",
    "<iq type='result' id='u2' from='bob@b.test/x'><data xmlns='urn:xmpp:bob' "
      + "cid='sha1+\(word)@bob.xmpp.org' type='image/png'>\(encodedWords[0])</data></iq>",
    "<iq type='set' id='u3' from='bob@b.test/x'><query xmlns='jabber:iq:oob'>"
      + "<url>https://a.test/\(word)</url><desc>\(word)</desc></query></iq>",
    "<iq type='set' id='u4' from='bob@b.test/x'><data xmlns='http://jabber.org/protocol/ibb' "
      + "seq='0' sid='s'>\(encodedWords[0])</data></iq>",
  ]

  /// Whether a text has the word, plain or in Base64.
  package static func leaks(_ text: String) -> Bool {
    text.contains(word) || encodedWords.contains { text.contains($0) }
  }
}
