import XMPPStream

/// Limits on what a session accepts from a stream.
///
/// XMPP sets no limits of its own (RFC 6120 §13.12 asks for them). These are generous for real
/// traffic, and tight enough that a hostile peer cannot fill the memory.
public struct SessionLimits: Hashable, Sendable {
  /// The maximum depth of nested elements, counting a top-level element as 1. At most 256, the
  /// limit of libxml2.
  public var depth = StreamLimits.live.depth
  /// The maximum number of attributes and namespace declarations on one element.
  public var attributesPerElement = StreamLimits.live.attributesPerElement
  /// The maximum number of elements in a top-level element, including itself. Each contact of a
  /// roster counts as one, and each of its groups as another.
  public var elementsPerStanza = StreamLimits.capture.elementsPerStanza
  /// The maximum number of bytes in a top-level element, from its `<` to its `>`.
  public var bytesPerElement = StreamLimits.capture.bytesPerElement

  /// Elements of up to 16 MiB.
  public init() {}

  var stream: StreamLimits {
    StreamLimits(
      depth: depth, attributesPerElement: attributesPerElement,
      elementsPerStanza: elementsPerStanza, bytesPerElement: bytesPerElement)
  }
}
