import RawBytes
import XMPPStanza

/// What an available presence says, read from its element: `<show/>`, `<priority/>`, `<status/>`
/// and the delay stamp.
struct PresenceContent {
  private(set) var show = Show.available
  private(set) var priority: Int8 = 0
  /// What was not as it has to be, a clause for a person.
  private(set) var malformed: String?
  private let node: XMPPElement

  init(_ node: XMPPElement) {
    self.node = node
    node.withText(ofChild: "show", in: Namespace.client) { take(show: $0.trimmedOfXMLSpace) }
    node.withText(ofChild: "priority", in: Namespace.client) {
      take(priority: $0.trimmedOfXMLSpace)
    }
  }

  private mutating func take(show bytes: RawSpan) {
    guard !bytes.isEmpty else { return }
    // “available” is our word for no <show/>; on the wire it is as unknown as any other.
    if let known = Show(name: bytes), known != .available {
      show = known
    } else {
      let text = String(decoding: bytes)
      malformed = "<show>\(text)</show> is not defined and was taken as available"
    }
  }

  private mutating func take(priority bytes: RawSpan) {
    // Nearly all are a digit.
    if bytes.byteCount == 1, let digit = bytes[0].asDigit {
      priority = Int8(digit)
      return
    }
    let text = String(decoding: bytes)
    if let number = Int8(text) {
      priority = number
    } else {
      malformed = "<priority>\(text)</priority> is no number from -128 to 127 and was taken as 0"
    }
  }

  /// Passes the status to `body`; nil if there is none, or an empty one. The bytes are valid while
  /// it runs.
  func withStatus(_ body: (RawSpan?) -> Void) {
    node.withFilledText(ofChild: "status", in: Namespace.client, body)
  }

  /// Passes the stamp of the delay to `body`; nil if there is none. The bytes are valid while it
  /// runs.
  func withDelay(_ body: (RawSpan?) -> Void) {
    guard let delay = node.child("delay", in: Namespace.delay) else { return body(nil) }
    delay.withAttribute("stamp", body)
  }
}

extension UInt8 {
  /// The number that a digit of ASCII stands for.
  fileprivate var asDigit: UInt8? {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) ? self - UInt8(ascii: "0") : nil
  }
}

extension XMPPElement {
  /// Hands the text of a child to `body`, nil where there is none or an empty one; the bytes are
  /// valid while it runs.
  ///
  /// - Parameter isTrimmed: Whether white space at its ends counts as nothing.
  func withFilledText(
    ofChild local: WantedName, in namespace: String, isTrimmed: Bool = false,
    _ body: (RawSpan?) -> Void
  ) {
    var isFilled = false
    withText(ofChild: local, in: namespace) { text in
      let text = isTrimmed ? text.trimmedOfXMLSpace : text
      isFilled = !text.isEmpty
      if isFilled { body(text) }
    }
    if !isFilled { body(nil) }
  }
}
