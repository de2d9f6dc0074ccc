import Foundation
import NIOSSL
import Rollcall
import RosterProxy
import TestSupport
import Testing
import X509
import XMPPStanza
@testable import RosterClient

/// The certificates that a server may present (RFC 9525, RFC 6120 §13.7).
@Suite("Certificates of servers") struct CertificateTests {
  typealias Words = LoginScript

  @Test("A certificate's names match a domain or not", arguments: CertificateCase.all)
  func names(_ test: CertificateCase) throws {
    let names = try CertificateNames(certificateDER: try test.make().leaf)
    #expect(names.match(test.domain.inASCII) == test.isNamed)
  }

  @Test("A mismatch names the certificate without terminal control characters")
  func words() {
    var names = CertificateNames()
    #expect(
      names.mismatch(with: "example.test")
        == "names no domain, so it is not for example.test")
    names.domains = ["\u{1B}[2J", "evil.test", "*.evil.test"]
    #expect(
      names.mismatch(with: "example.test")
        == "is for evil.test and 2 other names, not for example.test")
    names = CertificateNames()
    names.addresses = [[127, 0, 0, 1]]
    #expect(names.mismatch(with: "example.test") == "is for 127.0.0.1, not for example.test")
  }

  @Test("Bytes that are not a certificate have no names")
  func noCertificate() {
    #expect(throws: (any Error).self) { try CertificateNames(certificateDER: [0x30, 0x00]) }
  }

  @Test("Of several faults the first is reported: validity, names, purpose, signature")
  func firstFault() throws {
    let now = Date()
    func fault(_ change: (inout MadeCertificate.Options) -> Void) throws -> CertificateFault {
      var options = MadeCertificate.Options()
      change(&options)
      let der = try MadeCertificate(options).leaf
      return CertificateFault(ofRefused: der, for: "example.test", at: now)
    }
    let other = [GeneralName.dnsName("evil.test")]
    let expired = try fault { ($0.days, $0.names, $0.purposes) = (-9 ... -2, other, [.clientAuth]) }
    guard case .expired(let time) = expired else {
      Issue.record("\(expired)")
      return
    }
    #expect(abs(Double(time) / 1000 - (now.timeIntervalSince1970 - 2 * 86_400)) < 60)
    #expect(
      try fault { ($0.names, $0.purposes) = (other, [.clientAuth]) }
        == .otherNames("is for evil.test, not for example.test"))
    #expect(try fault { $0.purposes = [.clientAuth] } == .notForServers)
    #expect(try fault { $0.purposes = [] } == .untrusted(issuer: "Test intermediate"))
    #expect(
      CertificateFault(ofRefused: nil, for: "example.test", at: now) == .untrusted(issuer: nil))
    #expect(
      CertificateFault(ofRefused: [0x30, 0x00], for: "example.test", at: now) == .unreadable)
  }

  @Test(
    "The client names itself only to a server with a certificate for the domain",
    arguments: CertificateCase.all, [false, true])
  func handshake(_ test: CertificateCase, isDirect: Bool) async throws {
    let end = try await logIn(test, isDirect: isDirect, registers: false)
    if test.isNamed && test.isValid {
      #expect(end.failure == .sasl(.noUsableMechanism(offered: ["X"])))
    } else {
      expectCertificate(end.failure, test)
      #expect(!end.heard.contains("alice"))
      // Not even a stream header goes out in TLS.
      #expect(end.heard.matches(of: /<stream:stream/).count == (isDirect ? 0 : 1))
    }
  }

  @Test(
    "An account is created only at a server with a certificate for the domain",
    arguments: CertificateCase.all)
  func registration(_ test: CertificateCase) async throws {
    let end = try await logIn(test, isDirect: false, registers: true)
    let isTrusted = test.isNamed && test.isValid
    #expect(end.heard.contains("jabber:iq:register") == isTrusted)
    #expect(!end.heard.contains(Words.password))
    if !isTrusted { expectCertificate(end.failure, test) }
  }

  @Test(
    "A proxy passes nothing on to a server without a certificate for the domain",
    arguments: CertificateCase.all)
  func proxy(_ test: CertificateCase) async throws {
    let folder = try TemporaryFolder()
    let certificate = try test.make()
    let server = try ScriptedServer([Words.startTLS], .init(context: try certificate.context()))
    try LocalAuthority.make(in: folder.file("authority"), at: Date())
    var settings = ProxySettings(
      listen: ServerAddress(host: "127.0.0.1", port: 0, isDirectTLS: false),
      upstream: ServerAddress(host: "127.0.0.1", port: server.port, isDirectTLS: false),
      folder: folder.file("logs"),
      authority: try LocalAuthority(in: folder.file("authority")))
    settings.upstreamAuthority = try root(of: certificate, in: folder)
    let proxy = try RecordingProxy(settings)
    let client = try await Wire.connected(to: try await proxy.start().port)
    client.say(
      "<stream:stream to='\(test.domain)' version='1.0' xmlns='jabber:client' "
        + "xmlns:stream='http://etherx.jabber.org/streams'>")
    try await client.hears("<starttls")
    client.say("<starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>")
    let isTrusted = test.isNamed && test.isValid
    try await client.hears(isTrusted ? "<proceed" : "<failure")
    client.close()
    try await proxy.stop()
    guard !isTrusted else { return }
    for await event in proxy.events {
      guard case .over(_, let end) = event else { continue }
      guard case .certificate(let fault) = end.failure else {
        Issue.record("\(end)")
        continue
      }
      expectFault(fault, test)
    }
  }

  // MARK: Support

  private func logIn(
    _ test: CertificateCase, isDirect: Bool, registers: Bool
  ) async throws -> (failure: LiveFailure?, heard: String) {
    let certificate = try test.make()
    let folder = try TemporaryFolder()
    let last = ScriptedServer.Turn(
      heard: "jabber:iq:register",
      said: "<stream:error><reset xmlns='urn:ietf:params:xml:ns:xmpp-streams'/></stream:error>",
      closes: true)
    let turns = (isDirect ? [] : Words.startTLS) + [Words.offer(["X"]), last]
    let server = try ScriptedServer(
      [turns], .init(context: try certificate.context(), isDirect: isDirect))
    var login = LiveLogin(
      account: BareJID(prepared: "alice@\(test.domain)"), password: Password(Words.password))
    login.server = ServerAddress(
      host: "127.0.0.1", port: server.port, isDirectTLS: isDirect)
    login.authority = try root(of: certificate, in: folder)
    login.registers = registers
    var timeouts = LiveTimeouts()
    timeouts.login = 3_600_000
    let session = try LiveSession(login, recordingTo: nil, timeouts: timeouts)
    var end: LiveFailure?
    do throws(LiveFailure) {
      try await session.start()
    } catch {
      end = error
    }
    await session.close()
    return (end, try await server.heard.joined())
  }

  private func root(of certificate: MadeCertificate, in folder: TemporaryFolder) throws -> String {
    let path = folder.file("root.pem")
    try certificate.root.write(toFile: path, atomically: true, encoding: .utf8)
    return path
  }

  private func expectCertificate(_ failure: LiveFailure?, _ test: CertificateCase) {
    guard case .certificate(let fault)? = failure else {
      Issue.record("\(failure as Any)")
      return
    }
    expectFault(fault, test)
  }

  /// Checks that a fault is the first one that a person would look for.
  private func expectFault(_ fault: CertificateFault, _ test: CertificateCase) {
    let day = Date.ISO8601FormatStyle.iso8601.year().month().day()
    let text: String
    switch test.testDescription {
    case "expired": text = "expired on \((Date() - 86_400).formatted(day))"
    case "not yet valid":
      text =
        "is not valid before \((Date() + 86_400).formatted(day)): check the clock of this machine"
    case "for clients": text = "is not for servers"
    default:
      guard !test.isValid, test.isNamed else {
        return #expect("\(fault)".contains("not for \(test.domain.inASCII)"), "\(fault)")
      }
      text = "is signed by “Test intermediate”, for which no authority vouches that is trusted here"
    }
    // The days are those of now, unless midnight passes during the test.
    #expect("\(fault)" == text)
  }
}
