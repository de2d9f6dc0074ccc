import RawBytes

/// The snapshot that an increment is to be put on.
package struct SnapshotBase: Hashable, Sendable {
  /// The record that it is of.
  package let sequence: UInt64
  /// What tells it from other snapshots of that record, of whose contacts and texts the numbers may
  /// be others: a part of its checksum.
  package let identity: UInt64
  /// How many increments it rests on itself; 0 for a whole one.
  package let depth: UInt64

  /// No increment rests on so many.
  package static let mostDepth: UInt64 = 64

  /// - Parameter sequence: Not 0: before all records, there is nothing to put one on.
  package init(sequence: UInt64, identity: UInt64, depth: UInt64) {
    self.sequence = sequence
    self.identity = identity
    self.depth = depth
  }
}

/// Whether a snapshot stands for itself; the head of its stored form.
package enum SnapshotKind: Hashable, Sendable {
  case whole
  case increment(SnapshotBase)

  /// What it is to be put on; nil where it stands for itself.
  package var base: SnapshotBase? {
    switch self {
    case .whole: nil
    case .increment(let base): base
    }
  }

  /// The kind of the snapshot that these bytes begin.
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
