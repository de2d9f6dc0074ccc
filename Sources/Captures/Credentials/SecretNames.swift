import XMPPStanza

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

  /// Whether an element or attribute of this local name holds a secret.
  static func isSecret(_ name: String) -> Bool {
    let name = plain(name)
    return whole.contains(name) || endings.contains { name.hasSuffix($0) }
  }

  /// Whether a field of a form is a secret by its name (XEP-0004, XEP-0068).
  static func isSecret(field name: String) -> Bool {
    isSecret(
      String(name[(name.lastIndex(of: "#").map { name.index(after: $0) } ?? name.startIndex)...]))
      || plain(name).contains("password")
  }

  /// Whether a value of this name is an address, in which a secret can stand.
  static func isAddress(_ name: String) -> Bool {
    let name = plain(name)
    return ["uri", "url", "href", "src"].contains { name.hasSuffix($0) }
  }

  /// What the names end with that are looked at here, or anywhere else for secrets, in small
  /// letters: an element in which no name does is not gone through.
  static let suffixes = XMLNameSuffixes([
    "word", "sswd", "rase", "pass", "pwd", "cret", "oken", "otp", "pin", "tkey", "ekey", "vkey",
    "hkey", "ikey", "tial", "ials", "rams", "ture", "hake", "uri", "url", "href", "src", "enge",
    "onse", "auth", "data", "next",
  ])
}

/// Secrets in addresses: parameters of XMPP URIs (XEP-0147, XEP-0379, XEP-0401) and of others.
enum SecretParameters {
  /// What stands for a value that was taken out.
  private static let mark = "removed"

  private static let names: Set = [
    "preauth", "signature", "sig", "xamzsignature", "xamzsecuritytoken", "xamzcredential",
    "xgoogsignature", "xgoogcredential", "hmac", "key",
  ]

  private static func isSecret(_ name: Substring) -> Bool {
    let name = String(name)
    return SecretNames.isSecret(name)
      || names.contains(name.lowercased().filter { $0 != "-" && $0 != "_" })
  }

  /// The address without the values of its secret parameters, nil where it has none.
  static func removed(from address: String) -> String? {
    var result = ""
    var found = false
    var rest = Substring(address)
    while let equals = rest.firstIndex(of: "=") {
      let before = rest[..<equals]
      let start = before.lastIndex { "?;&#/".contains($0) }.map { before.index(after: $0) }
      let after = rest[rest.index(after: equals)...]
      let end = after.firstIndex { "&;# \"'<>\n".contains($0) } ?? after.endIndex
      let value = after[..<end]
      result += before + "="
      if let start, isSecret(before[start...]), !value.isEmpty, value != Substring(mark) {
        result += mark
        found = true
      } else {
        result += value
      }
      rest = after[end...]
    }
    return found ? result + rest : nil
  }

  /// The address without its query and fragment, nil where it has neither: where they carry a
  /// secret without a name.
  static func withoutQuery(_ address: String) -> String? {
    guard let start = address.firstIndex(where: { $0 == "?" || $0 == "#" }) else { return nil }
    let short = address[...start] + mark
    return short == address[...] ? nil : String(short)
  }
}
