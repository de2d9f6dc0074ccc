/// Places of secrets in XMPP: elements with a marker wherever a value must be removed.
package enum SecretPlaces {
  private static let sasl = "urn:ietf:params:xml:ns:xmpp-sasl"

  /// Elements with `S3CRET` in every place that must be emptied, and `keep` where nothing may be
  /// removed.
  package static let elements =
    [
      "<auth xmlns='\(sasl)' mechanism='keep'>S3CRET</auth>",
      "<auth xmlns='\(sasl)' mechanism='keep'><![CDATA[S3CRET]]></auth>",
      "<response xmlns='\(sasl)'>S3CRET<keep-not>S3CRET</keep-not></response><!--keep-->",
      "<challenge xmlns='\(sasl)'>S3CRET</challenge>", "<success xmlns='\(sasl)'>S3CRET</success>",
      """
      <authenticate xmlns='urn:xmpp:sasl:2' mechanism='keep'>\
      <initial-response>S3CRET</initial-response><user-agent id='keep'/></authenticate>
      """,
      "<response xmlns='urn:xmpp:sasl:2'>S3CRET</response>",
      "<challenge xmlns='urn:xmpp:sasl:2'>S3CRET</challenge>",
      """
      <success xmlns='urn:xmpp:sasl:2'><additional-data>S3CRET</additional-data>\
      <authorization-identifier>keep@a.test</authorization-identifier>\
      <token xmlns='urn:xmpp:fast:0' expiry='keep' token='S3CRET'/></success>
      """,
      "<continue xmlns='urn:xmpp:sasl:2'><additional-data>S3CRET</additional-data></continue>",
      """
      <iq><query xmlns='jabber:iq:auth'><username>keep</username><password>S3CRET</password>\
      <digest>S3CRET</digest><resource>keep</resource></query></iq>
      """,
      """
      <iq><query xmlns='jabber:iq:register'><username>keep</username><password>S3CRET</password>\
      <email>S3CRET</email><misc>S3CRET</misc></query></iq>
      """,
      """
      <iq><query xmlns='jabber:iq:register'><x xmlns='jabber:x:data' type='submit'>\
      <field var='FORM_TYPE'><value>keep</value></field>\
      <field var='username'><value>keep</value></field>\
      <field var='pin'><value>S3CRET</value></field></x></query></iq>
      """,
      """
      <iq><command xmlns='http://jabber.org/protocol/commands'><x xmlns='jabber:x:data'>\
      <field var='accountjid'><value>keep</value></field>\
      <field var='Password-verify'><value>S3CRET</value><value>S3CRET</value></field>\
      <field type='text-private' var='x'><value>S3CRET</value></field></x></command></iq>
      """,
      """
      <presence to='keep'><x xmlns='http://jabber.org/protocol/muc'><password>S3CRET</password>\
      </x></presence>
      """,
      "<iq><x xmlns='u' PassWord='S3CRET' other='keep'><password>S3CRET</password></x></iq>",
      """
      <message><sent xmlns='urn:xmpp:carbons:2'><forwarded xmlns='urn:xmpp:forward:0'>\
      <message xmlns='jabber:client'><body>keep</body>\
      <x xmlns='jabber:x:conference' jid='keep' password='S3CRET'/></message></forwarded></sent>\
      </message>
      """,
      """
      <iq><pubsub xmlns='http://jabber.org/protocol/pubsub'><items node='keep'><item id='keep'>\
      <conference xmlns='urn:xmpp:bookmarks:1' name='keep'><password>S3CRET</password></conference>\
      </item></items></pubsub></iq>
      """,
      """
      <iq><query xmlns='jabber:iq:private'><storage xmlns='storage:bookmarks'>\
      <conference jid='keep'><nick>keep</nick><password>S3CRET</password></conference></storage>\
      </query></iq>
      """,
      "<handshake xmlns='jabber:component:accept'>S3CRET</handshake>",
      "<handshake>S3CRET</handshake>",
      """
      <iq><services xmlns='urn:xmpp:extdisco:2'><service host='keep' username='keep' \
      password='S3CRET'/></services></iq>
      """,
      """
      <iq><slot xmlns='urn:xmpp:http:upload:0'><put url='keep'><header name='Authorization'>\
      S3CRET</header></put></slot></iq>
      """,
    ] + later + invitations + encryptedFiles + requestsToConfirm

  /// Places in other extensions, old and new.
  private static let later = [
    "<next xmlns='urn:xmpp:sasl:1' task='keep'>S3CRET</next>",
    "<task-data xmlns='urn:xmpp:sasl:2'>S3CRET</task-data>",
    "<success xmlns='urn:xmpp:sasl:1'><additional-data>S3CRET</additional-data></success>",
    "<response xmlns='urn:example:own-sasl:7'>S3CRET</response>",
    "<initial-response xmlns='urn:example:authentication'>S3CRET</initial-response>",
    """
    <iq><pubsub xmlns='http://jabber.org/protocol/pubsub'><publish-options>\
    <x xmlns='jabber:x:data' type='submit'><field var='FORM_TYPE'><value>keep</value></field>\
    <field var='secret'><value>S3CRET</value></field></x></publish-options></pubsub></iq>
    """,
    """
    <iq><query xmlns='http://jabber.org/protocol/muc#owner'><x xmlns='jabber:x:data'>\
    <field var='muc#roomconfig_roomname'><value>keep</value></field>\
    <field var='muc#roomconfig_roomsecret'><value>S3CRET</value></field>\
    <field var='passwd'><value>S3CRET</value></field>\
    <field var='otp'><value>S3CRET</value></field></x></query></iq>
    """,
    """
    <iq><items xmlns='erlang-solutions.com:xmpp:token-auth:0'>\
    <access_token>S3CRET</access_token><refresh_token>S3CRET</refresh_token></items></iq>
    """,
    "<iq><preauth xmlns='urn:xmpp:pars:0' token='S3CRET'/></iq>",
    "<presence type='subscribe'><preauth xmlns='urn:xmpp:pars:0' token='S3CRET'/></presence>",
    """
    <iq><command xmlns='http://jabber.org/protocol/commands'><x xmlns='jabber:x:data'>\
    <field var='uri'><value>xmpp:keep@a.test?register;preauth=S3CRET;name=keep</value></field>\
    <field var='landing-url'><value>https://keep.test/invite?S3CRET</value></field>\
    </x></command></iq>
    """,
    """
    <message><x xmlns='jabber:x:oob'><url>https://keep.test/f?v=keep&amp;X-Amz-Signature=S3CRET\
    &amp;z=keep</url></x></message>
    """,
    """
    <iq><slot xmlns='urn:xmpp:http:upload:0'><put url='https://keep.test/a?v=S3CRET'/>\
    <get url='https://keep.test/a'/></slot></iq>
    """,
    """
    <iq><slot xmlns='eu:siacs:conversations:http:upload'><put>https://keep.test/a?S3CRET</put>\
    <get>https://keep.test/a</get></slot></iq>
    """,
    """
    <iq><jingle xmlns='urn:xmpp:jingle:1' sid='keep'><content><transport \
    xmlns='urn:xmpp:jingle:transports:ice-udp:1' ufrag='keep' pwd='S3CRET'/></content></jingle></iq>
    """,
    """
    <iq><description xmlns='urn:xmpp:jingle:apps:rtp:1'><encryption><crypto tag='keep' \
    key-params='inline:S3CRET'/></encryption></description></iq>
    """,
    """
    <iq><pubsub xmlns='http://jabber.org/protocol/pubsub'><publish node='keep'><item>\
    <secretkey xmlns='urn:xmpp:openpgp:0'>S3CRET</secretkey></item></publish></pubsub></iq>
    """,
    """
    <message><encrypted xmlns='urn:xmpp:esfs:0' cipher='keep'><key>S3CRET</key><iv>S3CRET</iv>\
    </encrypted></message>
    """,
    """
    <presence to='keep'><oauth xmlns='urn:xmpp:oauth:0'><oauth_nonce>keep</oauth_nonce>\
    <oauth_signature>S3CRET</oauth_signature><oauth_token>S3CRET</oauth_token></oauth></presence>
    """,
    "<db:result xmlns:db='jabber:server:dialback' from='keep' to='keep'>S3CRET</db:result>",
    "<db:verify xmlns:db='jabber:server:dialback' id='keep'>S3CRET</db:verify>",
    "<enabled xmlns='urn:xmpp:sm:3' id='S3CRET' resume='keep'/>",
    "<resume xmlns='urn:xmpp:sm:2' previd='S3CRET' h='keep'/>",
    """
    <success xmlns='urn:xmpp:sasl:2'><bound xmlns='urn:xmpp:bind:0'>\
    <enabled xmlns='urn:xmpp:sm:3' id='S3CRET'/></bound></success>
    """,
    """
    <body xmlns='http://jabber.org/protocol/httpbind' rid='keep' sid='S3CRET' key='S3CRET'/>
    """,
    "<iq><x xmlns='u' photo-url='https://keep.test/f?token=S3CRET'/></iq>",
    "<iq><fileUrl xmlns='u'>https://keep.test/f?sig=S3CRET</fileUrl></iq>",
    "<iq><x xmlns='u' redirect_uri='https://keep.test/?next=https://b.test/?token=S3CRET'/></iq>",
    "<iq><x xmlns='jabber:x:oob'><url>https://keep:S3CRET@keep.test/f</url></x></iq>",
    "<iq><x xmlns='jabber:x:oob'><url>https://a.test/?token=\u{301}S3CRET</url></x></iq>",
    """
    <iq><x xmlns='jabber:x:data'><field var='keep'><value token='S3CRET'>keep\
    <password xmlns='u'>S3CRET</password></value></field></x></iq>
    """,
    """
    <iq><password xmlns='u'><removed xmlns='urn:rollcall:removed:0' x='S3CRET'/></password></iq>
    """,
    "<resume xmlns='urn:xmpp:sm:3' previd='urn:rollcall:removed:0#S3CRET'/>",
    "<iq><x xmlns='u' token='S3CRET' client_secret='S3CRET' ApiKey='S3CRET' id='keep'/></iq>",
  ]

  /// In the address of a landing page, everything but the scheme and the host can be the
  /// invitation.
  private static let invitations = [
    """
    <iq><command xmlns='http://jabber.org/protocol/commands' node='urn:xmpp:invite#invite'>\
    <x xmlns='jabber:x:data' type='result'>\
    <field var='uri'><value>xmpp:keep@a.test?roster;preauth=S3CRET;ibr=keep</value></field>\
    <field var='landing-url'><value>https://keep.test/S3CRET/x</value></field></x></command></iq>
    """,
    """
    <iq><command xmlns='http://jabber.org/protocol/commands' node='urn:xmpp:invite#create-account'>\
    <x xmlns='jabber:x:data'><field var='url'><value> HTTPS://u:p@keep.test:8443/i#S3CRET\
    </value></field><field var='name'><value>keep</value></field></x></command></iq>
    """,
    "<iq><x xmlns='jabber:x:data'><field var='landing_page'><value>S3CRET</value></field></x></iq>",
    """
    <message><invite xmlns='urn:xmpp:invite:0'><uri>xmpp:keep.test?register;preauth=S3CRET</uri>\
    <landing-url>https://keep.test/S3CRET</landing-url></invite></message>
    """,
    "<message><invite xmlns='u' page-url='http://keep.test/i/S3CRET'>keep</invite></message>",
    "<message><invitation xmlns='u'>https://keep.test?S3CRET</invitation></message>",
    """
    <message><x xmlns='urn:example:invites'><href>https://[2001:db8::1]:80/S3CRET</href></x>\
    </message>
    """,
    """
    <message><x xmlns='jabber:x:oob'><url>https://keep.test/i/#keep@a.test?preauth=S3CRET</url></x>\
    </message>
    """,
  ]

  /// The key of an encrypted file is in the fragment of its address, wherever that appears.
  private static let encryptedFiles = [
    "<message><body>aesgcm://keep.test/keep.jpg#S3CRET</body></message>",
    "<message><body>keep: AesGCM://keep.test/a?keep#S3CRET keep&#10;keep#keep</body></message>",
    "<message><body>aes<![CDATA[gcm://keep.test/&#S3CRET]]></body></message>",
    """
    <message><body>aesgcm:keep aesgcm://keep.test/a#S3CRET&#10;aesgcm://keep.test/b#S3CRET</body>\
    <x xmlns='jabber:x:oob'><url>aesgcm://keep.test/a#S3CRET</url></x></message>
    """,
    """
    <message><html xmlns='http://jabber.org/protocol/xhtml-im'><body \
    xmlns='http://www.w3.org/1999/xhtml'><a href='aesgcm://keep.test/a#S3CRET'>keep</a></body>\
    </html></message>
    """,
    """
    <message><sources xmlns='urn:xmpp:sfs:0'><url-data xmlns='http://jabber.org/protocol/url-data' \
    target='aesgcm://keep.test/a#S3CRET'/></sources></message>
    """,
  ]

  /// XEP-0070: the ids that people read and compare are short, so a digest of one could be guessed.
  private static let requestsToConfirm = [
    """
    <iq type='get'><confirm xmlns='http://jabber.org/protocol/http-auth' id='S3CRET' method='keep' \
    url='https://u:S3CRET@keep.test:9345/keep.html?session=S3CRET'/></iq>
    """,
    """
    <message><thread>keep</thread><body>keep “S3CRET”，keep号S3CRET (S3CRET)</body>\
    <confirm xmlns='http://jabber.org/protocol/http-auth' id='S3CRET' method='keep' url='keep'/>\
    </message>
    """,
    """
    <message><forwarded xmlns='urn:xmpp:forward:0'><message xmlns='jabber:client'>\
    <confirm xmlns='http://jabber.org/protocol/http-auth' id='S3CRET'/><body>keep S3CRET.</body>\
    </message></forwarded></message>
    """,
  ]
}
