// Traffic that does not concern the roster.
extension CaptureMaker {
  mutating func show(_ number: Int, _ resource: Int) {
    let contact = contacts[number]
    put("<presence from='\(contact.wire)/")
    escape(contact.resources[resource])
    put("' to='\(Self.resource)'>")
    if chance.perMille(400) { put("<show>\(chance.pick(["away", "xa", "dnd", "chat"]))</show>") }
    if chance.perMille(300) {
      put("<status>")
      escape(chance.pick(Vocabulary.statuses))
      put("</status>")
    }
    if chance.perMille(500) { put("<priority>\(chance.below(60) - 5)</priority>") }
    putCaps(node: (number + resource) % Vocabulary.nodes.count)
    put("<x xmlns='vcard-temp:x:update'><photo>\(photo(number))</photo></x>")
    if chance.perMille(200) {
      put("<delay xmlns='urn:xmpp:delay' from='\(contact.jid)/")
      escape(contact.resources[resource])
      put("' stamp='2025-11-13T02:13:20Z'/><idle xmlns='urn:xmpp:idle:1' ")
      put("since='2025-11-13T02:03:20Z'/>")
    }
    put("</presence>")
    if !contacts[number].available.contains(resource) {
      contacts[number].available.append(resource)
    }
    end(.inbound)
  }

  private func photo(_ number: Int) -> String {
    var digits = Chance(seed: UInt64(number))
    return digits.hex(40)
  }

  mutating func changePresence() {
    guard let number = listedContact(where: { $0.subscription.seesThem }) else { return }
    let contact = contacts[number]
    guard chance.perMille(250), let gone = contact.available.last else {
      return show(number, chance.below(contact.resources.count))
    }
    put("<presence type='unavailable' from='\(contact.wire)/")
    escape(contact.resources[gone])
    put("' to='\(Self.resource)'><status>Disconnected</status></presence>")
    contacts[number].available.removeLast()
    end(.inbound)
  }

  /// A contact in the roster; nil if a few random picks find none that is wanted.
  mutating func listedContact(where isWanted: (Contact) -> Bool) -> Int? {
    for _ in 0..<20 {
      if let contact = listed.any(&chance), isWanted(contacts[contact]) { return contact }
    }
    return nil
  }

  mutating func chat() {
    guard let number = listed.any(&chance) else { return }
    let isInbound = chance.perMille(550)
    let message = id()
    putMessage(number, message, isInbound: isInbound)
    put("<body>")
    escape(sentence())
    put("</body><thread>\(chance.hex(32))</thread>")
    put("<active xmlns='http://jabber.org/protocol/chatstates'/>")
    put("<request xmlns='urn:xmpp:receipts'/><markable xmlns='urn:xmpp:chat-markers:0'/>")
    put("<origin-id xmlns='urn:xmpp:sid:0' id='\(message)'/>")
    if isInbound {
      put("<stanza-id xmlns='urn:xmpp:sid:0' by='\(Self.account)' id='\(chance.hex(16))'/>")
    }
    put("</message>")
    end(isInbound ? .inbound : .outbound)
    guard chance.perMille(600) else { return }
    putMessage(number, id(), isInbound: !isInbound)
    put("<received xmlns='urn:xmpp:receipts' id='\(message)'/>")
    put("<store xmlns='urn:xmpp:hints'/></message>")
    end(isInbound ? .outbound : .inbound)
  }

  private mutating func sentence() -> String {
    let source = chance.perMille(500) ? Vocabulary.chinese : Vocabulary.latin
    var text = chance.pick(source)
    let comma = source == Vocabulary.latin ? ", " : "，"
    while chance.perMille(600) { text += comma + chance.pick(source) }
    return text
  }

  private mutating func putMessage(_ number: Int, _ id: String, isInbound: Bool) {
    let contact = contacts[number]
    if isInbound {
      put("<message type='chat' id='\(id)' to='\(Self.resource)' from='\(contact.jid)/")
      escape(contact.resources[0])
      put("'>")
    } else {
      put("<message type=\"chat\" id=\"\(id)\" to=\"\(contact.jid)\">")
    }
  }

  mutating func type() {
    guard let number = listed.any(&chance) else { return }
    putMessage(number, id(), isInbound: true)
    let word = chance.pick(["composing", "paused"])
    put(
      "<\(word) xmlns='http://jabber.org/protocol/chatstates'/><no-store xmlns='urn:xmpp:hints'/>")
    put("</message>")
    end(.inbound)
  }

  mutating func ping() {
    let ping = id()
    put("<iq type='get' id='\(ping)' from='example.test' to='\(Self.resource)'>")
    put("<ping xmlns='urn:xmpp:ping'/></iq>")
    end(.inbound)
    put("<iq type=\"result\" id=\"\(ping)\" to=\"example.test\"/>")
    end(.outbound)
  }

  mutating func countStanzas() {
    put("<r xmlns='urn:xmpp:sm:3'/>")
    end(.inbound)
    put("<a xmlns=\"urn:xmpp:sm:3\" h=\"\(buffer.ends.count)\"/>")
    end(.outbound)
  }

  mutating func discover() {
    guard let number = listedContact(where: { !$0.available.isEmpty }) else { return }
    let contact = contacts[number]
    let disco = id()
    put("<iq type=\"get\" id=\"\(disco)\" to=\"\(contact.jid)/")
    escape(contact.resources[0])
    put("\"><query xmlns=\"http://jabber.org/protocol/disco#info\"/></iq>")
    end(.outbound)
    put("<iq type='result' id='\(disco)' to='\(Self.resource)' from='\(contact.jid)/")
    escape(contact.resources[0])
    put("'>")
    putFeatures("client", "phone")
    put("</iq>")
    end(.inbound)
  }

  mutating func fetchCard() {
    guard let number = listed.any(&chance) else { return }
    let contact = contacts[number]
    let get = id()
    put("<iq type=\"get\" id=\"\(get)\" to=\"\(contact.jid)\"><vCard xmlns=\"vcard-temp\"/></iq>")
    end(.outbound)
    put("<iq type='result' id='\(get)' to='\(Self.resource)' from='\(contact.jid)'>")
    put("<vCard xmlns='vcard-temp'><FN>")
    escape(contact.names[0])
    put("</FN><NICKNAME>")
    escape(contact.names[1])
    put("</NICKNAME><PHOTO><TYPE>image/png</TYPE><BINVAL>")
    buffer.put(chance.base64(bytes: 2000 + chance.below(6000)))
    put("</BINVAL></PHOTO></vCard></iq>")
    end(.inbound)
  }

  mutating func publishNick() {
    guard let number = listed.any(&chance) else { return }
    put("<message from='\(contacts[number].jid)' to='\(Self.resource)'>")
    put("<event xmlns='http://jabber.org/protocol/pubsub#event'>")
    put("<items node='http://jabber.org/protocol/nick'><item id='current'>")
    put("<nick xmlns='http://jabber.org/protocol/nick'>")
    escape(chance.pick(contacts[number].names))
    put("</nick></item></items></event></message>")
    end(.inbound)
  }

  /// Writes a push from a stranger (CVE-2015-8688), which must change nothing.
  mutating func forgePush() {
    guard let number = listed.any(&chance) else { return }
    put("<iq type='set' id='\(id())' from='mallory@evil.example.test/x' to='\(Self.resource)'>")
    put("<query xmlns='jabber:iq:roster'><item jid='\(contacts[number].jid)'")
    put(" subscription='remove'/></query></iq>")
    end(.inbound)
  }

  mutating func block() {
    put("<iq type='set' id='\(id())' to='\(Self.resource)'><block xmlns='urn:xmpp:blocking'>")
    put("<item jid='\(contacts[chance.below(contacts.count)].jid)'/></block></iq>")
    end(.inbound)
  }
}
