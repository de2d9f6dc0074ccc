import TestSupport
import Testing
import XMPPStanza

@testable import ConversationCore

/// What programs send in forms that the extensions only allow, or no longer describe.
@Suite("Stanzas as programs send them")
struct WireTests {
  // MARK: Rule 23

  @Test(
    "A quotation is cut from the body, also by the name of the extension's draft",
    arguments: ["urn:xmpp:fallback:0", "urn:xmpp:feature-fallback:0"])
  func draftFallback(namespace: String) {
    let dialogue = Dialogue.online(
      fromBob(
        "&gt; ping\npong", id: "b",
        "<reply xmlns='urn:xmpp:reply:0' id='a' to='\(Dialogue.account)'/>"
          + "<fallback xmlns='\(namespace)' for='urn:xmpp:reply:0'><body start='0' end='7'/></fallback>"
      ))
    #expect(dialogue.bodies() == ["pong"])
    #expect(dialogue.messages().first?.reply?.id == "a")
  }

  @Test("A range of a namespace that no one knows is left in the body")
  func otherFallback() {
    let dialogue = Dialogue.online(
      fromBob(
        "&gt; ping\npong", id: "b",
        "<fallback xmlns='urn:xmpp:fallback:9' for='urn:xmpp:reply:0'><body start='0' end='7'/></fallback>"
      ))
    #expect(dialogue.bodies() == ["> ping\npong"])
  }

  // MARK: Rules 26 and 27

  private static let cid = "sha1+a9993e364706816aba3e25717850c26c9cd0d89d@bob.xmpp.org"

  /// A shared picture with a small one, whose bytes may be next to it.
  private func sharing(_ thumbnail: String) -> String {
    "<file-sharing xmlns='urn:xmpp:sfs:0'><file xmlns='urn:xmpp:file:metadata:0'>"
      + "<name>a.png</name><media-type>image/png</media-type>\(thumbnail)</file>"
      + "<sources><url-data xmlns='http://jabber.org/protocol/url-data' target='https://x.test/a'/>"
      + "</sources></file-sharing><data xmlns='urn:xmpp:bob' cid='\(Self.cid)'>YWJj</data>"
  }

  @Test("A thumbnail is no file of its own")
  func thumbnail() {
    let named = "<thumbnail xmlns='urn:xmpp:thumbs:1' uri='cid:\(Self.cid)'/>"
    let dialogue = Dialogue.online(fromBob("", id: "a", sharing(named)))
    #expect(dialogue.messages().first?.attachments.map(\.source) == [.sfs])
    // Bytes that no thumbnail names are.
    let other = Dialogue.online(fromBob("", id: "a", sharing("")))
    #expect(other.messages().first?.attachments.map(\.source) == [.sfs, .bob])
  }

  @Test("An encrypted source of a file has an address (XEP-0448)")
  func encryptedSource() {
    let dialogue = Dialogue.online(
      fromBob(
        "", id: "a",
        "<file-sharing xmlns='urn:xmpp:sfs:0'><file xmlns='urn:xmpp:file:metadata:0'>"
          + "<name>a.png</name></file><sources xmlns='urn:xmpp:sfs:0'>"
          + "<encrypted xmlns='urn:xmpp:esfs:0' cipher='urn:xmpp:ciphers:aes-256-gcm-nopadding:0'>"
          + "<key>c2VjcmV0</key><iv>aXY=</iv><sources xmlns='urn:xmpp:sfs:0'>"
          + "<url-data xmlns='http://jabber.org/protocol/url-data' target='https://x.test/e'/>"
          + "</sources></encrypted></sources></file-sharing>"))
    #expect(dialogue.messages().first?.attachments.map(\.url) == ["https://x.test/e"])
  }

  // MARK: Rule 15

  @Test("An error that an archive shows before its message makes it fail")
  func earlyError() {
    let error = message(
      from: "bob@example.test", to: Dialogue.account, type: "error", id: "m", "",
      "<error type='cancel'><item-not-found xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error>")
    let text = message(from: "alice@example.test/d2", to: "bob@example.test", id: "m", "hello")
    var dialogue = Dialogue.online(
      fromBob("hi", id: "b"), query("q1", "<before/>"),
      result("a2", error, stamp: "2026-11-26T11:00:03Z"), fin("q1", complete: false))
    #expect(dialogue.findings == ["error-of-unknown"])
    for step in [
      query("q2", "<before>a2</before>"), result("a1", text, stamp: "2026-11-26T11:00:01Z"),
      fin("q2"),
    ] {
      dialogue.take(step)
    }
    #expect(dialogue.lines() == ["out hello failed", "in hi unread"])
    #expect(dialogue.messages().first?.error == "item-not-found")
    #expect(dialogue.findings.isEmpty)
  }

  // MARK: Rules 9 and 13

  @Test("A carbon that waited has the time of its delay")
  func delayedCarbon() {
    let inner = message(from: "bob@example.test/peer", to: "alice@example.test/d2", id: "b", "late")
    let dialogue = Dialogue.online(
      fromBob("early", id: "a"), .wait(60_000),
      carbon("received", inner, delay("2026-11-26T11:00:00Z", from: Dialogue.account)))
    #expect(dialogue.bodies() == ["late", "early"])
    // Only those of our server count.
    let forged = Dialogue.online(
      fromBob("early", id: "a"), .wait(60_000),
      carbon("received", inner, delay("2026-11-26T11:00:00Z", from: "mallory@evil.test")))
    #expect(forged.bodies() == ["early", "late"])
  }

  // MARK: Rules 16 to 18

  @Test("A marker names a message of the other side, although both sides count their ids")
  func countedIDs() {
    let theirs = Dialogue.online(
      toBob("a", id: "1"), toBob("b", id: "2"), fromBob("c", id: "1"), fromBob("", displayed("1")))
    #expect(theirs.lines() == ["out a displayed", "out b sent", "in c unread"])
    let ours = Dialogue.online(
      fromBob("a", id: "1"), toBob("b", id: "9"), fromBob("c", id: "2"), fromBob("d", id: "3"),
      toBob("", displayed("2")))
    #expect(ours.lines() == ["in a", "out b sent", "in c", "in d unread"])
  }

  @Test("A reaction of ours reads what is before it, also what the log shows later")
  func readByReaction() {
    let results = [
      result(
        "a1", message(from: "bob@example.test/peer", to: Dialogue.account, id: "b1", "one"),
        stamp: "2026-11-26T11:00:01Z"),
      result(
        "a2", message(from: "bob@example.test/peer", to: Dialogue.account, id: "b2", "two"),
        stamp: "2026-11-26T11:00:03Z"),
      result(
        "a3",
        message(
          from: "alice@example.test/other", to: "bob@example.test", id: "r", "", reacts("b1", "👍")),
        stamp: "2026-11-26T11:00:05Z"),
      result(
        "a4", message(from: "bob@example.test/peer", to: Dialogue.account, id: "b3", "three"),
        stamp: "2026-11-26T11:00:07Z"),
    ]
    let backward = Dialogue.online(
      query("q1", "<before/>"), results[2], results[3], fin("q1", complete: false),
      query("q2", "<before>a3</before>"), results[0], results[1], fin("q2"))
    #expect(
      backward.lines() == ["in one alice@example.test 👍", "in two", "in three unread"])
  }

  @Test("A copy of our reaction or retraction reads nothing that arrived after it")
  func readByCopy() {
    func sent(_ id: String, _ more: String) -> Dialogue.Step {
      carbon(
        "sent", message(from: "alice@example.test/d2", to: "bob@example.test", id: id, "", more))
    }
    let start = [fromBob("one", id: "b1"), toBob("mine", id: "m")]
    for sign in [reacts("b1", "👍"), retracts("m")] {
      let first = start + [sent("s", sign), .bound(connection: 2), fromBob("two", id: "b2")]
      #expect(Dialogue.online(first + [sent("s", sign)]).lines().last == "in two unread")
      // Another stanza is a new sign.
      #expect(Dialogue.online(first + [sent("t", sign)]).lines().last == "in two")
    }
  }

  // MARK: Rules 14 and 35

  /// A message of ours whose connection is lost, and a complete page of the archive after it.
  private func lost(_ set: String) -> Dialogue {
    Dialogue.online(
      query("q1"),
      result(
        "a1", message(from: "bob@example.test/peer", to: Dialogue.account, "", displayed("x")),
        stamp: "2026-11-26T11:00:01Z"),
      fin("q1"), .wait(60_000), toBob("hello", id: "m"), .lost, .wait(60_000),
      .bound(connection: 2), query("q2", set), fin("q2"))
  }

  @Test("A page that follows a result without a message covers the time after it")
  func pageAfterSign() {
    #expect(lost("<after>a1</after>").findings.contains("maybe-lost"))
    #expect(lost("").findings.contains("maybe-lost"))
  }

  @Test("A page that follows a result of another log says nothing about earlier times")
  func pageAfterUnknown() {
    #expect(!lost("<after>elsewhere</after>").findings.contains("maybe-lost"))
  }

  /// A message of ours at noon and a second, and a page after an unknown result.
  private func lost(_ results: [(id: String, time: String)]) -> Dialogue {
    let other = message(from: "carol@other.test/peer", to: Dialogue.account, "x")
    return Dialogue.online(
      [.wait(1000), toBob("hello", id: "m"), .lost, .wait(60_000), .bound(connection: 2)]
        + [query("q", "<after>elsewhere</after>")]
        + results.map { result($0.id, other, stamp: "2026-11-26T\($0.time)Z") } + [fin("q")])
  }

  @Test("A page that follows a result of another log has all that is after its first result")
  func pageFromFirstResult() {
    #expect(lost([("a1", "12:00:00"), ("a2", "12:00:05")]).findings.contains("maybe-lost"))
    #expect(!lost([("a2", "12:00:05")]).findings.contains("maybe-lost"))
    #expect(!lost([]).findings.contains("maybe-lost"))
    // What it follows is known to the client, so that no time is missing.
    #expect(!lost([("a2", "12:00:05")]).findings.contains("gap"))
  }

  @Test("A page may follow a sign whose archive id was seen when it arrived")
  func pageAfterArrivedSign() {
    let dialogue = Dialogue.online(
      fromBob("", receipt("x") + stanzaID("a1")), .wait(60_000), toBob("hello", id: "m"), .lost,
      .wait(60_000), .bound(connection: 2), query("q", "<after>a1</after>"), fin("q"))
    #expect(dialogue.findings.contains("maybe-lost"))
  }

  @Test("A page that follows a correction covers the time after it, not that of its text")
  func pageAfterCorrection() {
    let steps = [
      fromBob("1", id: "1", stanzaID("a1")), .wait(10_000), toBob("hello", id: "m"), .lost,
      .wait(10_000), .bound(connection: 2),
      fromBob("2", id: "2", replaces("1") + stanzaID("a2")), .wait(10_000),
    ]
    let after = steps + [query("q", "<after>a2</after>"), fin("q")]
    #expect(!Dialogue.online(after).findings.contains("maybe-lost"))
    let earlier = steps + [query("q", "<after>a1</after>"), fin("q")]
    #expect(Dialogue.online(earlier).findings.contains("maybe-lost"))
  }

  @Test("What was written again may have arrived either time")
  func writtenAgain() {
    let again: [Dialogue.Step] = [
      toBob("hello", id: "m"), .lost, .wait(60_000), .bound(connection: 2), query("q"), fin("q"),
      .wait(60_000), toBob("hello", id: "m"), .lost,
    ]
    #expect(Dialogue.online(Array(again.prefix(6))).findings.contains("maybe-lost"))
    #expect(!Dialogue.online(again).findings.contains("maybe-lost"))
    let asked = again + [.wait(60_000), .bound(connection: 3), query("p"), fin("p")]
    #expect(Dialogue.online(asked).findings.contains("maybe-lost"))
  }

  @Test("A copy of a text says nothing about its correction")
  func copyOfCorrected() {
    let original = message(
      from: "alice@example.test/d1", to: "bob@example.test", id: "m", "hello")
    let dialogue = Dialogue.online(
      toBob("hello", id: "m"), toBob("hello!", id: "n", replaces("m")), .lost,
      .wait(60_000), .bound(connection: 2), query("q"),
      result("a1", original, stamp: "2026-11-26T12:00:00Z"), fin("q"))
    #expect(dialogue.lines() == ["out hello! unconfirmed was hello"])
    #expect(dialogue.findings.contains("maybe-lost"))
  }

  // MARK: Rule 20

  @Test(
    "Corrections of corrections are folded when an archive that is read backwards shows the text")
  func strayChain() {
    func own(_ body: String, _ id: String, _ more: String = "") -> String {
      message(from: "bob@example.test/peer", to: Dialogue.account, id: id, body, more)
    }
    let dialogue = Dialogue.online(
      query("q1", "<before/>"),
      result("a2", own("second", "b2", replaces("b1")), stamp: "2026-11-26T11:00:03Z"),
      result("a3", own("third", "b3", replaces("b2")), stamp: "2026-11-26T11:00:05Z"),
      fin("q1", complete: false), query("q2", "<before>a2</before>"),
      result("a1", own("first", "b1"), stamp: "2026-11-26T11:00:01Z"), fin("q2"))
    #expect(dialogue.lines() == ["in third unread was first, second"])
    #expect(dialogue.findings.isEmpty)
  }

  @Test("A correction that the log shows late is the one that others named")
  func lateCorrection() {
    func own(_ body: String, _ id: String, _ more: String = "") -> String {
      message(from: "bob@example.test/peer", to: Dialogue.account, id: id, body, more)
    }
    // The third version is live, and an archive has the second one, which it names.
    let dialogue = Dialogue.online(
      fromBob("first", id: "b1"), fromBob("x"), toBob("", displayed("b2")),
      fromBob("third", id: "b3", replaces("b2")), query("q"),
      result("a2", own("second", "b2", replaces("b1")), stamp: "2026-11-26T12:00:00Z"), fin("q"))
    #expect(dialogue.lines() == ["in third was first, second", "in x unread"])
    #expect(dialogue.findings.isEmpty)
  }

  @Test("Folding a correction does not move the read position back")
  func readCorrection() {
    let text = message(from: "bob@example.test/peer", to: Dialogue.account, id: "b1", "first")
    let seen: [Dialogue.Step] = [fromBob("x"), fromBob("second", id: "b2", replaces("b1"))]
    let earlier = [
      fromBob("y"), query("q"), result("a1", text, stamp: "2026-11-26T11:00:00Z"), fin("q"),
    ]
    let read = Dialogue.online(seen + [toBob("", displayed("b2"))] + earlier)
    #expect(read.lines() == ["in second was first", "in x", "in y unread"])
    let unread = Dialogue.online(seen + earlier)
    #expect(unread.lines() == ["in second unread was first", "in x unread", "in y unread"])
  }
}
