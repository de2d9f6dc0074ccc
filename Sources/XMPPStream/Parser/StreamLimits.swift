/// The limits beyond which a parser refuses a stream.
///
/// XMPP defines no limits (RFC 6120 §13.12 asks for them). These are generous for real traffic and
/// strict enough that a hostile peer cannot exhaust the memory.
package struct StreamLimits: Hashable, Sendable {
  /// The maximum nesting depth; a top-level element counts as 1.
  ///
  /// libxml2 itself refuses more than 256, including the root of the stream.
  package var depth: Int
  /// The maximum number of attributes and namespace declarations of one element.
  package var attributesPerElement: Int
  /// The maximum number of elements in one top-level element, itself included. A contact in a
  /// roster has one element, and one more for each of its groups.
  package var elementsPerStanza: Int
  /// The maximum number of bytes of one top-level element, from its `<` to its `>`.
  package var bytesPerElement: Int

  /// Limits from their parts.
  package init(
    depth: Int, attributesPerElement: Int, elementsPerStanza: Int, bytesPerElement: Int
  ) {
    self.depth = depth
    self.attributesPerElement = attributesPerElement
    self.elementsPerStanza = elementsPerStanza
    self.bytesPerElement = bytesPerElement
  }

  /// The limits for a connection to a possibly hostile peer: elements of up to 1 MiB.
  package static let live = StreamLimits(
    depth: 128, attributesPerElement: 256, elementsPerStanza: 1 << 16, bytesPerElement: 1 << 20)

  /// The limits for a recorded session, whose elements a server once accepted: up to 16 MiB each.
  package static let capture = StreamLimits(
    depth: 128, attributesPerElement: 256, elementsPerStanza: 1 << 19, bytesPerElement: 16 << 20)
}
