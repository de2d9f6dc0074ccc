import RawBytes
package import RosterCore
package import XMPPStanza
import XMPPStream

/// A dialogue between a client and its server, reduced line by line.
///
/// The stanzas are XML text and take the whole path: they are parsed, encoded as events and
/// reduced. A test states what was on the wire, then checks what the roster shows.
package struct Scenario {
  package typealias Outcome = RosterOutcome

  /// A line with its time.
  package struct WireLine: Sendable {
    package enum Content: Sendable {
      case element(Direction, String)
      case session(SessionEvent)
      case annotation(RosterAnnotation)
    }

    package let time: Int64?
    package let content: Content
    package let connection: ConnectionID
  }

  /// The state after the last line.
  package private(set) var roster = Roster()
  /// The effects of every line, including lines that mean nothing to the roster.
  package private(set) var outcomes: [Outcome] = []
  /// The reduced events with their stamps and connections.
  package private(set) var history: [Step] = []
  /// The lines on the wire, one record for each.
  package private(set) var wire: [WireLine] = []
  /// The time of the next lines in milliseconds; nil for a source without a clock.
  package var time: Int64?
  /// Whether the clock has run back, so that the time of the next lines is held.
  package var isHeld = false
  /// The connection of the next lines.
  package var connection = ConnectionID.first

  /// A reduced event.
  package typealias Step = (event: RosterEvent, stamp: RecordStamp, connection: ConnectionID)

  /// A scenario without lines.
  package init() {}

  /// The number of the last record.
  package var record: UInt64 { UInt64(outcomes.count) }
  /// The effects of the last line.
  package var last: Outcome { outcomes.last ?? Outcome() }
  /// The codes of the last line's findings.
  package var codes: [Finding.Code] { last.findings.map(\.code) }
  /// The findings about the end of the log, once it has ended.
  package private(set) var ending: [Finding] = []
  /// All findings so far, those about the end of the log last.
  package var findings: [Finding] { outcomes.flatMap(\.findings) + ending }
  /// The codes of all findings so far.
  package var allCodes: [Finding.Code] { findings.map(\.code) }

  /// The log ends, after a last record at a time that need be no event.
  ///
  /// - Parameter hasReceived: Whether the log has an element from the server that is no event.
  /// - Returns: The findings about that.
  @discardableResult
  package mutating func ends(at time: Int64? = nil, hasReceived: Bool = false) -> [Finding] {
    self.time = time ?? self.time
    ending = RosterReducer.findings(
      ending: roster, at: RecordStamp(record: record, time: self.time), hasReceived: hasReceived)
    return ending
  }

  // MARK: Lines

  /// Adds the lines of `body` to a connection.
  @discardableResult
  package mutating func on<R>(_ number: UInt32, _ body: (inout Scenario) -> R) -> R {
    let before = connection
    connection = ConnectionID(number: number)
    defer { connection = before }
    return body(&self)
  }

  /// A line from the server.
  @discardableResult
  package mutating func received(_ xml: String, at time: Int64? = nil) -> Outcome {
    line(xml, .inbound, time)
  }

  /// A line to the server.
  @discardableResult
  package mutating func sent(_ xml: String, at time: Int64? = nil) -> Outcome {
    line(xml, .outbound, time)
  }

  /// The client reached a server that was verified to be a domain's, or that was not verified.
  @discardableResult
  package mutating func reachedServer(_ domain: String, isVerified: Bool = true) -> Outcome {
    reduce(.session(.serverIdentified(domain: address(domain).bare, isVerified: isVerified)))
  }

  /// A new session was bound.
  @discardableResult
  package mutating func opened(_ jid: String, at time: Int64? = nil) -> Outcome {
    reduce(.session(.opened(address(jid))), time)
  }

  /// The previous session was resumed on a new stream.
  @discardableResult
  package mutating func resumed(_ jid: String? = nil, at time: Int64? = nil) -> Outcome {
    reduce(.session(.resumed(jid.map(address))), time)
  }

  /// The server closed the stream.
  @discardableResult
  package mutating func closed(at time: Int64? = nil) -> Outcome { ended(.inbound, at: time) }

  /// A direction of the stream ended with its closing tag.
  @discardableResult
  package mutating func ended(_ direction: Direction, at time: Int64? = nil) -> Outcome {
    reduce(.session(.ended(direction)), time)
  }

  /// The connection was lost.
  @discardableResult
  package mutating func lost(at time: Int64? = nil) -> Outcome {
    reduce(.session(.closed(isLost: true)), time)
  }

  /// A capture began with this header.
  @discardableResult
  package mutating func captureBegan(_ account: String?, inboundOnly: Bool = false) -> Outcome {
    reduce(.session(.captureBegan(account: account.map(address), inboundOnly: inboundOnly)), nil)
  }

  /// The user adds an annotation, which no server stores.
  @discardableResult
  package mutating func annotated(_ annotation: RosterAnnotation, at time: Int64? = nil) -> Outcome
  {
    reduce(.annotation(annotation), time)
  }

  private mutating func line(_ xml: String, _ direction: Direction, _ time: Int64?) -> Outcome {
    self.time = time ?? self.time
    wire.append(
      WireLine(time: self.time, content: .element(direction, xml), connection: connection))
    guard let event = Self.event(of: xml, direction) else {
      outcomes.append(Outcome())
      return last
    }
    return reduceNext(event)
  }

  /// The event of an element. Both parsers must lead to the same one, the bytes that the encoder
  /// wrote must be its only encoding, so that they are what is reduced, and the encoder must name
  /// the contacts that it concerns.
  private static func event(of xml: String, _ direction: Direction) -> RosterEvent? {
    let element = element(xml)
    var (encoder, other) = (EventEncoder(), EventEncoder())
    encoder.encode(element, direction)
    other.encode(elementByLibxml2(xml), direction)
    guard encoder.event == other.event, encoder.contacts == other.contacts else {
      fatalError("the parsers do not lead to the same event of \(xml)")
    }
    let event = RosterEvent(encodedIn: encoder)
    let peer = element.attribute(direction == .inbound ? "from" : "to")
      .flatMap { try? JID(parsing: $0) }?.bare
    let contacts = Set((event?.contacts ?? []) + (peer.map { [$0] } ?? []))
    guard encoder.event == event?.canonicalBytes,
      encoder.contacts == contacts.map(\.text).sorted(by: { $0.precedesByBytes($1) })
    else { fatalError("\(String(describing: event)) is not what the encoder wrote of \(xml)") }
    return event
  }

  /// Reduces an event as the next record.
  @discardableResult
  package mutating func reduce(_ event: RosterEvent, _ time: Int64? = nil) -> Outcome {
    self.time = time ?? self.time
    switch event {
    case .session(let event): appendToWire(.session(event))
    case .annotation(let annotation): appendToWire(.annotation(annotation))
    case .stanza: break
    }
    return reduceNext(event)
  }

  private mutating func appendToWire(_ content: WireLine.Content) {
    wire.append(WireLine(time: time, content: content, connection: connection))
  }

  private mutating func reduceNext(_ event: RosterEvent) -> Outcome {
    let stamp = RecordStamp(record: record + 1, time: self.time, isHeld: isHeld)
    history.append((event, stamp, connection))
    outcomes.append(RosterReducer.reduce(&roster, event, at: stamp, on: connection))
    return last
  }
}

/// The single element of an XML text, which must be well formed.
package func element(_ xml: String) -> XMPPElement { element([Array(xml.utf8)]) }

/// The single element of an XML text as libxml2 reads it; the plain reader handles only elements
/// that arrive complete.
package func elementByLibxml2(_ xml: String) -> XMPPElement {
  element([Array(xml.utf8.prefix(1)), Array(xml.utf8.dropFirst())])
}

private func element(_ pieces: [[UInt8]]) -> XMPPElement {
  let xml = String(decoding: pieces.joined(), as: UTF8.self)
  var nodes: [XMPPElement] = []
  do {
    let parser = StreamParser(root: .records, limits: .live)
    for piece in pieces {
      try parser.feed(piece) { event in
        switch event {
        case .header(let element), .element(let element): nodes.append(element.node)
        case .end: break
        }
      }
    }
  } catch {
    fatalError("\(error) in the test's own XML: \(xml)")
  }
  guard nodes.count == 1 else { fatalError("\(nodes.count) elements in the test's XML: \(xml)") }
  return nodes[0]
}

/// An address, which must be valid.
package func address(_ text: String) -> JID {
  do {
    return try JID(parsing: text)
  } catch {
    fatalError("“\(text)” is no address: \(error)")
  }
}

/// A bare address, which must be valid.
package func bare(_ text: String) -> BareJID { address(text).bare }
