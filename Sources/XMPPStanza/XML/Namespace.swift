/// The XML namespaces that Rollcall interprets.
package enum Namespace {
  /// Of the marks in place of what a record lacks: a credential, or the text of a message.
  package static let removed = "urn:rollcall:removed:0"
  package static let xml = "http://www.w3.org/XML/1998/namespace"
  package static let client = "jabber:client"
  /// RFC 6120 §4.8.2.
  package static let streams = "http://etherx.jabber.org/streams"
  package static let sasl = "urn:ietf:params:xml:ns:xmpp-sasl"
  /// XEP-0388.
  package static let sasl2 = "urn:xmpp:sasl:2"
  /// XEP-0484.
  package static let fast = "urn:xmpp:fast:0"
  package static let bind = "urn:ietf:params:xml:ns:xmpp-bind"
  /// XEP-0386.
  package static let bind2 = "urn:xmpp:bind:0"
  package static let stanzaErrors = "urn:ietf:params:xml:ns:xmpp-stanzas"
  package static let streamErrors = "urn:ietf:params:xml:ns:xmpp-streams"
  /// RFC 6121 §2.
  package static let roster = "jabber:iq:roster"
  /// RFC 6121 §2.6.1.
  package static let rosterVersioning = "urn:xmpp:features:rosterver"
  /// RFC 6121 §3.4.
  package static let preApproval = "urn:xmpp:features:pre-approval"
  /// XEP-0198.
  package static let streamManagement = "urn:xmpp:sm:3"
  package static let streamManagement2 = "urn:xmpp:sm:2"
  /// XEP-0191.
  package static let blocking = "urn:xmpp:blocking"
  /// XEP-0172.
  package static let nick = "http://jabber.org/protocol/nick"
  /// XEP-0203, and its predecessor XEP-0091.
  package static let delay = "urn:xmpp:delay"
  /// XEP-0045.
  package static let muc = "http://jabber.org/protocol/muc"
  package static let mucUser = "http://jabber.org/protocol/muc#user"
  package static let pubsub = "http://jabber.org/protocol/pubsub"
  package static let pubsubEvent = "http://jabber.org/protocol/pubsub#event"
  /// XEP-0054.
  package static let vCard = "vcard-temp"
  /// XEP-0292; also the name of the node at which it is published.
  package static let vCard4 = "urn:ietf:params:xml:ns:vcard-4.0"
  /// XEP-0292 §3.
  package static let vCard4Node = "urn:xmpp:vcard4"
  /// XEP-0077.
  package static let register = "jabber:iq:register"
  /// XEP-0078.
  package static let legacyAuth = "jabber:iq:auth"
  /// XEP-0004.
  package static let dataForms = "jabber:x:data"
  /// XEP-0114.
  package static let component = "jabber:component:accept"
}
