package import XMPPStanza

/// A request of ours to block addresses, or to unblock them (XEP-0191 §3.3 to §3.5).
package struct BlockingRequest: Hashable, Sendable {
  package var id: String?
  package var to: JID?
  /// Whether it blocks them.
  package var isBlock: Bool
  /// The addresses; empty unblocks all.
  package var jids: [JID]

  package init(id: String?, to: JID?, isBlock: Bool, jids: [JID]) {
    (self.id, self.to, self.isBlock, self.jids) = (id, to, isBlock, jids)
  }
}

extension BlockingRequest: CanonicalCodable {
  package func encode(to output: inout CanonicalOutput) {
    output.write(id)
    output.write(to)
    output.write(isBlock)
    output.write(jids)
  }

  package init(from input: inout CanonicalInput) throws(CodecError) {
    self.init(
      id: try input.readOptionalText(), to: try input.readOptional(),
      isBlock: try input.readFlag(), jids: try input.readArray())
  }
}
