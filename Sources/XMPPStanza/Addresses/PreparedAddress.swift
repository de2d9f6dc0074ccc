import RawBytes

/// An address in prepared form, in place.
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

  /// A copy of it.
  var jid: JID {
    JID(
      prepared: BareJID(prepared: String(decoding: bare)),
      resource: .init(decoding: resource))
  }
}

// Nearly all addresses stand in their prepared form already: to see that takes a look at each byte,
// and less than to find them in a table of those that were prepared before.
extension XMPPElement {
  /// Hands the address that an attribute is to `body`, prepared as `JID.init(parsing:)` does it,
  /// and without a copy where it stands so; nil where there is no such attribute.
  ///
  /// - Throws: `JIDError`, naming the part that cannot be prepared.
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

  /// A copy of the address that an attribute is, nil where there is no such attribute.
  ///
  /// - Throws: As where it is handed over.
  package func address(_ attribute: WantedName) throws(JIDError) -> JID? {
    var jid: JID?
    try withAddress(attribute) { jid = $0?.jid }
    return jid
  }
}
