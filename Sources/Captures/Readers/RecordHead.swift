import XMPPStanza
import XMPPStream

/// The line, direction, connection and time of a record in a log.
struct RecordHead {
  let line: Int
  let direction: Direction
  let connection: String
  let time: Int64?

  /// Passes on an event that a parser found in the record.
  func emit(_ event: StreamEvent, _ sink: LineReader.Sink) throws {
    let content = CapturedRecord.Content(event, direction)
    try sink(
      .record(CapturedRecord(connection: connection, time: time, line: line, content: content)))
  }
}

extension CapturedRecord.Content {
  /// The content of a record for a parser's event in one direction.
  init(_ event: StreamEvent, _ direction: Direction) {
    switch event {
    case .header(let header): self = .streamHeader(direction, header.node, bytes: header.bytes)
    case .element(let element): self = .element(direction, element.node, bytes: element.bytes)
    case .end: self = .streamEnd(direction)
    }
  }
}

extension StreamEvent {
  /// The events inside an envelope, or the event itself.
  ///
  /// A BOSH body (XEP-0124 §3) is an envelope around any number of elements, and the frame that
  /// closes a stream over WebSocket is the stream's end (RFC 7395 §3.6).
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
