/// Parts of what is known of a contact: of its row, and of its details.
struct ContactParts: OptionSet, BitwiseCopyable {
  let rawValue: UInt16

  // The parts of the details. Stored details begin with these numbers.
  static let openRequest = Self(rawValue: 1)
  static let unconfirmedRequest = Self(rawValue: 2)
  static let lastEnded = Self(rawValue: 4)
  static let outgoing = Self(rawValue: 8)
  static let names = Self(rawValue: 16)
  static let expected = Self(rawValue: 32)
  static let deliveries = Self(rawValue: 64)
  /// How often requests have been opened again.
  static let rounds = Self(rawValue: 128)
  /// What the user has set for the contact.
  static let annotations = Self(rawValue: 256)
  static let confirmedEdit = Self(rawValue: 512)
  /// How our last request ended.
  static let lastOutgoingEnd = Self(rawValue: 2048)
  /// The last error that answered what we sent to the contact.
  static let returnedError = Self(rawValue: 4096)

  // The parts of the row.
  static let item = Self(rawValue: 1 << 13)
  /// The presence of all resources.
  static let presence = Self(rawValue: 1 << 14)

  static let request: Self = [.openRequest, .unconfirmedRequest]
  /// All parts of the details.
  static let details = Self(rawValue: 1023 | 2048 | 4096)
  static let all: Self = [.item, .presence, .details]
  /// The parts that states show and compare.
  static let shown: Self = [.item, .request, .outgoing, .presence, .names, .annotations]

  /// The parts for which a table keeps the contacts that have them.
  static let indexed: [Self] = [
    .item, .presence, .openRequest, .outgoing, .deliveries, .expected,
  ]
  /// The number of the bit of a single part, by which a table keeps the contacts that have it.
  var index: Int { rawValue.trailingZeroBitCount }
}

extension ContactParts {
  /// The number of bits that an increment has for the parts of a contact.
  static let incrementBits: UInt64 = 3

  /// The parts of a contact that an increment contains: the item, the presence and the details, a
  /// bit for each.
  init(increment bits: UInt64) {
    self = []
    if bits & 1 != 0 { insert(.item) }
    if bits & 2 != 0 { insert(.presence) }
    if bits & 4 != 0 { insert(.details) }
  }

  /// The bits of these parts in an increment.
  var incrementBits: UInt64 {
    (contains(.item) ? 1 : 0) | (contains(.presence) ? 2 : 0) | (contains(.details) ? 4 : 0)
  }
}

extension ContactParts {
  /// Reads the parts at the beginning of stored details.
  init(from input: inout CanonicalInput) throws(CodecError) {
    guard let parts = UInt16(exactly: try input.readNumber()).map(Self.init(rawValue:)),
      parts.isSubset(of: .details)
    else { throw input.invalid }
    self = parts
  }
}
