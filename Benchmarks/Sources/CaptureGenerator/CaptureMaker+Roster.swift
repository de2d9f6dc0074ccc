// Changes to the roster and its requests, as a server makes them: RFC 6121 §2 and §3.
extension CaptureMaker {
  /// Writes an item as the server has it or, for an edit, only with what a client may set.
  mutating func putItem(_ number: Int, isEdit: Bool = false) {
    let contact = contacts[number]
    put("<item jid='\(contact.wire)'")
    if !isEdit { put(" subscription='\(contact.subscription.rawValue)'") }
    if let name = contact.name {
      put(" name='")
      escape(name)
      put("'")
    }
    if contact.ask, !isEdit { put(" ask='subscribe'") }
    if contact.approved, !isEdit { put(" approved='true'") }
    if contact.groups.isEmpty { return put("/>") }
    put(">")
    for group in contact.groups {
      put("<group>")
      escape(group)
      put("</group>")
    }
    put("</item>")
  }

  /// Pushes an item's current state, which our client acknowledges.
  mutating func push(_ contact: Int) {
    if !contacts[contact].subscription.seesThem { contacts[contact].available = [] }
    if contacts[contact].subscription.seesUs {
      incoming.remove(contact)
      unconfirmed.remove(contact)
    }
    pushing { $0.putItem(contact) }
  }

  private mutating func pushing(_ item: (inout CaptureMaker) -> Void) {
    version += 1
    let push = id()
    put("<iq type='set' id='\(push)' to='\(Self.resource)'")
    if chance.perMille(500) { put(" from='\(Self.account)'") }
    put("><query xmlns='jabber:iq:roster' ver='v\(version)'>")
    item(&self)
    put("</query></iq>")
    end(.inbound)
    put("<iq type=\"result\" id=\"\(push)\" from=\"\(Self.resource)\"/>")
    end(.outbound)
  }

  /// Sets an item from our client; the pushes come between the request and the answer.
  private mutating func setting(
    _ item: (inout CaptureMaker) -> Void, then pushes: (inout CaptureMaker) -> Void
  ) {
    let set = id()
    put("<iq type=\"set\" id=\"\(set)\"><query xmlns=\"jabber:iq:roster\">")
    item(&self)
    put("</query></iq>")
    end(.outbound)
    pushes(&self)
    put("<iq type='result' id='\(set)' to='\(Self.resource)'/>")
    end(.inbound)
  }

  mutating func rename(_ contact: Int, byUs: Bool) {
    let old = contacts[contact]
    var new = old
    if chance.perMille(600) {
      new.name = chance.pick(new.names)
    } else {
      new.groups.append(chance.pick(Vocabulary.groups))
      if new.groups.count > 2 { new.groups.removeFirst() }
      new.normalizeGroups()
    }
    guard byUs else {
      contacts[contact] = new
      return push(contact)
    }
    // The requested change takes effect only with the push.
    contacts[contact] = new
    setting {
      $0.putItem(contact, isEdit: true)
      $0.contacts[contact] = old
    } then: {
      $0.contacts[contact] = new
      $0.push(contact)
    }
  }

  mutating func remove(_ contact: Int) {
    let markup = "<item jid='\(contacts[contact].wire)' subscription='remove'/>"
    setting {
      $0.put(markup)
    } then: {
      $0.contacts[contact].unlist()
      $0.listed.remove(contact)
      // The server may or may not have dropped the request together with the item.
      if $0.incoming.contains(contact) {
        $0.incoming.remove(contact)
        $0.unconfirmed.insert(contact)
      }
      $0.outgoing.remove(contact)
      $0.pushing { $0.put(markup) }
    }
  }

  /// Adds a contact to the roster and asks to see its presence.
  mutating func add(_ contact: Int) {
    var new = contacts[contact]
    new.list(&chance)
    let old = contacts[contact]
    contacts[contact] = new
    setting {
      $0.putItem(contact, isEdit: true)
      $0.contacts[contact] = old
    } then: {
      $0.contacts[contact] = new
      $0.listed.insert(contact)
      $0.push(contact)
    }
    subscribe(to: contact)
  }

  mutating func subscribe(to contact: Int) {
    guard !contacts[contact].subscription.seesThem, !contacts[contact].ask else { return }
    putPresence("subscribe", to: contact)
    outgoing.insert(contact)
    end(.outbound)
    contacts[contact].ask = true
    push(contact)
  }

  /// Answers our request for the contact's presence.
  mutating func settle(_ contact: Int, accepted: Bool) {
    putPresence(accepted ? "subscribed" : "unsubscribed", from: contact)
    outgoing.remove(contact)
    end(.inbound)
    contacts[contact].ask = false
    if accepted {
      contacts[contact].subscription = contacts[contact].subscription.with(seesThem: true)
    }
    push(contact)
    if accepted { show(contact, 0) }
  }

  mutating func receiveRequest(of contact: Int) {
    guard !contacts[contact].subscription.seesUs else { return }
    put("<presence type='subscribe' from='\(contacts[contact].jid)' to='\(Self.account)'>")
    put("<status>")
    escape(chance.pick(chance.perMille(500) ? Vocabulary.chinese : Vocabulary.latin))
    put("</status><nick xmlns='http://jabber.org/protocol/nick'>")
    escape(contacts[contact].names[0])
    put("</nick></presence>")
    unconfirmed.remove(contact)
    incoming.insert(contact)
    end(.inbound)
  }

  mutating func answerRequest(of contact: Int, accept: Bool, elsewhere: Bool) {
    if !elsewhere || !accept {
      putPresence(accept ? "subscribed" : "unsubscribed", to: contact)
      incoming.remove(contact)
      unconfirmed.remove(contact)
      end(.outbound)
    }
    guard accept else { return }
    if !contacts[contact].isListed {
      contacts[contact].isListed = true
      listed.insert(contact)
    }
    contacts[contact].subscription = contacts[contact].subscription.with(seesUs: true)
    contacts[contact].approved = false
    push(contact)
  }

  /// Withdraws the contact's request.
  mutating func withdraw(_ contact: Int) {
    putPresence("unsubscribe", from: contact)
    incoming.remove(contact)
    unconfirmed.remove(contact)
    end(.inbound)
  }

  /// Ends one direction of a subscription, by us or by the contact.
  mutating func part(_ contact: Int) {
    let now = contacts[contact].subscription
    if now.seesUs, chance.perMille(500) {
      let byUs = chance.perMille(500)
      if byUs {
        putPresence("unsubscribed", to: contact)
      } else {
        putPresence("unsubscribe", from: contact)
      }
      end(byUs ? .outbound : .inbound)
      contacts[contact].subscription = now.with(seesUs: false)
      push(contact)
    } else if now.seesThem {
      let byUs = chance.perMille(500)
      if byUs {
        putPresence("unsubscribe", to: contact)
        contacts[contact].available = []
      } else {
        putPresence("unsubscribed", from: contact)
      }
      end(byUs ? .outbound : .inbound)
      contacts[contact].subscription = now.with(seesThem: false)
      push(contact)
    }
  }

  /// Approves a request before it arrives (RFC 6121 §3.4).
  mutating func approve(_ contact: Int) {
    putPresence("subscribed", to: contact)
    end(.outbound)
    contacts[contact].approved = true
    push(contact)
  }

  private mutating func putPresence(_ type: String, to contact: Int) {
    put("<presence type=\"\(type)\" to=\"\(contacts[contact].jid)\" id=\"\(id())\"/>")
  }

  private mutating func putPresence(_ type: String, from contact: Int) {
    put("<presence type='\(type)' from='\(contacts[contact].wire)' to='\(Self.account)'/>")
  }
}
