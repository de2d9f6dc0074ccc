import XMPPStream

/// How much of anything a session takes before it refuses what it reads.
///
/// XMPP sets no limits of its own (RFC 6120 §13.12 asks for them); these are generous for real
/// traffic, and tight enough that a hostile peer cannot fill the memory.
public struct SessionLimits: Hashable, Sendable {
  /// The most elements that may stand inside one another, a top-level element counted as 1; at most
  /// 256, as libxml2 has it.
  public var depth = StreamLimits.live.depth
  /// The most attributes and namespace declarations on one element.
  public var attributesPerElement = StreamLimits.live.attributesPerElement
  /// The most elements in one top-level element, itself included. A contact of a roster has one,
  /// and another for each of its groups.
  public var elementsPerStanza = StreamLimits.capture.elementsPerStanza
  /// The most bytes of one top-level element, from its `<` to its `>`.
  public var bytesPerElement = StreamLimits.capture.bytesPerElement

  /// Elements of up to 16 MiB.
  public init() {}

  var stream: StreamLimits {
    StreamLimits(
      depth: depth, attributesPerElement: attributesPerElement,
      elementsPerStanza: elementsPerStanza, bytesPerElement: bytesPerElement)
  }
}
