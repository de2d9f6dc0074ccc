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

  private mutating func take(show bytes: UnsafeRawBufferPointer) {
    guard !bytes.isEmpty else { return }
    // “available” is our word for no <show/>; on the wire it is as unknown as any other.
    if let known = Show.allCases.first(where: { $0.rawValue.hasBytes(bytes) }),
      known != .available
    {
      show = known
    } else {
      let text = String(decoding: bytes, as: UTF8.self)
      malformed = "<show>\(text)</show> is not defined and was taken as available"
    }
  }

  private mutating func take(priority bytes: UnsafeRawBufferPointer) {
    let text = String(decoding: bytes, as: UTF8.self)
    if let number = Int8(text) {
      priority = number
    } else {
      malformed = "<priority>\(text)</priority> is no number from -128 to 127 and was taken as 0"
    }
  }

  /// Hands the status to `body`, nil where there is none or an empty one; the bytes are valid while
  /// it runs.
  func withStatus(_ body: (UnsafeRawBufferPointer?) -> Void) {
    var isThere = false
    node.withText(ofChild: "status", in: Namespace.client) { status in
      isThere = !status.isEmpty
      if isThere { body(status) }
    }
    if !isThere { body(nil) }
  }

  /// The same of the stamp of the delay.
  func withDelay(_ body: (UnsafeRawBufferPointer?) -> Void) {
    guard let delay = node.child("delay", in: Namespace.delay) else { return body(nil) }
    delay.withAttribute("stamp", body)
  }
}

extension Availability {
  /// A copy of what an element says.
  init(_ content: PresenceContent) {
    self.init(show: content.show, priority: content.priority, malformed: content.malformed)
    content.withStatus { status = $0.map { String(decoding: $0, as: UTF8.self) } }
    content.withDelay { delay = $0.map { String(decoding: $0, as: UTF8.self) } }
  }
}
