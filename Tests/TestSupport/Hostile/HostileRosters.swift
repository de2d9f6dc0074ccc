// Rosters, items and presence.
extension HostileCapture {
  static let rosters: [HostileCapture] = [
    native("items", 2000, everywhere, items: { items(0..<$0) }) { _, _ in },
    native("items with one address", 5000, everywhere) { capture, size in
      capture.fetch("f", items: text(item("bob@example.test"), size))
    },
    native("items with one name", 2000, ["sections FILE", "friends FILE", "state FILE"]) {
      capture, size in
      capture.fetch(
        "f",
        items: (0..<size).map { item(contact($0), "name='Bob' subscription='both'") }.joined())
    },
    native("items of one group", 2000, ["sections FILE --group-by groups", "state FILE"]) {
      capture, size in
      capture.fetch("f", items: items(0..<size) { _ in ["Friends"] })
    },
    native("groups", 1000, ["sections FILE --group-by groups", "state FILE"]) { capture, size in
      capture.fetch("f", items: items(0..<size) { ["Group \($0)", "Also \($0)"] })
    },
    native("groups of one item", 5000, everywhere + ["sections FILE --group-by groups"]) {
      capture, size in
      capture.fetch("f", items: item(contact(1), groups: (0..<size).map { "Group \($0)" }))
    },
    native("groups of one item in reverse", 5000) { capture, size in
      capture.fetch(
        "f", items: item(contact(1), groups: (0..<size).reversed().map { "Group \($0)" }))
    },
    native("one group often", 5000) { capture, size in
      capture.fetch("f", items: item(contact(1), groups: (0..<size).map { _ in "Group" }))
    },
    native("groups taken back", 2000, ["replay FILE", "history FILE contact1@example.test"]) {
      capture, size in
      capture.push("p", item(contact(1), groups: (0..<size).map { "Group \($0)" }))
      capture.push("q", item(contact(1), groups: (size..<(2 * size)).map { "Group \($0)" }))
    },
    native("malformed addresses", 5000) { capture, size in
      capture.fetch("f", items: (0..<size).map { item("a b\($0)@@") }.joined())
    },
    native("a long address", 200_000) { capture, size in
      capture.fetch("f", items: item(text("x", size) + "@example.test"))
    },
    native("an address of many labels", 20_000) { capture, size in
      capture.fetch("f", items: item("x@" + text("x.", size) + "test"))
    },
    native("an address beyond ASCII", 50_000) { capture, size in
      capture.fetch("f", items: item(text("\u{E9}", size) + "@\(text("\u{FC}", size)).test"))
    },
    native("an address in Punycode", 50_000) { capture, size in
      capture.fetch("f", items: item("x@xn--" + text("a", size) + "-" + text("9", size) + ".test"))
    },
    native("marks in a name", 50_000, names) { capture, size in
      capture.fetch("f", items: item(contact(1), named: "a" + text("\u{301}\u{323}", size)))
    },
    native("a long name", 100_000, names) { capture, size in
      capture.fetch("f", items: item(contact(1), named: text("x", size)))
    },
    native("a long name of Han", 20_000, names) { capture, size in
      capture.fetch("f", items: item(contact(1), named: text("\u{91CD}\u{5E86}", size)))
    },
    native("a name of surnames", 20_000, names) { capture, size in
      capture.fetch("f", items: item(contact(1), named: text("\u{6B27}\u{9633}", size)))
    },
    native("a name of digits", 50_000, names) { capture, size in
      capture.fetch("f", items: item(contact(1), named: text("7", size)))
    },
    native("an invisible name", 50_000, names) { capture, size in
      capture.fetch("f", items: item(contact(1), named: text("\u{200B}", size)))
    },
    native("resources of one contact", 2000, everywhere, items: { _ in items(0..<2) }) {
      capture, size in
      for number in 0..<size { capture.presence("\(contact(1))/r\(number)") }
    },
    native("resources that come and go", 2000, ["state FILE", "replay FILE"]) { capture, size in
      for number in 0..<size { capture.presence("\(contact(1))/r\(number)") }
      for number in 0..<size {
        capture.presence("\(contact(1))/r\(number)", " type='unavailable'/>")
      }
    },
    native("resources that change", 1000, ["state FILE", "replay FILE"]) { capture, size in
      for round in 0..<3 {
        for number in 0..<size {
          capture.presence("\(contact(1))/r\(number)", "><priority>\(round)</priority></presence>")
        }
      }
    },
    native("resources of two sessions", 1000, ["state FILE", "replay FILE"]) { capture, size in
      for number in 0..<size { capture.presence("\(contact(1))/r\(number)") }
      capture.connection = 2
      capture.login("desk")
      capture.sent("<presence/>")
      for number in 0..<size { capture.presence("\(contact(1))/r\(number)") }
      for number in 0..<size { capture.presence("\(contact(1))/s\(number)") }
      capture.stream("closed")
    },
    native("own resources", 2000, ["state FILE", "replay FILE"]) { capture, size in
      for number in 0..<size { capture.presence("alice@example.test/r\(number)") }
    },
    native("own resources that come and go", 1000, ["state FILE", "replay FILE"]) { capture, size in
      for number in 0..<size { capture.presence("alice@example.test/r\(number)") }
      for number in 0..<size {
        capture.presence("alice@example.test/r\(number)", " type='unavailable'/>")
      }
    },
    native("presence of strangers", 2000, ["state FILE", "replay FILE", "findings FILE"]) {
      capture, size in
      for number in 0..<size { capture.presence("stranger\(number)@example.test/x") }
    },
    native("presence of one contact", 2000, everywhere, items: { _ in items(0..<2) }) {
      capture, size in
      for number in 0..<size {
        capture.presence("\(contact(1))/r", "><status>\(number)</status></presence>")
      }
    },
    native("texts that come and go", 20_000) { capture, size in
      for number in 0..<size {
        capture.presence("\(contact(1))/r", "><status>text \(number)</status></presence>")
      }
    },
    native("long texts that come and go", 500) { capture, size in
      for number in 0..<size {
        capture.presence(
          "\(contact(1))/r", "><status>\(number) \(text("x", 20_000))</status></presence>")
      }
    },
    native("lists of groups that come and go", 1000) { capture, size in
      for number in 0..<size {
        let groups = (0..<100).filter { number >> ($0 % 20) & 1 == 1 }.map { "Group \($0)" }
        capture.push("p", item(contact(1), groups: groups))
      }
    },
    native("nicknames", 2000, ["state FILE", "replay FILE"]) { capture, size in
      for number in 0..<size {
        capture.received(
          "<message from='\(contact(number))'><event "
            + "xmlns='http://jabber.org/protocol/pubsub#event'>"
            + "<items node='http://jabber.org/protocol/nick'><item>"
            + "<nick xmlns='http://jabber.org/protocol/nick'>N\(number)</nick>"
            + "</item></items></event></message>")
      }
    },
  ]

  /// The commands for captures that have much to show.
  static let everywhere = [
    "state FILE", "replay FILE", "log FILE", "findings FILE", "sections FILE --friends all",
    "history FILE contact1@example.test", "why FILE contact1@example.test", "diff FILE 0 head",
    "diff FILE head~1 head", "export FILE --redact", "bisect FILE --missing contact1@example.test",
  ]

  static let names = [
    "sections FILE --search x", "sections FILE --names", "sections FILE --search \u{91CD}",
  ]

  private static func item(_ jid: String, named name: String) -> String {
    "<item jid='\(jid)' name='\(name)' subscription='both'/>"
  }
}
