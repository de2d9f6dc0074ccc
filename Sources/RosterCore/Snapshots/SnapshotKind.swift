import RawBytes

/// The snapshot that an increment builds on.
package struct SnapshotBase: Hashable, Sendable {
  /// The record at which the snapshot was taken.
  package let sequence: UInt64
  /// Distinguishes snapshots of the same record, whose contacts and texts may be numbered
  /// differently. A part of the snapshot's checksum.
  package let identity: UInt64
  /// The number of increments that this snapshot itself builds on; 0 for a whole one.
  package let depth: UInt64

  /// The maximum of `depth`.
  package static let mostDepth: UInt64 = 64

  /// - Parameter sequence: Not 0, because before the first record there is nothing to build on.
  package init(sequence: UInt64, identity: UInt64, depth: UInt64) {
    self.sequence = sequence
    self.identity = identity
    self.depth = depth
  }
}

/// Whether a snapshot is whole or an increment; the head of its stored form.
package enum SnapshotKind: Hashable, Sendable {
  case whole
  case increment(SnapshotBase)

  /// The snapshot that an increment builds on; nil for a whole one.
  package var base: SnapshotBase? {
    switch self {
    case .whole: nil
    case .increment(let base): base
    }
  }

  /// Reads the kind of the snapshot that begins with these bytes.
  package init(of snapshot: RawSpan) throws(CodecError) {
    var input = CanonicalInput(snapshot)
    try self.init(from: &input)
  }

  init(from input: inout CanonicalInput) throws(CodecError) {
    guard try input.readNumber() == UInt64(Roster.codecVersion) else { throw input.invalid }
    let sequence = try input.readNumber()
    guard sequence > 0 else {
      self = .whole
      return
    }
    let depth = try input.readNumber()
    guard depth < SnapshotBase.mostDepth else { throw input.invalid }
    let identity: UInt64 = try input.readBytes(MemoryLayout<UInt64>.size).littleEndian(at: 0)
    self = .increment(SnapshotBase(sequence: sequence, identity: identity, depth: depth))
  }

  func encode(to output: inout CanonicalOutput) {
    output.write(UInt64(Roster.codecVersion))
    output.write(base?.sequence ?? 0)
    guard let base else { return }
    output.write(base.depth)
    output.write(littleEndian: base.identity)
  }
}
