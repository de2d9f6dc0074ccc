/// The secret that a page has to know to see the log: other users of the machine, and pages of
/// other origins, do not.
package struct AccessKey: Hashable, Sendable {
  /// The number of random bytes.
  private static let length = 32

  /// The key in the alphabet of URLs (RFC 4648 §5), without padding.
  package let text: String

  /// A new key.
  package init(using generator: inout some RandomNumberGenerator) {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    var text: [UInt8] = []
    var (bits, count) = (0, 0)
    for _ in 0..<Self.length {
      bits = bits << 8 | Int(UInt8.random(in: .min ... .max, using: &generator))
      count += 8
      while count >= 6 {
        count -= 6
        text.append(alphabet[bits >> count & 63])
      }
      bits &= 1 << count - 1
    }
    if count > 0 { text.append(alphabet[bits << (6 - count) & 63]) }
    self.text = String(decoding: text, as: UTF8.self)
  }

  /// Whether a header `Authorization` has the key. Takes the same time for every wrong key of the
  /// same length, so that a key cannot be guessed byte by byte.
  package func opens(_ authorization: String) -> Bool {
    let given = Array(authorization.utf8)
    let wanted = Array("Bearer \(text)".utf8)
    guard given.count == wanted.count else { return false }
    return zip(given, wanted).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
