extension ProtocolVocabulary {
  /// The namespaces of RFCs, XEPs and widespread programs, without a version number at the end.
  static let namespaces = """
    erlang-solutions.com:xmpp:token-auth eu.siacs.conversations.axolotl
    eu.siacs.conversations.axolotl.devicelist eu.siacs.conversations:http
    eu.siacs.conversations:http:upload google:jingleinfo google:mail:notify google:queue
    google:roster http://etherx.jabber.org/streams http://jabber.org/features/amp
    http://jabber.org/features/compress http://jabber.org/features/iq-auth
    http://jabber.org/features/iq-register http://jabber.org/network/serverinfo
    http://jabber.org/protocol/activity http://jabber.org/protocol/address
    http://jabber.org/protocol/amp http://jabber.org/protocol/amp#errors
    http://jabber.org/protocol/bytestreams http://jabber.org/protocol/caps
    http://jabber.org/protocol/chatstates http://jabber.org/protocol/commands
    http://jabber.org/protocol/compress http://jabber.org/protocol/compress/exi
    http://jabber.org/protocol/disco#info http://jabber.org/protocol/disco#items
    http://jabber.org/protocol/feature-neg http://jabber.org/protocol/files
    http://jabber.org/protocol/geoloc http://jabber.org/protocol/http-auth
    http://jabber.org/protocol/httpbind http://jabber.org/protocol/ibb
    http://jabber.org/protocol/jinglenodes http://jabber.org/protocol/jobs
    http://jabber.org/protocol/mimetype http://jabber.org/protocol/mood
    http://jabber.org/protocol/muc http://jabber.org/protocol/muc#admin
    http://jabber.org/protocol/muc#owner http://jabber.org/protocol/muc#register
    http://jabber.org/protocol/muc#request http://jabber.org/protocol/muc#roomconfig
    http://jabber.org/protocol/muc#roominfo http://jabber.org/protocol/muc#traffic
    http://jabber.org/protocol/muc#unique http://jabber.org/protocol/muc#user
    http://jabber.org/protocol/nick http://jabber.org/protocol/offline
    http://jabber.org/protocol/pubsub http://jabber.org/protocol/pubsub#errors
    http://jabber.org/protocol/pubsub#event http://jabber.org/protocol/pubsub#integer-or-max
    http://jabber.org/protocol/pubsub#meta-data http://jabber.org/protocol/pubsub#node_config
    http://jabber.org/protocol/pubsub#owner http://jabber.org/protocol/pubsub#publish-options
    http://jabber.org/protocol/pubsub#subscribe_authorization
    http://jabber.org/protocol/pubsub#subscribe_options http://jabber.org/protocol/rel
    http://jabber.org/protocol/rosterx http://jabber.org/protocol/rsm
    http://jabber.org/protocol/shim http://jabber.org/protocol/si
    http://jabber.org/protocol/si/profile/file-transfer
    http://jabber.org/protocol/si/profile/tree-transfer http://jabber.org/protocol/sipub
    http://jabber.org/protocol/tins http://jabber.org/protocol/tune
    http://jabber.org/protocol/url-data http://jabber.org/protocol/url-data/scheme/http
    http://jabber.org/protocol/waitinglist http://jabber.org/protocol/workgroup
    http://jabber.org/protocol/xdata-layout http://jabber.org/protocol/xdata-validate
    http://jabber.org/protocol/xhtml-im http://prosody.im/protocol/extpubsub
    http://www.google.com/talk/protocol/auth http://www.w3.org/1999/xhtml
    http://www.w3.org/1999/xlink http://www.w3.org/2000/09/xmldsig#
    http://www.w3.org/XML/1998/namespace http://www.xmpp.org/extensions
    http://www.xmpp.org/extensions/xep-0129.html#ns
    http://www.xmpp.org/extensions/xep-0200.html#ns
    http://www.xmpp.org/extensions/xep-0208.html#ns
    http://www.xmpp.org/extensions/xep-0219.html#ns jabber:client jabber:component:accept
    jabber:component:connect jabber:iq:agents jabber:iq:auth jabber:iq:browse jabber:iq:gateway
    jabber:iq:last jabber:iq:oob jabber:iq:pass jabber:iq:privacy jabber:iq:private
    jabber:iq:register jabber:iq:roster jabber:iq:rpc jabber:iq:search jabber:iq:time
    jabber:iq:version jabber:server jabber:server:dialback jabber:x:conference jabber:x:data
    jabber:x:delay jabber:x:encrypted jabber:x:event jabber:x:expire jabber:x:oob
    jabber:x:roster jabber:x:signed p1:push p1:pushed roster:delimiter storage:bookmarks
    storage:metacontacts storage:pubsubs storage:rosternotes
    urn:ietf:params:xml:ns:conference-info urn:ietf:params:xml:ns:vcard-4.0
    urn:ietf:params:xml:ns:xmpp-bind urn:ietf:params:xml:ns:xmpp-e2e
    urn:ietf:params:xml:ns:xmpp-framing urn:ietf:params:xml:ns:xmpp-sasl
    urn:ietf:params:xml:ns:xmpp-session urn:ietf:params:xml:ns:xmpp-stanzas
    urn:ietf:params:xml:ns:xmpp-streams urn:ietf:params:xml:ns:xmpp-tls urn:ietf:rfc
    urn:rollcall:removed urn:xmpp:ago urn:xmpp:archive urn:xmpp:atm urn:xmpp:attention
    urn:xmpp:avatar:data urn:xmpp:avatar:metadata urn:xmpp:bidi urn:xmpp:bind urn:xmpp:blocking
    urn:xmpp:blocking:errors urn:xmpp:bob urn:xmpp:bookmarks urn:xmpp:browsing
    urn:xmpp:call-invites urn:xmpp:caps urn:xmpp:captcha urn:xmpp:carbons
    urn:xmpp:channel-search urn:xmpp:chat-markers urn:xmpp:chatting urn:xmpp:cmr urn:xmpp:coin
    urn:xmpp:component urn:xmpp:content urn:xmpp:csi urn:xmpp:dataforms:softwareinfo
    urn:xmpp:decloak urn:xmpp:delay urn:xmpp:delegation urn:xmpp:dialback:errors
    urn:xmpp:domain-based-name urn:xmpp:dox urn:xmpp:eme urn:xmpp:errors urn:xmpp:esfs
    urn:xmpp:eventlog urn:xmpp:exi:cs urn:xmpp:extdisco urn:xmpp:fallback urn:xmpp:fast
    urn:xmpp:features:bidi urn:xmpp:features:dialback urn:xmpp:features:pre-approval
    urn:xmpp:features:rosterver urn:xmpp:file:metadata urn:xmpp:forward urn:xmpp:gaming
    urn:xmpp:hash-function-text-names urn:xmpp:hashes urn:xmpp:hats urn:xmpp:hints
    urn:xmpp:http:upload urn:xmpp:ibr-token urn:xmpp:idle urn:xmpp:incident urn:xmpp:invisible
    urn:xmpp:invite urn:xmpp:jid urn:xmpp:jingle urn:xmpp:jingle-message
    urn:xmpp:jingle:apps:dtls urn:xmpp:jingle:apps:file-transfer urn:xmpp:jingle:apps:rtp
    urn:xmpp:jingle:apps:rtp:errors urn:xmpp:jingle:apps:rtp:info
    urn:xmpp:jingle:apps:rtp:rtcp-fb urn:xmpp:jingle:apps:rtp:rtp-hdrext
    urn:xmpp:jingle:apps:rtp:ssma urn:xmpp:jingle:apps:rtp:zrtp urn:xmpp:jingle:apps:rtt-sync
    urn:xmpp:jingle:apps:xmlstream urn:xmpp:jingle:dtmf urn:xmpp:jingle:errors
    urn:xmpp:jingle:transfer urn:xmpp:jingle:transports:dtls-sctp
    urn:xmpp:jingle:transports:http urn:xmpp:jingle:transports:http:upload
    urn:xmpp:jingle:transports:ibb urn:xmpp:jingle:transports:ice
    urn:xmpp:jingle:transports:ice-udp urn:xmpp:jingle:transports:raw-udp
    urn:xmpp:jingle:transports:s5b urn:xmpp:jingle:transports:webrtc-datachannel
    urn:xmpp:jinglepub urn:xmpp:json urn:xmpp:langtrans urn:xmpp:langtrans:items
    urn:xmpp:locationquery urn:xmpp:mam urn:xmpp:mds:displayed urn:xmpp:media-element
    urn:xmpp:message-attaching urn:xmpp:message-correct urn:xmpp:message-moderate
    urn:xmpp:message-retract urn:xmpp:microblog urn:xmpp:mix:core
    urn:xmpp:mix:nodes:participants urn:xmpp:mix:pam urn:xmpp:mix:roster
    urn:xmpp:muc-token-invite urn:xmpp:muc:affiliations urn:xmpp:muc:conditions urn:xmpp:mux
    urn:xmpp:oauth urn:xmpp:oauth:0:errors urn:xmpp:occupant-id urn:xmpp:omemo urn:xmpp:ooo
    urn:xmpp:openpgp urn:xmpp:order-by urn:xmpp:pars urn:xmpp:pie urn:xmpp:ping
    urn:xmpp:privilege urn:xmpp:pubsub-filter urn:xmpp:push urn:xmpp:rap urn:xmpp:raproute
    urn:xmpp:reactions urn:xmpp:receipts urn:xmpp:reference urn:xmpp:register urn:xmpp:reply
    urn:xmpp:reporting urn:xmpp:reputation urn:xmpp:rtt urn:xmpp:sasl urn:xmpp:sasl-cb
    urn:xmpp:sasl:upgrade urn:xmpp:sce urn:xmpp:scram-upgrade urn:xmpp:sec-label
    urn:xmpp:sec-label:catalog urn:xmpp:sec-label:ess urn:xmpp:sec-label:pubsub
    urn:xmpp:sec-label:pubsub:errors urn:xmpp:serverinfo urn:xmpp:sfs urn:xmpp:sic urn:xmpp:sid
    urn:xmpp:sift urn:xmpp:sims urn:xmpp:sm urn:xmpp:spim-marker urn:xmpp:spim-report
    urn:xmpp:spoiler urn:xmpp:stream-limits urn:xmpp:styling urn:xmpp:thumbs urn:xmpp:time
    urn:xmpp:tm urn:xmpp:trust-messages urn:xmpp:vcard4 urn:xmpp:vcard:ca
    urn:xmpp:vcard:registration urn:xmpp:viewing urn:xmpp:webxdc urn:xmpp:xbosh
    urn:xmpp:xml-element vcard-temp vcard-temp-filter vcard-temp:x:update vcard:x:update
    """
}
