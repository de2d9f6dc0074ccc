package import XMPPStanza

/// A top-level element of a stream: a stanza, or one of the elements that set a stream up.
package struct StreamElement: Hashable, Sendable {
  /// The element as a value.
  package let node: XMPPElement
  /// The element from its `<` to its `>`, byte for byte as it came.
  ///
  /// They stand by themselves below a root that declares `jabber:client` as the default namespace
  /// and the prefix `stream`. Where the element used other declarations of its stream's
  /// header, they have been put into its start tag; and a header that ended its stream at once has
  /// not the slash that did it, as the end is an event of its own. Nothing else ever differs.
  package let bytes: [UInt8]

  /// An element with its bytes.
  package init(node: XMPPElement, bytes: [UInt8]) {
    self.node = node
    self.bytes = bytes
  }
}

/// What a stream is made of (RFC 6120 §4.2).
package enum StreamEvent: Hashable, Sendable {
  /// The start tag of a stream: its attributes without content, and its bytes from `<` to `>`.
  case header(StreamElement)
  /// A complete top-level element.
  case element(StreamElement)
  /// The end tag of the stream.
  case end
}

/// What the elements handed to a parser stand in.
package enum StreamRoot: Hashable, Sendable {
  /// Elements by themselves, as in a log: in `jabber:client` where they say nothing else, and with
  /// the prefix `stream` declared. Stream headers and end tags may stand between them.
  case records
  /// The bytes of a connection: a stream header, elements, and after SASL a new header; once a
  /// stream has ended another may begin.
  case wire
  /// The same, or what is left of it where somebody else keeps the headers to itself: elements may
  /// stand before any header, as `records` has them.
  case session

  /// What elements stand in where no stream is open; nil where a header has to come first.
  var bareRoot: RootTag? { self == .wire ? nil : .standard }
}
