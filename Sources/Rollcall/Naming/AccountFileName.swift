import Digests
import RawBytes
package import XMPPStanza

extension BareJID {
  /// The name, without an extension, of files about an account: the address if every file system
  /// keeps it unchanged, otherwise its readable beginning, `%-` and a digest of the address.
  ///
  /// No other address has this name, not even on a file system that ignores case, and the name
  /// never changes. An address can have 2,047 bytes (RFC 7622 §3.1), a file name only 255.
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
    return Self.escaped(head) + "%-" + Digest.sha256(Array(text.utf8)).hexadecimal
  }

  /// The text with percent-encoding for characters that have a meaning in a path, and for `.plain`
  /// and `.tls` at the end, which distinguish the logs of one account.
  private static func escaped(_ text: String) -> String {
    var name = text.replacing("%", with: "%25").replacing("/", with: "%2f")
    if name.hasPrefix(".") { name = "%2e" + name.dropFirst() }
    for end in [".plain", ".tls"] where name.hasSuffix(end) {
      name = String(name.dropLast(end.count)) + "%2e" + end.dropFirst()
    }
    return name
  }
}

/// The limits on the lengths of file names.
private enum FileNameLimit {
  /// Leaves room, within 255 bytes, for the suffixes of logs, their drafts and their locks.
  static let bytes = 190
  /// The maximum number of bytes before a digest.
  static let headBytes = 120
}

extension String {
  /// Whether a file system that folds case may confuse the text with another one although it is in
  /// lower case: a domain may contain `ß`, which such a file system may treat as `ss`.
  fileprivate var hasOtherFoldings: Bool {
    !utf8.allSatisfy { $0 < 0x80 } && !uppercased().lowercased().hasSameBytes(as: self)
  }
}
