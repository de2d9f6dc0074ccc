package import XMPPStanza

extension MediaBytes {
  /// Finds the bytes with a digest in a stanza, at any depth, because a copy of a message is inside
  /// other elements.
  ///
  /// - Parameters:
  ///   - size: The number of the bytes; texts that cannot have as many are not decoded.
  ///   - sha256: The SHA-256 digest in lowercase hexadecimal digits.
  ///
  /// Complexity: linear in the stanza.
  package static func find(size: Int, sha256: String, in node: XMPPElement) -> MediaBytes? {
    var found: MediaBytes?
    node.withText { text in
      // Four digits for three bytes; white space makes the text longer.
      guard text.byteCount >= (size + 2) / 3 * 4, let media = MediaBytes(base64: text),
        media.bytes.count == size, media.sha256 == sha256
      else { return }
      found = media
    }
    if let found { return found }
    for child in node.children {
      if let found = find(size: size, sha256: sha256, in: child) { return found }
    }
    return nil
  }
}
