import Rollcall
import RosterClient
import Testing
import XMPPStanza
@testable import RollcallLive
@testable import RosterProxy

@Suite("What the live commands say about refusals") struct RefusalTextTests {
  @Test("A failed login names the option that helps, and only one that applies")
  func options() {
    let untrusted = LiveFailure.certificate(.untrusted(issuer: "Some root"))
    let hints: [(LiveFailure, server: String?, isDirectTLS: Bool, hint: String)] = [
      (untrusted, nil, false, ": --authority FILE names an authority to trust"),
      (.certificate(.selfSigned), nil, false, ": --authority FILE names an authority to trust"),
      (.certificate(.expired(at: 0)), nil, false, ""),
      (.startedWithoutTLS, "host:5223", false, ": give --direct-tls"),
      // DNS named the port.
      (.startedWithoutTLS, nil, false, ""),
      (.noHeader(reason: "it was closed"), "host:5223", false, "; if so, give --direct-tls"),
      (.noHeader(reason: "it was closed"), nil, false, ""),
      (
        .handshake(.notTLS), "host:5222", true,
        ": if the port expects STARTTLS, leave --direct-tls out"
      ),
      (
        .handshake(.closed), "host:5222", true,
        ": if the port expects STARTTLS, leave --direct-tls out"
      ),
      (.handshake(.closed), "host:5222", false, ""), (.lost(reason: "cut"), "host", false, ""),
    ]
    for (failure, server, isDirectTLS, hint) in hints {
      #expect(
        LoginOptions.sentence(about: failure, server: server, isDirectTLS: isDirectTLS)
          == "\(failure)\(hint)")
    }
    #expect(
      LoginOptions.sentence(about: .cancelled, server: nil, isDirectTLS: false)
        == "ended before the session had started")
    #expect(
      "\(LiveFailure.certificate(.expired(at: 1_772_323_200_000)))"
        == "the server's certificate expired on 2026-03-01")
  }

  private static let counts = "  [0 of 0 connections open, 0 records, 0 findings]"

  @Test("A proxied connection's end says who ended it, and what the user can do")
  func ends() throws {
    var story = ProxyStory(authority: "/home/a/authority.pem")
    let report = ErrorReport(condition: "not-authorized", text: "Wrong password")
    let rows: [(ProxyEnd, String)] = [
      (ProxyEnd(.closed(.client)), "the client closed the stream"),
      (ProxyEnd(.dropped(.server)), "the connection to the server was lost"),
      (
        ProxyEnd(.failed(.handshake(.client, .alert("unknown_ca")))),
        "the client broke off TLS (unknown_ca): it does not trust the authority of this proxy; "
          + "add /home/a/authority.pem to the certificates that it trusts"
      ),
      (
        ProxyEnd(.failed(.certificate(.selfSigned))),
        "the server's certificate is signed by itself and not among the trusted certificates: "
          + "--upstream-authority FILE names an authority to trust in servers"
      ),
      (
        ProxyEnd(.failed(.plain), afterRefusal: report),
        "the server refused the login (not-authorized: “Wrong password”), and then the client "
          + "tried to send its password in plain text, which is not allowed"
      ),
    ]
    for (end, sentence) in rows {
      #expect(
        story.lines(of: .over(3, end), counts: ProxyCounts())
          == ["#3 ended: \(sentence)\(Self.counts)"])
    }
    let bob = try BareJID(parsing: "bob@example.test")
    _ = story.lines(of: .bound(4, bob, path: "bob.rollcall"), counts: ProxyCounts())
    #expect(
      story.lines(of: .over(4, ProxyEnd(.closed(.server))), counts: ProxyCounts())
        == ["#4 bob@example.test ended: the server closed the stream\(Self.counts)"])
  }

  @Test("A refused login is printed with the log that keeps it")
  func refusedLogin() {
    var story = ProxyStory(authority: "authority.pem")
    let report = ErrorReport(condition: "not-authorized", text: nil)
    #expect(
      story.lines(
        of: .loginRefused(3, "alice@example.test", report, path: "rec/unbound/1-2.rollcall"),
        counts: ProxyCounts())
        == [
          "#3 the server refused the login of alice@example.test (not-authorized); "
            + "kept in rec/unbound/1-2.rollcall"
        ])
    #expect(
      story.lines(of: .loginRefused(3, nil, report, path: nil), counts: ProxyCounts())
        == ["#3 the server refused the login (not-authorized)"])
  }

  @Test("A slow disk is said once, and once when it is over")
  func slowDisk() {
    var story = ProxyStory(authority: "authority.pem")
    let delays: [Int64?] = [nil, nil, 480, 300, 60, nil, nil, 251]
    let lines = delays.map { story.line(ofDelay: $0) }
    let slow = "the disk is slow: what was passed on reached it 480 ms later; reading waits for it"
    #expect(lines[2] == slow && lines[5] == "the disk is fast enough again")
    #expect(lines[7]?.contains("251 ms") == true)
    #expect(lines.compactMap(\.self).count == 3)
  }
}
