import XMPPStanza

@testable import XMPPStream

/// The result of parsing some bytes: the events, and the error that ended them.
struct Outcome: Equatable {
  var events: [StreamEvent] = []
  var error: StreamError.Kind?

  var elements: [XMPPElement] {
    events.compactMap { event in
      switch event {
      case .element(let element): element.node
      case .header, .end: nil
      }
    }
  }

  /// Whether both have the same events and either both or neither have an error. The kind of error
  /// that libxml2 reports depends on how the bytes are cut.
  func agrees(with other: Outcome) -> Bool {
    events == other.events && (error == nil) == (other.error == nil)
  }

  /// The bytes of every element as text.
  var texts: [String] {
    events.compactMap { event in
      switch event {
      case .element(let element): String(decoding: element.bytes, as: UTF8.self)
      case .header, .end: nil
      }
    }
  }
}

/// Feeds the bytes in pieces of the given lengths, repeated cyclically; an empty list means one
/// piece.
func parse(
  _ bytes: [UInt8], as root: StreamRoot = .records, limits: StreamLimits = .live,
  pieces: [Int] = []
) -> Outcome {
  var outcome = Outcome()
  let parser = StreamParser(root: root, limits: limits)
  do {
    var start = 0
    var turn = 0
    while start < bytes.count {
      let count = pieces.isEmpty ? bytes.count : pieces[turn % pieces.count]
      let end = min(start + max(1, count), bytes.count)
      try parser.feed(bytes[start..<end]) { outcome.events.append($0) }
      start = end
      turn += 1
    }
    try parser.finish()
  } catch let error as StreamError {
    outcome.error = error.kind
  } catch {
    preconditionFailure("the sink throws nothing")
  }
  return outcome
}

func parse(
  _ text: String, as root: StreamRoot = .records, limits: StreamLimits = .live,
  pieces: [Int] = []
) -> Outcome {
  parse(Array(text.utf8), as: root, limits: limits, pieces: pieces)
}

/// Parses with libxml2 alone: no element arrives complete, as it must for the plain reader.
func parseByLibxml2(
  _ bytes: [UInt8], as root: StreamRoot = .records, limits: StreamLimits = .live
) -> Outcome {
  parse(bytes, as: root, limits: limits, pieces: [1])
}

func parseByLibxml2(_ text: String, limits: StreamLimits = .live) -> Outcome {
  parseByLibxml2(Array(text.utf8), limits: limits)
}

func client(
  _ local: String, _ attributes: [(String, String)] = [], _ content: [XMPPElement.Content] = []
) -> XMPPElement {
  XMPPElement(
    XMLName(local, in: Namespace.client),
    attributes: attributes.map { XMLAttribute(XMLName($0.0, in: ""), $0.1) }, content: content)
}

let header =
  "<stream:stream xmlns='jabber:client' xmlns:stream='\(Namespace.streams)' to='a.test'>"
