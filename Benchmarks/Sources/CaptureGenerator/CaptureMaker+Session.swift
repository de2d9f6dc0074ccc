// The beginning and the end of a session.
extension CaptureMaker {
  mutating func closeSession() {
    put("<presence type=\"unavailable\"/>")
    for index in contacts.indices { contacts[index].available = [] }
    end(.outbound)
    stream("closed", jid: nil)
    buffer.time += 600_000 + chance.below(20_000_000)
  }

  mutating func openSession(isFirst: Bool) {
    stream("opened", jid: Self.resource)
    askServer()
    fetchRoster(isFirst: isFirst)
    if !isFirst { catchUp() }
    put("<presence><priority>5</priority>")
    putCaps(node: 0)
    put("</presence>")
    // The server repeats open requests after initial presence, unless another device has answered.
    for contact in incoming.members {
      incoming.remove(contact)
      unconfirmed.insert(contact)
    }
    end(.outbound)
    for contact in unconfirmed.members.sorted() where !chance.perMille(60) {
      receiveRequest(of: contact)
    }
    for contact in listed.members.sorted()
    where contacts[contact].subscription.seesThem && chance.perMille(150) {
      for resource in contacts[contact].resources.indices { show(contact, resource) }
    }
  }

  private mutating func askServer() {
    let disco = id()
    put("<iq type=\"get\" id=\"\(disco)\" to=\"example.test\">")
    put("<query xmlns=\"http://jabber.org/protocol/disco#info\"/></iq>")
    end(.outbound)
    put("<iq type='result' id='\(disco)' from='example.test' to='\(Self.resource)'>")
    putFeatures("server", "im")
    put("</iq>")
    end(.inbound)
    let carbons = id()
    put("<iq type=\"set\" id=\"\(carbons)\"><enable xmlns=\"urn:xmpp:carbons:2\"/></iq>")
    end(.outbound)
    put("<iq type='result' id='\(carbons)' to='\(Self.resource)'/>")
    end(.inbound)
    let blocks = id()
    put("<iq type=\"get\" id=\"\(blocks)\"><blocklist xmlns=\"urn:xmpp:blocking\"/></iq>")
    end(.outbound)
    put("<iq type='result' id='\(blocks)' to='\(Self.resource)'>")
    put("<blocklist xmlns='urn:xmpp:blocking'><item jid='spam.example.test'/></blocklist></iq>")
    end(.inbound)
  }

  /// Fetches the roster: whole at first and sometimes later, otherwise reported as unchanged.
  private mutating func fetchRoster(isFirst: Bool) {
    let get = id()
    put("<iq type=\"get\" id=\"\(get)\"><query xmlns=\"jabber:iq:roster\"")
    put(isFirst ? "/></iq>" : " ver=\"v\(version)\"/></iq>")
    end(.outbound)
    put("<iq type='result' id='\(get)' to='\(Self.resource)'")
    if isFirst || chance.perMille(50) {
      put("><query xmlns='jabber:iq:roster' ver='v\(version)'>")
      for contact in listed.members { putItem(contact) }
      put("</query></iq>")
    } else {
      put("/>")
    }
    isFetched = true
    end(.inbound)
  }

  /// Pushes changes that another device made while we were offline.
  private mutating func catchUp() {
    for _ in 0..<chance.below(4) {
      if let contact = listed.any(&chance) { rename(contact, byUs: false) }
    }
  }

  mutating func putCaps(node: Int) {
    put("<c xmlns='http://jabber.org/protocol/caps' hash='sha-1' node='")
    put(Vocabulary.nodes[node])
    put("' ver='\(Self.capsHashes[node])'/>")
  }

  mutating func putFeatures(_ category: String, _ type: String) {
    put("<query xmlns='http://jabber.org/protocol/disco#info'>")
    put("<identity category='\(category)' type='\(type)' name='Program 1.0'/>")
    for feature in Vocabulary.features where !chance.perMille(300) {
      put("<feature var='\(feature)'/>")
    }
    put("</query>")
  }
}
