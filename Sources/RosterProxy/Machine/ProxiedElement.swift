import RosterClient
import XMPPStanza

// The properties of elements that decide whether and how the proxy passes them on.
extension XMPPElement {
  /// Whether it contains a client's password in plain text: with PLAIN (RFC 4616), its predecessor
  /// LOGIN, or the login by the protocol before SASL (XEP-0078).
  var showsPassword: Bool {
    if asksIn { return ["PLAIN", "LOGIN"].contains(mechanism) }
    return child("query", in: Namespace.legacyAuth)?
      .child("password", in: Namespace.legacyAuth) != nil
  }

  /// Whether it can contain a credential: a password, in a login or in a form (XEP-0077), or a
  /// token. A mechanism counts unless it is known to reveal nothing.
  var showsSecret: Bool {
    if asksIn {
      return !Self.provingMechanisms.contains { name in
        name.hasSuffix("-") ? mechanism.hasPrefix(name) : mechanism == name
      }
    }
    if showsPassword { return true }
    guard attribute("type") == "set", let form = child("query", in: Namespace.register) else {
      return false
    }
    return form.hasChild("password", in: Namespace.register)
      || form.hasChild("x", in: Namespace.dataForms)
  }

  private var mechanism: String { (attribute("mechanism") ?? "").trimmedOfXMLSpace.uppercased() }

  /// The mechanisms of SASL, or the beginnings of their names, with which a client proves that it
  /// has a secret, or says that it has none, without revealing one.
  private static let provingMechanisms = [
    "SCRAM-", "HT-", "GS2-", "GSSAPI", "DIGEST-MD5", "CRAM-MD5", "EXTERNAL", "ANONYMOUS",
  ]

  /// Whether a client begins a login with it.
  var asksIn: Bool {
    self.is("auth", in: Namespace.sasl) || self.is("authenticate", in: Namespace.sasl2)
  }

  /// Whether this is part of a login.
  func isOfSASL(from side: ProxySide) -> Bool {
    name.namespace == Namespace.sasl || (side == .client && name.namespace == Namespace.sasl2)
  }

  /// Whether it is valid only after the login (RFC 6120 §7.1), because an attacker in the middle
  /// could send it before. Requests that create an account (XEP-0077) or log in by the protocol
  /// before SASL (XEP-0078) are valid earlier.
  var wantsLogin: Bool {
    if letsIn { return true }
    if [Namespace.streamManagement, Namespace.streamManagement2].contains(name.namespace) {
      return true
    }
    guard name.namespace == Namespace.client else { return false }
    let allowed = [Namespace.register, Namespace.legacyAuth]
    return name.local != "iq"
      || !children.allSatisfy { allowed.contains($0.name.namespace) || $0.name.local == "error" }
  }

  /// Whether a server accepts a login with it.
  var letsIn: Bool {
    self.is("success", in: Namespace.sasl) || self.is("success", in: Namespace.sasl2)
  }

  /// Whether a client logs in with it by the protocol before SASL (XEP-0078).
  var isLegacyLogin: Bool {
    attribute("type") == "set" && child("query", in: Namespace.legacyAuth) != nil
  }

  /// The name that a client logs in with (RFC 4616 §2, RFC 5802 §5.1, XEP-0078); nil if the element
  /// begins no login or has no name.
  var userName: String? {
    let name: String?
    if isLegacyLogin {
      name =
        child("query", in: Namespace.legacyAuth)?
        .child("username", in: Namespace.legacyAuth)?.text
    } else {
      let first = asksIn ? child("initial-response", in: Namespace.sasl2) ?? self : nil
      guard let bytes = try? first?.base64() else { return nil }
      name = Self.userName(in: bytes, mechanism)
    }
    return name.flatMap { $0.isEmpty ? nil : String($0.prefix(256)) }
  }

  private static func userName(in message: [UInt8], _ mechanism: String) -> String? {
    if mechanism == "PLAIN" {
      let parts = message.split(separator: 0, omittingEmptySubsequences: false)
      return parts.count == 3 ? String(decoding: parts[1], as: UTF8.self) : nil
    }
    guard mechanism.hasPrefix("SCRAM-") else { return nil }
    let attribute = message.split(separator: UInt8(ascii: ",")).first { $0.starts(with: "n=".utf8) }
    return attribute.map {
      String(decoding: $0.dropFirst(2), as: UTF8.self).replacing("=2C", with: ",")
        .replacing("=3D", with: "=")
    }
  }

  /// The element's bytes without the parts that lead a client past the proxy, or hide its traffic.
  ///
  /// - Parameter offer: The offer that replaces the server's mechanisms; nil to keep them.
  func withoutDetours(in bytes: [UInt8], offering offer: [UInt8]? = nil) -> [UInt8] {
    guard mayHaveDetours, let span = ElementSpan(bytes) else { return bytes }
    let logins =
      offer == nil ? [] : zip(children, span.children).filter(\.0.isOfLogin).map(\.1.whole)
    let cuts = detours(in: bytes, span) + logins
    guard !cuts.isEmpty else { return bytes }
    return ByteCuts(of: bytes.count, cuts)
      .applied(to: bytes, putting: offer ?? [], at: logins.first?.lowerBound)
  }

  private var mayHaveDetours: Bool {
    self.is("features", in: Namespace.streams) || self.is("error", in: Namespace.streams)
      || self.is("success", in: Namespace.sasl2) || isEnabled
  }

  private var isEnabled: Bool {
    self.is("enabled", in: Namespace.streamManagement)
      || self.is("enabled", in: Namespace.streamManagement2)
  }

  private func detours(in bytes: [UInt8], _ span: ElementSpan) -> [Range<Int>] {
    // XEP-0138 §4.
    if self.is("compression", in: "http://jabber.org/features/compress") { return [span.whole] }
    // RFC 6120 §4.9.3.19.
    if self.is("see-other-host", in: Namespace.streamErrors) {
      return span.content.isEmpty ? [] : [span.content]
    }
    // XEP-0198 §5.
    let own = isEnabled ? span.attribute("location", in: bytes).map { [$0] } ?? [] : []
    return own + zip(children, span.children).flatMap { $0.detours(in: bytes, $1) }
  }
}

extension String {
  /// Whether both name the same domain, however it is written.
  func isSameDomain(as other: String) -> Bool {
    if self == other { return true }
    guard let own = try? BareJID(parsing: self), let other = try? BareJID(parsing: other) else {
      return false
    }
    return own.local == nil && own == other
  }
}
