/// Which names of elements, attributes and form fields are those of secrets, whatever namespace
/// they stand in: what XEPs and servers call what must not be passed on.
enum SecretNames {
  /// A name without what separates its words, in small letters: `access_token` and `Access-Token`
  /// are the same.
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
  private static let whole: Set = [
    "pass", "pwd", "otp", "pin",
    // XEP-0167: the keys of a call's media.
    "keyparams",
    // XEP-0235.
    "oauthsignature",
  ]
  /// What is a secret in some namespaces.
  private static let elsewhere: Set = [
    "handshake", "auth", "response", "challenge", "initialresponse", "additionaldata", "taskdata",
    "next",
  ]
  /// What parameters of addresses are called besides.
  private static let parameters: Set = [
    "preauth", "signature", "sig", "xamzsignature", "xamzsecuritytoken", "xamzcredential",
    "xgoogsignature", "xgoogcredential", "hmac", "key",
  ]

  /// Whether an element or attribute of this local name holds a secret.
  static func isSecret(_ name: String) -> Bool {
    let name = plain(name)
    return whole.contains(name) || endings.contains { name.hasSuffix($0) }
  }

  /// Whether a field of a form is a secret by its name (XEP-0004, XEP-0068).
  static func isSecret(field name: String) -> Bool {
    let last = name.lastIndex(of: "#").map { name[name.index(after: $0)...] }
    return isSecret(last.map(String.init) ?? name) || plain(name).contains("password")
  }

  /// Whether a parameter of an address is a secret.
  static func isSecret(parameter name: String) -> Bool {
    isSecret(name) || parameters.contains(plain(name))
  }

  /// Whether a value of this name is an address, in which a secret can stand.
  static func isAddress(_ name: String) -> Bool {
    let name = plain(name)
    return name == "target" || ["uri", "url", "href", "src"].contains { name.hasSuffix($0) }
  }

  /// Whether this name, or namespace, is that of an invitation, in which an address of the Web is a
  /// landing page.
  static func isInvitation(_ name: String) -> Bool { plain(name).contains("invit") }

  /// Whether a value of this name is the address of an invitation's landing page (XEP-0401 §3).
  static func isLandingPage(_ name: String) -> Bool { plain(name).contains("landing") }

  /// Whether an element with this local name in it has to be gone through, whatever namespaces are
  /// in it.
  static func mayMatter(_ name: String) -> Bool {
    isSecret(name) || isAddress(name) || isInvitation(name) || isLandingPage(name)
      || elsewhere.contains(plain(name))
  }

  /// Whether a word in bytes that cannot be read may stand beside a secret.
  static func isSign(_ word: String) -> Bool {
    mayMatter(word) || parameters.contains(plain(word)) || unreadable.contains(plain(word))
  }

  private static let unreadable: Set = [
    "authenticate", "authorization", "previd", "sid", "authid", "newkey", "enabled", "resume",
    "aesgcm",
  ]
}
