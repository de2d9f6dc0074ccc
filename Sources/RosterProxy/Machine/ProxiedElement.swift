import RosterClient
import XMPPStanza

// What the proxy looks at in the elements that it passes on.
extension XMPPElement {
  /// Whether a client shows its password as it is by saying this: with PLAIN (RFC 4616), its
  /// predecessor LOGIN, or the login from before SASL (XEP-0078).
  var showsPassword: Bool {
    if asksIn { return ["PLAIN", "LOGIN"].contains(mechanism) }
    return child("query", in: Namespace.legacyAuth)?
      .child("password", in: Namespace.legacyAuth) != nil
  }

  /// Whether a client shows by this anything that lets one log in: its password, in a login or in a
  /// form (XEP-0077), or a token. Mechanisms that are not known to show nothing count.
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

  /// The mechanisms of SASL, or the beginnings of their names, by which a client proves that it has
  /// a secret, or says that it has none, and shows none.
  private static let provingMechanisms = [
    "SCRAM-", "HT-", "GS2-", "GSSAPI", "DIGEST-MD5", "CRAM-MD5", "EXTERNAL", "ANONYMOUS",
  ]

  /// Whether a client asks by this to be let in.
  var asksIn: Bool {
    self.is("auth", in: Namespace.sasl) || self.is("authenticate", in: Namespace.sasl2)
  }

  /// Whether this is part of a login.
  func isOfSASL(from side: ProxySide) -> Bool {
    name.namespace == Namespace.sasl || (side == .client && name.namespace == Namespace.sasl2)
  }

  /// Whether this means something only once a client was let in (RFC 6120 §7.1): before, whoever
  /// stands in between can say it. Accounts are made (XEP-0077), and logged in to as before SASL
  /// (XEP-0078), by requests all the same.
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

  /// Whether a server says by this that it knows the client now.
  var letsIn: Bool {
    self.is("success", in: Namespace.sasl) || self.is("success", in: Namespace.sasl2)
  }

  /// Whether a client logs in by this as before SASL (XEP-0078).
  var isLegacyLogin: Bool {
    attribute("type") == "set" && child("query", in: Namespace.legacyAuth) != nil
  }

  /// The element's bytes without what leads a client past the proxy, or hides what it says from it.
  ///
  /// - Parameter offer: What is offered in place of the server's ways to log in; nil where they are
  ///   left as they are.
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
  /// Whether both name one domain, however they are written.
  func isSameDomain(as other: String) -> Bool {
    if self == other { return true }
    guard let own = try? BareJID(parsing: self), let other = try? BareJID(parsing: other) else {
      return false
    }
    return own.local == nil && own == other
  }
}
