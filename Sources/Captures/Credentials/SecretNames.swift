/// The names that XEPs and servers give to secrets, in elements, attributes and form fields.
///
/// They count in any namespace.
enum SecretNames {
  /// Returns a name in lower case without word separators.
  ///
  /// `access_token` and `Access-Token` become equal.
  private static func plain(_ name: String) -> String {
    String(
      decoding: name.utf8.compactMap { byte -> UInt8? in
        switch byte {
        case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."): nil
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte | 0x20
        default: byte
        }
      }, as: UTF8.self)
  }

  private static let endings = [
    "password", "passwd", "passphrase", "secret", "token", "secretkey", "privatekey", "privkey",
    "authkey", "apikey", "credential", "credentials",
  ]
  private static let wholeNames: Set = [
    "pass", "pwd", "otp", "pin",
    // XEP-0167: the keys of a call's media.
    "keyparams",
    // XEP-0235.
    "oauthsignature",
  ]
  /// The names that are secrets in some namespaces only.
  private static let namesInSomeNamespaces: Set = [
    "handshake", "auth", "response", "challenge", "initialresponse", "additionaldata", "taskdata",
    "next",
  ]
  /// More names, which are secrets as parameters of addresses only.
  private static let parameterNames: Set = [
    "preauth", "signature", "sig", "xamzsignature", "xamzsecuritytoken", "xamzcredential",
    "xgoogsignature", "xgoogcredential", "hmac", "key",
  ]

  /// Whether an element or attribute of this local name holds a secret.
  static func isSecret(_ name: String) -> Bool {
    let name = plain(name)
    return wholeNames.contains(name) || endings.contains { name.hasSuffix($0) }
  }

  /// Whether a field of a form is a secret by its name (XEP-0004, XEP-0068).
  static func isSecret(field name: String) -> Bool {
    let last = name.lastIndex(of: "#").map { name[name.index(after: $0)...] }
    return isSecret(last.map(String.init) ?? name) || plain(name).contains("password")
  }

  /// Whether a parameter of an address is a secret.
  static func isSecret(parameter name: String) -> Bool {
    isSecret(name) || parameterNames.contains(plain(name))
  }

  /// Whether a value of this name is an address, which can contain a secret.
  static func isAddress(_ name: String) -> Bool {
    let name = plain(name)
    return name == "target" || ["uri", "url", "href", "src"].contains { name.hasSuffix($0) }
  }

  /// Whether a name or namespace is that of an invitation, whose web addresses are landing pages.
  static func isInvitation(_ name: String) -> Bool { plain(name).contains("invit") }

  /// Whether a value of this name is the address of an invitation's landing page (XEP-0401 §3).
  static func isLandingPage(_ name: String) -> Bool { plain(name).contains("landing") }

  /// Whether an element that contains this local name must be searched, whatever its namespaces.
  static func needsInspection(_ name: String) -> Bool {
    isSecret(name) || isAddress(name) || isInvitation(name) || isLandingPage(name)
      || namesInSomeNamespaces.contains(plain(name))
  }

  /// Whether a word in unreadable bytes may come before a secret.
  static func mayPrecedeSecret(_ word: String) -> Bool {
    needsInspection(word) || parameterNames.contains(plain(word))
      || wordsBeforeSecrets.contains(plain(word))
  }

  private static let wordsBeforeSecrets: Set = [
    "authenticate", "authorization", "previd", "sid", "authid", "newkey", "enabled", "resume",
    "aesgcm",
  ]
}
