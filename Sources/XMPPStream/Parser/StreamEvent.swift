package import XMPPStanza

/// A top-level element of a stream: a stanza, or an element that sets up the stream.
package struct StreamElement: Hashable, Sendable {
  /// The element as a value.
  package let node: XMPPElement
  /// The bytes of the element from its `<` to its `>`, as received.
  ///
  /// They are complete below a root that declares `jabber:client` as the default namespace and the
  /// prefix `stream`. They differ from the received bytes in two cases only: other declarations of
  /// the stream header that the element used are inserted into its start tag, and a header that
  /// also ends its stream loses its slash, because the end is a separate event.
  package let bytes: [UInt8]

  /// An element with its bytes.
  package init(node: XMPPElement, bytes: [UInt8]) {
    self.node = node
    self.bytes = bytes
  }
}

/// A part of a stream (RFC 6120 §4.2).
package enum StreamEvent: Hashable, Sendable {
  /// The start tag of a stream: its attributes without content, and its bytes from `<` to `>`.
  case header(StreamElement)
  /// A complete top-level element.
  case element(StreamElement)
  /// The end tag of the stream.
  case end
}

/// The context of the elements that a parser reads.
package enum StreamRoot: Hashable, Sendable {
  /// Separate elements, as in a log: in `jabber:client` unless they declare otherwise, and with the
  /// prefix `stream` declared. Stream headers and end tags may come between them.
  case records
  /// The bytes of a connection: a stream header, elements, and after SASL a new header. After the
  /// end of a stream another one may begin.
  case wire
  /// The bytes of a connection from which another program may have removed the headers: elements
  /// may come before any header, as in `records`.
  case session

  /// The root that contains elements while no stream is open; nil if a header must come first.
  var bareRoot: RootTag? { self == .wire ? nil : .standard }
}
