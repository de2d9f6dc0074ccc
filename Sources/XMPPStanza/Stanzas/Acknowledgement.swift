import RawBytes

extension XMPPElement {
  /// Whether the element requests or gives an acknowledgement of stanzas (XEP-0198 §4) and contains
  /// nothing but their count. A stream may have one for each stanza.
  package var isAcknowledgement: Bool {
    guard word == "r" || word == "a" else { return false }
    guard
      tree.isIn(part, Namespace.streamManagement) || tree.isIn(part, Namespace.streamManagement2)
    else { return false }
    switch end - index {
    case 1: return true
    case 2:
      guard let count = attributePart("h") else { return false }
      return tree.withBytes(of: count) { digits in
        digits.byteCount <= 10
          && digits.byteOffsets.allSatisfy { "0"..."9" ~= Unicode.Scalar(digits[$0]) }
      }
    default: return false
    }
  }
}
