/// How much of anything a parser takes before it refuses the stream.
///
/// XMPP sets no limits of its own (RFC 6120 §13.12 asks for them), so these are generous for real
/// traffic and tight enough that a hostile peer cannot fill the memory.
package struct StreamLimits: Hashable, Sendable {
  /// The most elements that may stand inside one another, a top-level element counted as 1.
  ///
  /// libxml2 refuses more than 256 by itself, the stream's root included.
  package var depth: Int
  /// The most attributes and namespace declarations on one element.
  package var attributesPerElement: Int
  /// The most elements in one top-level element, itself included. A contact of a roster has one
  /// and another for each of its groups.
  package var elementsPerStanza: Int
  /// The most bytes of one top-level element, from its `<` to its `>`.
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

  /// For a connection to a peer that may be hostile: elements of up to 1 MiB.
  package static let live = StreamLimits(
    depth: 128, attributesPerElement: 256, elementsPerStanza: 1 << 16, bytesPerElement: 1 << 20)

  /// For a recorded session, whose elements some server took once: up to 16 MiB each.
  package static let capture = StreamLimits(
    depth: 128, attributesPerElement: 256, elementsPerStanza: 1 << 19, bytesPerElement: 16 << 20)
}
