import RawBytes

/// An address in prepared form, borrowed from the bytes that contain it.
package struct PreparedAddress: ~Escapable {
  /// The bare address.
  package let bare: RawSpan
  /// The resource, never empty; nil for a bare address.
  package let resource: RawSpan?

  @_lifetime(copy bare, copy resource)
  init(bare: RawSpan, resource: RawSpan?) {
    self.bare = bare
    self.resource = resource
  }

  /// A copy of the address as a `JID`.
  package var jid: JID {
    JID(
      prepared: BareJID(prepared: String(decoding: bare)),
      resource: .init(decoding: resource))
  }
}

// Nearly all addresses arrive in prepared form. Checking this reads each byte once and costs less
// than a lookup in a table of addresses that were prepared before.
extension XMPPElement {
  /// Calls `body` with the address in an attribute, prepared as by `JID.init(parsing:)` and without
  /// a copy if it is already prepared; nil if there is no such attribute.
  ///
  /// - Throws: `JIDError`, which names the part that cannot be prepared.
  package func withAddress(
    _ attribute: WantedName, _ body: (PreparedAddress?) -> Void
  ) throws(JIDError) {
    guard let part = attributePart(attribute) else { return body(nil) }
    try tree.withBytes(of: part) { (bytes) throws(JIDError) in
      if let address = JIDPreparation.prepared(bytes) { return body(address) }
      let jid = try JID(parsing: String(decoding: bytes))
      jid.bare.text.withUTF8Bytes { bare in
        guard let resource = jid.resource else {
          return body(PreparedAddress(bare: bare, resource: nil))
        }
        resource.withUTF8Bytes { body(PreparedAddress(bare: bare, resource: $0)) }
      }
    }
  }
}
