/// Secrets in addresses: parameters of XMPP URIs (XEP-0147, XEP-0379, XEP-0401) and of others, and
/// the password before a host (RFC 3986 §3.2.1).
enum SecretParameters {
  /// What stands for a value that was taken out.
  private static let mark = Array("removed".utf8)

  /// The address without its secrets, nil where it has none. Complexity: linear.
  static func removed(from address: String) -> String? {
    let bytes = Array(address.utf8)
    var result: [UInt8] = []
    var found = false
    // Where the name of a parameter may begin.
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
        // Names are told by how they end; only a hostile one is longer.
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

  /// Where the password of a user stands after the two slashes that an authority begins with.
  private static func passwordOfHost(_ bytes: [UInt8], from index: Int) -> Range<Int>? {
    guard index >= 3, bytes[(index - 3)..<index].elementsEqual("://".utf8) else { return nil }
    let end = bytes[index...].firstIndex { "/?#".utf8.contains($0) || $0 <= 0x20 } ?? bytes.count
    guard let at = bytes[index..<end].lastIndex(of: UInt8(ascii: "@")),
      let colon = bytes[index..<at].firstIndex(of: UInt8(ascii: ":")), colon + 1 < at
    else { return nil }
    return (colon + 1)..<at
  }

  /// The address without its query and fragment, nil where it has neither: where they carry a
  /// secret without a name.
  static func withoutQuery(_ address: String) -> String? {
    let bytes = Array(address.utf8)
    let start = bytes.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
    guard let start else { return nil }
    let short = bytes[...start] + mark
    return short.elementsEqual(bytes) ? nil : String(decoding: short, as: UTF8.self)
  }
}
