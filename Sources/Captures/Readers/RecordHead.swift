import XMPPStanza
import XMPPStream

/// Where a record of a log stands, and what it is of.
struct RecordHead {
  let line: Int
  let direction: Direction
  let connection: String
  let time: Int64?

  /// Hands over what a parser found in the record.
  func give(_ event: StreamEvent, _ sink: LineReader.Sink) throws {
    let content = CapturedRecord.Content(event, direction)
    try sink(
      .record(CapturedRecord(connection: connection, time: time, line: line, content: content)))
  }
}

extension CapturedRecord.Content {
  /// What a parser found in one direction.
  init(_ event: StreamEvent, _ direction: Direction) {
    switch event {
    case .header(let header): self = .streamHeader(direction, header.node, bytes: header.bytes)
    case .element(let element): self = .element(direction, element.node, bytes: element.bytes)
    case .end: self = .streamEnd(direction)
    }
  }
}

extension StreamEvent {
  /// What it stands for: a body of BOSH (XEP-0124 §3) is an envelope around any number of elements,
  /// and the frame that closes a stream over WebSocket is its end (RFC 7395 §3.6).
  var unwrapped: [StreamEvent] {
    guard case .element(let element) = self else { return [self] }
    if element.node.is("close", in: "urn:ietf:params:xml:ns:xmpp-framing") { return [.end] }
    guard element.node.name.local == "body",
      element.node.name.namespace == "http://jabber.org/protocol/httpbind"
    else { return [self] }
    let elements = element.node.children.map { child in
      StreamEvent.element(StreamElement(node: child, bytes: child.serialized()))
    }
    return element.node.attribute("type") == "terminate" ? elements + [.end] : elements
  }
}
