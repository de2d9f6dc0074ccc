extension ProtocolVocabulary {
  /// The local names of elements and attributes that RFCs and XEPs define.
  ///
  /// Those that reveal a person's mood or activity (XEP-0107, XEP-0108) are left out.
  static let names = """
    ADR AGENT BBS BDAY BINVAL CATEGORIES CELL CLASS CONFIDENTIAL CRED CTRY DESC DOM EMAIL EXTADR
    EXTVAL FAMILY FAX FN GEO GIVEN HOME INTERNET INTL ISDN JABBERID KEY KEYWORD LABEL LAT LINE
    LOCALITY LOGO LON MAILER MIDDLE MODEM MSG N NICKNAME NOTE NUMBER ORG ORGNAME ORGUNIT PAGER
    PARCEL PCODE PCS PHONETIC PHOTO POBOX POSTAL PREF PREFIX PRIVATE PRODID PUBLIC REGION REV
    ROLE SORT-STRING SOUND STREET SUFFIX TEL TITLE TYPE TZ UID URL USERID VERSION VIDEO VOICE
    WORK X400 a abort aborted abstract abuse accept access account-disabled accuracy ack
    acknowledged action actions activate activated active actor additional additional-data
    address addresses adr advanced affiliation affiliation-changed affiliations after agent
    agent-status agent-status-request ago agreement algo algorithm alignment allow allowed alt
    altaccuracy alternative-session always amp anchor anniversary annotate applied approved
    approver area array artist ask associate associated-aors attach-to attention attribute auth
    auth-param authenticate authentication authid author authorization-identifier authornote
    auto autojoin available available-media bad-action bad-format bad-locale
    bad-namespace-prefix bad-payload bad-profile bad-request bad-sessionid bandwidth banned base
    base64 basic bday bearing before begin bgcolor bidi bind block block-size blockSize blocked
    blocklist body boolean bound br building bundle busy by bytes c ca caladruri call-id
    call-info caluri cancel candidate candidate-error candidate-used captcha caption
    cascaded-focus cast catalog categories category cdate challenge changed channel
    channel-binding channel_name channels character_name character_profile charset charsets chat
    checksum cid cite city class client client-uses-full-bind-result clientpidmap clockrate
    close closed-node cmr code collection colspan command comment complete completed component
    composer composing compress compressed compression condition conf-uris conference
    conference-description conference-info conference-state configuration configuration-changed
    configuration-required configurationId configurationLocation configure confirm conflict
    conformance connection connection-timeout connectivity-error container content content-type
    contentType contentTypeReturned continue cookie copyright count counter country countrycode
    create creation creator credentials credentials-expired crypto crypto-required crypto-suite
    csi current-chats data datatype datatypeRepresentationMap date dateTime.iso8601 datum dd
    decline decloak default delay delegate delegated delegation delete delivered depart-queue
    dependencies desc description destination_lang destroy device devices dfn di dialback
    dictionary digest directory disable disassociate disconnection-info disconnection-method
    discuss display display-text displayed displaymarking disposition distrust div dl dns
    document domain double downloadSchema downloadSchemaResponse dstaddr dt dtmf
    duplicated-parameter duration e em email enable enabled encrypted encryption
    encryption-required end end_time endpoint engine entity entry envelope episode
    equivalentlabel error errors esssecuritylabel event exactmatch example execute expire
    expired expired-token expires expiry ext extensions facility failed failed-application
    failed-rules failed-transport failure fallback fast fault fburl feature
    feature-not-implemented features federation fgcolor field fieldref file file-not-available
    file-sharing file-too-large filename filter fin finality fingerprint finish first firstname
    floor fn for forbidden forwarded foundation free-text from from-tag fully-anonymous game
    gateway gathering-complete gender general-error generation genre geo geoloc get given gone
    group groupchat h handled-count-too-high handshake hash hash-used header headers height
    history hold hop hopcheck host host-gone host-info host-unknown hostname href html httpError
    i4 ice2 icon icondef id identity identity-category identity-type identityKey idle
    idle-seconds ik img impp improper-addressing inactive inactivity incompatible-parameters
    incorrect-encoding index info initial-response initials initiator inline inquiry
    instructions insufficient-clearance int interim internal-server-error invalid-authzid
    invalid-consumer-key invalid-crypto invalid-from invalid-id invalid-jid invalid-mechanism
    invalid-namespace invalid-nonce invalid-options invalid-payload invalid-rules
    invalid-signature invalid-subid invalid-token invalid-xml invalidContentType invalidUrl
    invalidate invisible invite ip iq isfocus item item-forbidden item-not-found item-required
    itemremove items iterations iv jabber jid jid-malformed jid-required jidlist jingle
    jinglepub join-queue join-time joining-info joining-method json keepAlive kex key key-owner
    key-params keys keywords kicked kind label labelsig lang language languages last lastcall
    lat latest legal length level li liability limits link list list-range locality localport
    location locationquery locked log logging-disabled logging-enabled logo lon lyricist mac
    malformed-action malformed-request malformed-url mark markable mav max max-age max-bytes
    max-chats max-file-size max-items-exceeded max-nodes-exceeded max-skew maxPacketLifeTime
    maxRetransmits max_items maxchars maximum-user-count maxkbps maxpause maxptime maxstanzas
    md5Hash mdate mechanism mechanism-too-weak mechanisms media media-error media-sharing
    media-type member message meta metacontacts metadata method methodCall methodName
    methodResponse migrated mime mime-type min mine misc missing-parameter missingSchema mobile
    mode moderate moderated modified module moved muc mute n name namespace negotiated network
    never new new-nick newkey next nick nick-assigned nickname no-copy no-permanent-store
    no-store no-valid-streams node nodeid-required non-anonymous not-acceptable not-allowed
    not-authorized not-in-roster-group not-subscribed not-well-formed note notification notify
    notify-agents notify-queue notify-queue-details ns num number numfiles oauth
    oauth_consumer_key oauth_nonce oauth_signature oauth_signature_method oauth_timestamp
    oauth_token oauth_version object occupant-id offer offer-accept offer-reject offer-revoke
    offline offline-messages offset ol old oldest on-mention oneshot open opt-in opt-out option
    optional options order ordered org origin-id os otr out-of-order p page param parameter
    parameters params password path pause paused payload payload-required payload-too-big
    payload-type payment-required pending-subscription per-hop performer perm permissions phone
    photo ping pinned pivotable pk pobox pointer policy policy-violation polling port position
    postalcode preKeyId preKeyPublic precondition-not-met pref preferences prefix prekey prekeys
    presence presence-in presence-out presence-subscription-required preserveComments
    preserveDTD preserveLexical preservePIs preservePrefixes prev previd previous primary
    priority private privilege privileged_iq probe proceed processing-failed prodid profile
    program_name program_type prompt propose protocol proxy proxy-error ptime publish
    publish-options publisher pubsub purge purpose push put pwd query queue-notifications
    queue-status r range rap rating reaction reactions realjid-public reason received recipient
    recipient-unavailable redirect reference referenced-stanza references referred regex region
    regioncode register registered registration registration-required registry reject rel-addr
    rel-port related relay remark remote-candidate remote-connection-failed remote-domain
    remote-server-not-found remote-server-timeout remoteport remove removed removed-affiliation
    removed-membership removed-shutdown replace report report-origin reported reportedref
    representAs request request-token requests required reset resource resource-constraint
    responder response restart restartlogic restrict restricted restricted-xml result resume
    resumed retract retracted retrieve retry retry-after rev reviewed revision revoke rid
    ringing role roles room room-created roster route rowspan rpad rtcp-fb rtcp-fb-trr-int
    rtcp-mux rtp-hdrext rtt rtt-sync rule salt sasl-channel-binding save schema schemaloc scheme
    score sctpmap sdp search seconds secs section section1 section2 section3 section4 secure
    security-error securitylabel see-other-host selector self-presence selfContained semantics
    semi-anonymous send-count sender senders sent seq server server-data server_address
    server_name serverinfo service service-unavailable service-uris services session
    session-expired session-params sessionWideBuffers sessionid set setup setup-failed
    setupResponse shell shortname show si sid sidebars-by-ref sidebars-by-val sift
    siftElementType sig signalstrength signedPreKeyId signedPreKeyPublic signedPreKeySignature
    since sip sipub size slot sm software sound source source_lang sources space spam span spec
    speed spk spks spoiler src src-id ssrc ssrc-group stackTrace stamp stanza stanza-id
    stanza-too-big stanzas start start_time starting starttls state status storage store stored
    stream streamEnd streamStart streamhost streamhost-used streams street strict string strong
    struct stun style sub subid subid-required subject subprogram_type subscribe
    subscribe-options subscription subscription-required subscriptions subtype success suffix
    summary supersededby supersedes surname sync-mode system-shutdown t table tag target
    targetns task task-data tasks tcptype td tel temporary-auth-failure text th third-party
    thread thumbnail tie-break time timeout timestamp tins title tls-0rtt to to-tag token
    token-required tokens too-many-recipients too-many-stanzas too-many-subscriptions topic tr
    track tracker transfer transfer-failed transfer-refused transferred translation transport
    tree trust trust-message tt ttl tune turn type tz tzo udpsuccess ufrag ul
    unacceptable-payload unacceptable-text unavailable-not-shown unavailable-shown unbind
    unblock unblocked undefined-abuse undefined-condition unexpected-request unhold unique
    unknown-sender unknown-session unmute unread-messages unset unsubscribe unsupported
    unsupported-access-model unsupported-actions unsupported-applications unsupported-codecs
    unsupported-conditions unsupported-encoding unsupported-feature unsupported-info
    unsupported-method unsupported-parameter unsupported-signature-method
    unsupported-stanza-type unsupported-transports unsupported-version until upgrade
    uploadSchema uri uris url url-data usage use user user-agent user-count user_comment
    user_rating username users utc vCard validate value valueMaxLength valuePartitionCapacity
    var vcard ver verify version visible volume w wait waitlist warranty web-page when whose
    width with wrapper x xep xml xmlns zip zrtp-hash
    """
}
