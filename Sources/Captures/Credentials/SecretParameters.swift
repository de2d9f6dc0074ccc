import RawBytes
import XMPPStanza

/// Secrets in addresses.
///
/// These are parameters of XMPP URIs (XEP-0147, XEP-0379, XEP-0401) and of others, the password
/// before a host (RFC 3986 §3.2.1), and the key after an `aesgcm:` address.
enum SecretParameters {
  /// The text that replaces a secret.
  private static let mark = Array("removed".utf8)

  /// Returns the address without its secrets, or nil if it has none. Complexity: linear.
  static func withoutSecrets(_ address: String) -> String? {
    let withoutKeys = withoutKeys(address)
    let bytes = Array((withoutKeys ?? address).utf8)
    var result: [UInt8] = []
    var found = withoutKeys != nil
    // The latest index at which the name of a parameter may begin.
    var start: Int?
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      result.append(byte)
      index += 1
      switch byte {
      case UInt8(ascii: "?"), UInt8(ascii: ";"), UInt8(ascii: "&"), UInt8(ascii: "#"):
        start = index
      case UInt8(ascii: "/"):
        start = index
        let password = passwordOfHost(bytes, from: index)
        if let password, !bytes[password].elementsEqual(mark) {
          result += bytes[index..<password.lowerBound] + mark
          index = password.upperBound
          found = true
        }
      case UInt8(ascii: "="):
        // Names are recognized by their endings; only a hostile one is longer.
        guard let name = start.map({ bytes[$0..<(index - 1)].suffix(64) }),
          SecretNames.isSecret(parameter: String(decoding: name, as: UTF8.self))
        else { break }
        let end = bytes[index...].firstIndex(where: endsValue) ?? bytes.count
        if index < end, !bytes[index..<end].elementsEqual(mark) {
          result += mark
          index = end
          found = true
        }
      default: break
      }
    }
    return found ? String(decoding: result, as: UTF8.self) : nil
  }

  private static func endsValue(_ byte: UInt8) -> Bool {
    byte <= 0x20 || "&;#\"'<>".utf8.contains(byte)
  }

  /// The range of a user's password, in an authority whose two slashes end at `index`.
  private static func passwordOfHost(_ bytes: [UInt8], from index: Int) -> Range<Int>? {
    guard index >= 3, bytes[(index - 3)..<index].elementsEqual("://".utf8) else { return nil }
    let end = bytes[index...].firstIndex { "/?#".utf8.contains($0) || $0 <= 0x20 } ?? bytes.count
    guard let at = bytes[index..<end].lastIndex(of: UInt8(ascii: "@")),
      let colon = bytes[index..<at].firstIndex(of: UInt8(ascii: ":")), colon + 1 < at
    else { return nil }
    return (colon + 1)..<at
  }

  /// Returns the address without its query and fragment, or nil if it has neither.
  ///
  /// This is for addresses in which they carry a secret without a name.
  static func withoutQuery(_ address: String) -> String? {
    let bytes = Array(address.utf8)
    let start = bytes.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
    guard let start else { return nil }
    let short = bytes[...start] + mark
    return short.elementsEqual(bytes) ? nil : String(decoding: short, as: UTF8.self)
  }

  // MARK: Landing pages

  /// Returns only the scheme and host of a landing page's address, or nil if it has nothing else.
  ///
  /// Any other part of it can be the invitation (XEP-0401 §3). An XMPP URI keeps everything but its
  /// secrets; a text that is not an address keeps nothing. Complexity: linear.
  static func hostAlone(_ address: String) -> String? {
    let bytes = Array(address.trimmedOfXMLSpace.utf8)
    guard let authority = startOfAuthority(bytes) else {
      if bytes.prefix(5).elementsEqual("xmpp:".utf8, by: isSameLetter) {
        return withoutSecrets(address)
      }
      return bytes.isEmpty || bytes == mark ? nil : String(decoding: mark, as: UTF8.self)
    }
    let end =
      bytes[authority...].firstIndex { "/?#\\".utf8.contains($0) || $0 <= 0x20 } ?? bytes.count
    var host = bytes[authority..<end]
    if let at = host.lastIndex(of: UInt8(ascii: "@")) { host = host[(at + 1)...] }
    // An IPv6 address has colons of its own, in brackets.
    let bracket = host.lastIndex(of: UInt8(ascii: "]")) ?? host.startIndex
    if let port = host[bracket...].firstIndex(of: UInt8(ascii: ":")) { host = host[..<port] }
    let isBare = end == bytes.count || bytes[end...].elementsEqual("/".utf8)
    let short =
      bytes[..<authority] + host + (isBare ? Array(bytes[end...]) : [UInt8(ascii: "/")] + mark)
    return short.elementsEqual(bytes) ? nil : String(decoding: short, as: UTF8.self)
  }

  /// Returns whether a text is a web address, as an invitation's landing page is.
  static func isWebAddress(_ address: String) -> Bool {
    let bytes = address.trimmedOfXMLSpace.utf8
    return ["http:", "https:"].contains { scheme in
      bytes.prefix(scheme.utf8.count).elementsEqual(scheme.utf8, by: isSameLetter)
    }
  }

  /// The index at which the authority of an address begins (RFC 3986 §3.2); nil if it has none.
  private static func startOfAuthority(_ bytes: [UInt8]) -> Int? {
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon > 0,
      bytes[..<colon].allSatisfy({ $0.isLetter || $0.isDigit || "+-.".utf8.contains($0) }),
      bytes[(colon + 1)...].starts(with: "//".utf8)
    else { return nil }
    return colon + 3
  }

  private static func isSameLetter(_ a: UInt8, _ lowercase: UInt8) -> Bool {
    a == lowercase || lowercase.isLetter && a | 0x20 == lowercase
  }

  // MARK: Keys of encrypted files

  /// The scheme of an address whose fragment is the key of its file.
  private static let keyScheme = Array("aesgcm:".utf8)
  /// The length of the shortest address with a key.
  static let minimumBytesWithKey = 9

  /// Returns whether a text may have the key of an encrypted file: it has the scheme of such an
  /// address and a `#` somewhere. Complexity: linear.
  static func mayHaveKey(_ text: RawSpan) -> Bool {
    // Few texts have one, and the C library is the fastest way to find it.
    guard text.offset(of: UInt8(ascii: "#")) != nil else { return false }
    var start = 0
    while let colon = text.offset(of: UInt8(ascii: ":"), from: start) {
      start = colon + 1
      let scheme = start - keyScheme.count
      guard scheme >= 0 else { continue }
      var count = 0
      while count < keyScheme.count, isSameLetter(text[scheme + count], keyScheme[count]) {
        count += 1
      }
      if count == keyScheme.count { return true }
    }
    return false
  }

  /// Returns a text without the keys in its `aesgcm:` addresses, or nil if it has none.
  ///
  /// Such an address ends before white space, a quotation mark or an angle bracket. Complexity:
  /// linear.
  static func withoutKeys(_ text: String) -> String? {
    let bytes = Array(text.utf8)
    var result: [UInt8] = []
    var (copied, index) = (0, 0)
    while let colon = bytes[index...].position(of: UInt8(ascii: ":")) {
      index = colon + 1
      guard bytes[..<index].suffix(keyScheme.count).elementsEqual(keyScheme, by: isSameLetter)
      else { continue }
      let address = bytes[index...].prefix { !endsAddress($0) }
      index = address.endIndex
      guard let fragment = address.position(of: UInt8(ascii: "#")) else { continue }
      let key = address[(fragment + 1)...]
      guard !key.isEmpty, !key.elementsEqual(mark) else { continue }
      result += bytes[copied...fragment] + mark
      copied = index
    }
    return copied == 0 ? nil : String(decoding: result + bytes[copied...], as: UTF8.self)
  }

  private static func endsAddress(_ byte: UInt8) -> Bool {
    byte <= 0x20 || "\"<>".utf8.contains(byte)
  }

  // MARK: Words in a text

  /// How much of a secret is searched for in a text, so that a long one does not make that costly.
  private static let maximumWordBytes = 16

  /// Returns a text without a secret wherever that is a whole word, or nil if it has none.
  ///
  /// If a secret has more than 16 bytes, its first 16 are removed with the rest of their word.
  /// Complexity: linear.
  static func without(word secret: String, in text: String) -> String? {
    let bytes = Array(text.utf8)
    let word = Array(secret.utf8.prefix(maximumWordBytes))
    let isCut = word.count < secret.utf8.count
    var result: [UInt8] = []
    var (copied, index) = (0, 0)
    while let start = bytes[index...].position(of: word) {
      index = start + 1
      var end = start + word.count
      if isCut { end = bytes[end...].prefix { !endsAddress($0) }.endIndex }
      let isWhole =
        !(start > 0 && isWordByte(bytes[start - 1]))
        && !(end < bytes.count && isWordByte(bytes[end]))
      guard isWhole || isCut else { continue }
      result += bytes[copied..<start] + mark
      (copied, index) = (end, end)
    }
    return copied == 0 ? nil : String(decoding: result + bytes[copied...], as: UTF8.self)
  }

  /// Whether a byte is part of a word.
  ///
  /// Only ASCII counts, because other scripts need no space between words.
  private static func isWordByte(_ byte: UInt8) -> Bool { byte.isLetter || byte.isDigit }
}
