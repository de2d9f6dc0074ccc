import Testing
import X509

/// A certificate, and whether a client of a domain may trust it (RFC 9525, RFC 6120 §13.7).
struct CertificateCase: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// The domain of the account.
  let domain: String
  /// Whether one of its names is the domain's.
  let isNamed: Bool
  /// Whether its chain leads to the trusted root, at this time and for this purpose.
  let isValid: Bool
  let make: @Sendable () throws -> MadeCertificate

  init(
    _ what: String, for domain: String = "example.test", isNamed: Bool = true,
    isValid: Bool = true,
    _ change: @escaping @Sendable (inout MadeCertificate.Options) throws -> Void
  ) {
    (testDescription, self.domain) = (what, domain)
    (self.isNamed, self.isValid) = (isNamed, isValid)
    make = {
      var options = MadeCertificate.Options()
      try change(&options)
      return try MadeCertificate(options)
    }
  }

  private static func names(
    _ what: String, for domain: String = "example.test", _ isNamed: Bool,
    _ names: @escaping @Sendable () throws -> [GeneralName]
  ) -> CertificateCase {
    CertificateCase(what, for: domain, isNamed: isNamed) { $0.names = try names() }
  }

  static let all = chains + hosts + wildcards + addresses + services

  private static let chains = [
    CertificateCase("right") { _ in },
    CertificateCase("expired", isValid: false) { $0.days = -2 ... -1 },
    CertificateCase("not yet valid", isValid: false) { $0.days = 1...2 },
    CertificateCase("for clients", isValid: false) { $0.purposes = [.clientAuth] },
    CertificateCase("without any purpose") { $0.purposes = [] },
    CertificateCase("for both purposes") { $0.purposes = [.clientAuth, .serverAuth] },
    CertificateCase("without the certificate of its issuer", isValid: false) {
      $0.isChainSent = false
    },
    CertificateCase("of an issuer that is not an authority", isValid: false) {
      $0.isChainOfAuthorities = false
    },
    CertificateCase("of an issuer for other domains", isValid: false) {
      $0.permitted = ["other.test"]
    },
    CertificateCase("of an issuer for the domain") { $0.permitted = ["example.test"] },
  ]

  private static let hosts = [
    names("another host", false) { [.dnsName("evil.test")] },
    names("several hosts", true) { [.dnsName("evil.test"), .dnsName("example.test")] },
    names("no names", false) { [] },
    CertificateCase("the common name only", isNamed: false) {
      ($0.names, $0.commonName) = ([], "example.test")
    },
    CertificateCase("the common name beside another host", isNamed: false) {
      ($0.names, $0.commonName) = ([.dnsName("evil.test")], "example.test")
    },
    names("a mailbox and a URI", false) {
      [
        .rfc822Name("alice@example.test"), .uniformResourceIdentifier("xmpp:example.test"),
      ]
    },
    names("other capitals", true) { [.dnsName("EXAMPLE.Test")] },
    names("a domain that ends with a dot", for: "example.test.", true) {
      [.dnsName("example.test")]
    },
    names("a name that ends with a dot", false) { [.dnsName("example.test.")] },
    names("a subdomain", false) { [.dnsName("im.example.test")] },
    names("a parent domain", for: "im.example.test", false) { [.dnsName("example.test")] },
    names("a name that continues after a zero", false) {
      [.dnsName("example.test\0.evil.test")]
    },
    names("an international name in ASCII", for: "b\u{fc}cher.test", true) {
      [.dnsName("xn--bcher-kva.test")]
    },
    names("another international name", for: "b\u{fc}cher.test", false) {
      [.dnsName("bcher.test")]
    },
  ]

  private static let wildcards = [
    names("a wildcard for a label", for: "im.example.test", true) { [.dnsName("*.example.test")] },
    names("a wildcard for no label", false) { [.dnsName("*.example.test")] },
    names("a wildcard for two labels", for: "a.im.example.test", false) {
      [.dnsName("*.example.test")]
    },
    names("a wildcard for a part of a label", for: "im.example.test", false) {
      [.dnsName("i*.example.test"), .dnsName("*m.example.test")]
    },
    names("a wildcard for a later label", for: "im.example.test", false) {
      [.dnsName("im.*.test"), .dnsName("*.*.test")]
    },
    names("a wildcard alone", false) { [.dnsName("*"), .dnsName("*.*")] },
    names("a wildcard alone for a single-label domain", for: "localhost", false) {
      [.dnsName("*")]
    },
    names("a wildcard for an international label", for: "b\u{fc}cher.example.test", true) {
      [.dnsName("*.example.test")]
    },
    names("a wildcard in an international label", for: "b\u{fc}cher.example.test", false) {
      [.dnsName("xn--*.example.test")]
    },
  ]

  private static let addresses = [
    names("the address of the connection", false) { [.address(127, 0, 0, 1)] },
    names("the address beside another host", false) {
      [.address(127, 0, 0, 1), .dnsName("evil.test")]
    },
    names("the address beside the domain", true) {
      [.address(127, 0, 0, 1), .dnsName("example.test")]
    },
    names("a domain that is the address", for: "127.0.0.1", true) { [.address(127, 0, 0, 1)] },
    names("a domain that is another address", for: "127.0.0.2", false) {
      [.address(127, 0, 0, 1)]
    },
    names("an address as a host", for: "127.0.0.1", false) {
      [.dnsName("127.0.0.1"), .dnsName("*.0.0.1")]
    },
    names("an IPv6 address", for: "[::1]", true) {
      [.address(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)]
    },
    names("an IPv6 address that begins like an IPv4 one", for: "[7f00:1::]", false) {
      [.address(127, 0, 0, 1)]
    },
  ]

  private static let services = [
    names("the service alone", false) { [try .service("_xmpp-client.example.test")] },
    names("the service beside another host", false) {
      [try .service("_xmpp-client.example.test"), .dnsName("evil.test")]
    },
    names("the service beside the domain", true) {
      [try .service("_xmpp-client.example.test"), .dnsName("example.test")]
    },
    CertificateCase("the service, of an issuer for other domains", isNamed: false) {
      $0.names = [try .service("_xmpp-client.example.test"), .dnsName("im.evil.test")]
      $0.permitted = ["evil.test"]
    },
    names("the service of another domain", false) {
      [try .service("_xmpp-client.evil.test")]
    },
    names("the service between servers", false) {
      [try .service("_xmpp-server.example.test")]
    },
    names("the service of mail", false) { [try .service("_imap.example.test")] },
    names("another service beside the domain", true) {
      [try .service("_xmpp-server.example.test"), .dnsName("example.test")]
    },
    names("a service as a host", for: "_xmpp-client.example.test", false) {
      [try .service("_xmpp-client.example.test")]
    },
  ]
}
