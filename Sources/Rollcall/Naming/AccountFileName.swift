import Crypto
import RawBytes
package import XMPPStanza

extension BareJID {
  /// The name, without an extension, of files about an account: the address, if every file system
  /// keeps it as it is, and otherwise its readable beginning, `%-` and a digest of it.
  ///
  /// No other address has the name, not even on a file system that ignores case, and the name never
  /// changes. An address has up to 2,047 bytes (RFC 7622 §3.1), a name 255.
  package var fileName: String {
    let name = Self.escaped(text)
    guard name.utf8.count > FileNameLimit.bytes || text.hasOtherFoldings else { return name }
    var head = ""
    for character in text {
      guard Self.escaped(head + String(character)).utf8.count <= FileNameLimit.headBytes else {
        break
      }
      head.append(character)
    }
    let digest = SHA256.hash(data: Array(text.utf8)).map { byte in
      (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
    return Self.escaped(head) + "%-" + digest.joined()
  }

  /// What a folder would take for something else, written as in an address of the web; and `.plain`
  /// and `.tls` at the end, which tell the logs of one account apart.
  private static func escaped(_ text: String) -> String {
    var name = text.replacing("%", with: "%25").replacing("/", with: "%2f")
    if name.hasPrefix(".") { name = "%2e" + name.dropFirst() }
    for end in [".plain", ".tls"] where name.hasSuffix(end) {
      name = String(name.dropLast(end.count)) + "%2e" + end.dropFirst()
    }
    return name
  }
}

/// The lengths of names of files.
private enum FileNameLimit {
  /// With what is put after a log's name, for its drafts and locks too, it stays within 255.
  static let bytes = 190
  /// What is left beside a digest.
  static let headBytes = 120
}

extension String {
  /// Whether a file system that folds case may take it for another text, although it is in lower
  /// case: a domain may have `ß`, which is no `ss` there.
  fileprivate var hasOtherFoldings: Bool {
    !utf8.allSatisfy { $0 < 0x80 } && !uppercased().lowercased().hasSameBytes(as: self)
  }
}
