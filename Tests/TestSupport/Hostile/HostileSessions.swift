// Unanswered stanzas, and sessions side by side and one after another.
extension HostileCapture {
  /// A size beyond the limits of what is tracked, so that most entries are dropped.
  static let atLimits = 4000

  static let waiting: [HostileCapture] = [
    native("requests", 2000, ["requests FILE"] + everywhere) { capture, size in
      for number in 0..<size { capture.presence(contact(number), " type='subscribe'/>") }
    },
    native("requests of one contact", 2000, everywhere) { capture, size in
      for _ in 0..<size { capture.presence(contact(1), " type='subscribe'/>") }
    },
    native("requests that go round", 1000, everywhere) { capture, size in
      for _ in 0..<size {
        capture.presence(contact(1), " type='subscribe'/>")
        capture.presence(contact(1), " type='unsubscribe'/>")
      }
    },
    native("requests without answers", 1000) { capture, size in
      for number in 0..<size { capture.presence(contact(number), " type='subscribe'/>") }
      capture.time += 3 * 86_400_000 - Int64(size)
      for _ in 0..<(2 * size) { capture.received("<presence from='x@example.test/x'/>") }
    },
    native("our requests without answers", 1000) { capture, size in
      for number in 0..<size {
        capture.sent("<presence to='\(contact(number))' type='subscribe'/>")
      }
      capture.time += 3 * 86_400_000 - Int64(size)
      for _ in 0..<(2 * size) { capture.received("<presence from='x@example.test/x'/>") }
    },
    native("requests at every login", 500) { capture, size in
      for number in 0..<size { capture.presence(contact(number), " type='subscribe'/>") }
      for _ in 0..<size {
        capture.login()
        capture.sent("<presence/>")
      }
    },
    native("requests and rosters", 500) { capture, size in
      for number in 0..<size { capture.presence(contact(number), " type='subscribe'/>") }
      for number in 0..<size { capture.fetch("f\(number)", items: "") }
    },
    native("our requests and rosters", 500) { capture, size in
      for number in 0..<size {
        capture.sent("<presence to='\(contact(number))' type='subscribe'/>")
      }
      for number in 0..<size { capture.fetch("f\(number)", items: "") }
    },
    native("denials", 2000) { capture, size in
      for number in 0..<size { capture.presence(contact(number), " type='unsubscribed'/>") }
    },
    native("unanswered gets", atLimits, ["state FILE", "replay FILE", "findings FILE"]) {
      capture, size in
      for number in 0..<size {
        capture.sent("<iq type='get' id='g\(number)'><query xmlns='jabber:iq:roster'/></iq>")
      }
    },
    native("overdue gets", 2000) { capture, size in
      for number in 0..<size {
        capture.sent("<iq type='get' id='g\(number)'><query xmlns='jabber:iq:roster'/></iq>")
        capture.time += 100
      }
    },
    native("answers to the wrong gets", 2000) { capture, size in
      for number in 0..<size {
        capture.sent("<iq type='get' id='g\(number)'><query xmlns='jabber:iq:roster'/></iq>")
        capture.received("<iq type='result' id='x\(number)'><query xmlns='jabber:iq:roster'/></iq>")
      }
    },
    native("unanswered sets", atLimits, ["state FILE", "replay FILE", "findings FILE"]) {
      capture, size in
      for number in 0..<size { capture.set("s\(number)", item(contact(number))) }
    },
    native("unanswered sets and pushes", 1000) { capture, size in
      for number in 0..<size { capture.set("s\(number)", item(contact(number))) }
      for number in 0..<size { capture.push("p\(number)", item(contact(number), "name='x'")) }
    },
    native("sets with one id", 1000) { capture, size in
      for number in 0..<size { capture.set("s", item(contact(number))) }
      for _ in 0..<size { capture.received("<iq type='result' id='s'/>") }
    },
    native("items of one set", 5000) { capture, size in
      capture.set("s", items(0..<size))
    },
    native("sets of an item with groups", 500) { capture, size in
      capture.push("p", item(contact(1), groups: (0..<size).map { "Group \($0)" }))
      for number in 0..<size { capture.set("s\(number)", item(contact(1), "name='x'")) }
    },
    native("a set that moves groups", 2000) { capture, size in
      capture.push("p", item(contact(1), groups: (0..<size).map { "Group \($0)" }))
      capture.set("s", item(contact(1), groups: (size..<(2 * size)).map { "Group \($0)" }))
    },
    native("pushes without an acknowledgement", atLimits, ["state FILE", "findings FILE"]) {
      capture, size in
      for number in 0..<size { capture.push("p\(number)", item(contact(number))) }
    },
    native("acknowledgements in reverse", 2000) { capture, size in
      for number in 0..<size { capture.push("p\(number)", item(contact(number))) }
      for number in (0..<size).reversed() {
        capture.sent("<iq type='result' id='p\(number)'/>")
      }
    },
    native("pushes of a resumed session", atLimits) { capture, size in
      capture.received("<enabled xmlns='urn:xmpp:sm:3' id='x' resume='true'/>")
      for number in 0..<size { capture.push("p\(number)", item(contact(number))) }
      capture.stream("closed")
      capture.stream("resumed", "alice@example.test/phone")
      for number in 0..<size { capture.push("p\(number)", item(contact(number))) }
    },
    native("versions", 2000) { capture, size in
      for number in 0..<size {
        capture.received(
          "<iq type='set' id='p'><query xmlns='jabber:iq:roster' ver='v\(number)'>"
            + "<item jid='\(contact(1))'/></query></iq>")
      }
    },
    native("blocked addresses", 5000, ["state FILE", "replay FILE", "diff FILE 0 head"]) {
      capture, size in
      let all = (0..<size).map { "<item jid='\(contact($0))'/>" }.joined()
      capture.received("<iq type='set' id='b'><block xmlns='urn:xmpp:blocking'>\(all)</block></iq>")
    },
    native("addresses blocked one by one", 2000, ["state FILE", "replay FILE"]) { capture, size in
      for word in ["block", "unblock"] {
        for number in 0..<size {
          capture.received(
            "<iq type='set' id='b'><\(word) xmlns='urn:xmpp:blocking'>"
              + "<item jid='\(contact(number))'/></\(word)></iq>")
        }
      }
    },
  ]

  static let sessions: [HostileCapture] = [
    native("sessions", 1000, ["state FILE", "replay FILE", "connections FILE"]) { capture, size in
      for _ in 0..<size {
        capture.login()
        capture.stream("closed")
      }
    },
    native("sessions of a large roster", 500, items: { items(0..<$0) }) { capture, size in
      for _ in 0..<size {
        capture.login()
        capture.sent("<presence/>")
        capture.presence(contact(1))
      }
    },
    native("sessions of known names", 500) { capture, size in
      for number in 0..<size {
        capture.received(
          "<iq type='result' id='v' from='\(contact(number))'><vCard xmlns='vcard-temp'>"
            + "<NICKNAME>x</NICKNAME></vCard></iq>")
        capture.presence(contact(number), " type='subscribe'/>")
        capture.sent("<presence to='\(contact(number))' type='unsubscribed'/>")
      }
      for _ in 0..<size {
        capture.login()
        capture.sent("<presence/>")
      }
    },
    native("rosters of a large roster", 1000, items: { items(0..<$0) }) { capture, size in
      for number in 0..<size {
        capture.push("p", item(contact(number), "subscription='remove'"))
        capture.push("q", item(contact(1), "name='\(number)'"))
        capture.sent("<presence type='unavailable'/>")
        capture.sent("<presence/>")
      }
    },
    native("connections", 1000, ["state FILE", "replay FILE", "connections FILE"]) {
      capture, size in
      for number in 1...size {
        capture.connection = number
        capture.login("r\(number)")
      }
    },
    native("connections with presence", 300, ["state FILE", "replay FILE"]) { capture, size in
      for number in 1...size {
        capture.connection = number
        capture.login("r\(number)")
        capture.sent("<presence/>")
        for contactNumber in 0..<8 { capture.presence("\(contact(contactNumber))/x") }
      }
    },
    native("pushes to many connections", 500, ["state FILE", "replay FILE"]) { capture, size in
      connect(&capture, 60)
      for number in 0..<size { capture.push("p\(number)", item(contact(number))) }
    },
    native("presence to many connections", 500, ["state FILE", "replay FILE"]) { capture, size in
      connect(&capture, 60)
      for number in 0..<size { capture.presence("\(contact(number))/x") }
    },
    native("presence of one contact to many connections", 500) { capture, size in
      connect(&capture, 60)
      for number in 0..<size {
        capture.presence("\(contact(1))/r\(number)", "><priority>3</priority></presence>")
      }
    },
    native("requests to many connections", 500) { capture, size in
      connect(&capture, 60)
      for number in 0..<size { capture.presence(contact(number), " type='subscribe'/>") }
    },
    native("requests to connections that come and go", 200) { capture, size in
      for number in 0..<size { capture.presence(contact(number), " type='subscribe'/>") }
      connect(&capture, size)
    },
    native("deliveries of an item with groups", 300) { capture, size in
      connect(&capture, 10)
      for number in 0..<size {
        capture.push(
          "p\(number)",
          item(contact(1), "name='\(number)'", groups: (0..<20).map { "Group \($0)" }))
      }
    },
    native("resumptions", 500) { capture, size in
      for number in 1...size {
        capture.connection = number
        capture.stream("resumed", "alice@example.test/phone")
        capture.push("p", item(contact(1), "name='\(number)'"))
      }
    },
  ]

  /// Connects devices that are online at the same time.
  private static func connect(_ capture: inout NativeCapture, _ count: Int) {
    for number in 1...count {
      capture.connection = number
      capture.login("r\(number)")
      capture.fetch("f", items: "")
      capture.sent("<presence/>")
    }
  }
}
