import RawBytes

/// An XMPP address: a bare address with an optional resource (RFC 7622).
///
/// The bare part is prepared. The resource is kept as written, because it is opaque and
/// case-sensitive.
public struct JID: Sendable {
  /// The account or service that the address belongs to.
  public let bare: BareJID
  /// The resource, never empty; nil for a bare address.
  public let resource: String?

  /// An address from its parts.
  ///
  /// - Throws: `JIDError` if the resource is empty or longer than 1,023 bytes.
  public init(bare: BareJID, resource: String?) throws(JIDError) {
    if let resource {
      guard !resource.isEmpty else { throw .emptyResource }
      guard resource.utf8.count <= JIDLimit.partBytes else { throw .tooLong(.resource) }
    }
    self.bare = bare
    self.resource = resource
  }

  /// Creates an address from parts that were already prepared and checked, such as stored ones.
  package init(prepared bare: BareJID, resource: String?) {
    self.bare = bare
    self.resource = resource
  }

  /// Parses an address as written in a stanza.
  ///
  /// The address is split at the first `/`, then the first part at its first `@` (RFC 7622 §3.1).
  /// - Throws: `JIDError`, which names the part that cannot be prepared.
  public init(parsing text: String) throws(JIDError) {
    if let prepared = text.withUTF8Bytes({ JIDPreparation.prepared($0)?.jid }) {
      self = prepared
      return
    }
    guard let slash = text.utf8.firstIndex(of: UInt8(ascii: "/")) else {
      try self.init(bare: BareJID(parsing: text), resource: nil)
      return
    }
    let bare = try BareJID(parsing: String(text[..<slash]))
    try self.init(bare: bare, resource: String(text[text.utf8.index(after: slash)...]))
  }
}

/// The address of an account or service without a resource, which identifies contacts.
///
/// Kept in prepared form (case folded, normalized, the domain without a final dot), so that equal
/// values are equal addresses.
public struct BareJID: Sendable {
  /// The prepared address, `local@domain` or `domain`.
  public let text: String

  /// Parses and prepares an address without a resource.
  ///
  /// Letters in lower case or without case are kept; everything else goes through case folding,
  /// width folding and normalization (RFC 7622 §3.2 and §3.3). Complexity: linear in the text.
  /// - Throws: `JIDError`, which names the part that cannot be prepared.
  public init(parsing text: String) throws(JIDError) {
    self.init(prepared: try JIDPreparation.prepare(text))
  }

  /// Creates an address from a text that was already prepared, such as a stored one.
  package init(prepared text: String) {
    self.text = text
  }

  /// The local part; nil for the address of a server or component.
  public var local: String? {
    text.utf8.firstIndex(of: UInt8(ascii: "@")).map { String(text[..<$0]) }
  }

  /// The domain part.
  public var domain: String {
    guard let at = text.utf8.firstIndex(of: UInt8(ascii: "@")) else { return text }
    return String(text[text.utf8.index(after: at)...])
  }
}

extension BareJID: Hashable {
  /// Whether two addresses are equal. Prepared addresses are equal if their bytes are.
  public static func == (a: BareJID, b: BareJID) -> Bool { a.text.hasSameBytes(as: b.text) }

  /// Feeds the address into a hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(bytesOf: text)
  }
}

extension BareJID: Comparable {
  /// Orders by the UTF-8 bytes of the prepared address, which order like its code points.
  public static func < (a: BareJID, b: BareJID) -> Bool { a.text.precedesByBytes(b.text) }
}

extension BareJID: CustomStringConvertible {
  /// The prepared address.
  public var description: String { text }
}

extension JID: Hashable {
  /// Whether both parts have equal bytes; a resource is opaque (RFC 7622 §3.4).
  public static func == (a: JID, b: JID) -> Bool {
    a.bare == b.bare && a.resource.hasSameBytes(as: b.resource)
  }

  /// Feeds both parts into a hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(bare)
    hasher.combine(bytesOf: resource)
  }
}

extension JID: Comparable {
  /// Orders by bare address, then by the bytes of the resource; a bare address comes first.
  public static func < (a: JID, b: JID) -> Bool {
    guard a.bare == b.bare else { return a.bare < b.bare }
    guard let right = b.resource else { return false }
    guard let left = a.resource else { return true }
    return left.precedesByBytes(right)
  }
}

extension JID: CustomStringConvertible {
  /// The prepared bare address and the resource as written.
  public var description: String {
    guard let resource else { return bare.text }
    return "\(bare.text)/\(resource)"
  }
}

/// The part of an address that an error refers to.
public enum JIDPart: String, Hashable, Sendable {
  /// The part before the `@`.
  case local = "local part"
  /// The server or service.
  case domain
  /// The part after the first `/`.
  case resource
}

/// The reason why a text is not an address.
public enum JIDError: Error, Hashable, Sendable {
  /// There is an `@` with nothing before it.
  case emptyLocal
  /// The domain, or one of its labels, is empty.
  case emptyDomain
  /// There is a `/` with nothing after it.
  case emptyResource
  /// A part has more than 1,023 bytes (RFC 7622 §3.1).
  case tooLong(JIDPart)
  /// A part contains a character that is not allowed there.
  case forbidden(Unicode.Scalar, JIDPart)
}

extension JIDError: CustomStringConvertible {
  /// The reason as a clause, for a person.
  public var description: String {
    switch self {
    case .emptyLocal: "the local part is empty"
    case .emptyDomain: "the domain is empty or has an empty label"
    case .emptyResource: "the resource is empty"
    case .tooLong(let part): "the \(part.rawValue) has more than \(JIDLimit.partBytes) bytes"
    case .forbidden(let scalar, let part):
      "the \(part.rawValue) has the character U+\(String(scalar.value, radix: 16, uppercase: true))"
    }
  }
}

/// The limits of RFC 7622 §3.1.
package enum JIDLimit {
  /// The maximum number of bytes of each part in its prepared form.
  package static let partBytes = 1023
}
