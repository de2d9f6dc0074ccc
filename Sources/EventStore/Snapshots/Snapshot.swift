/// The versions of the code that a snapshot depends on; a snapshot of other versions is not used.
package struct SnapshotVersion: Hashable, Sendable {
  /// The version of the code that derives events from records.
  package let events: UInt32
  /// The version of the code that reduces events to a state.
  package let reducer: UInt32
  /// The version of the code that encodes the state.
  package let codec: UInt32

  package init(events: UInt32, reducer: UInt32, codec: UInt32) {
    self.events = events
    self.reducer = reducer
    self.codec = codec
  }
}

/// A snapshot before it is stored.
package struct SnapshotDraft: Hashable, Sendable {
  /// The record after which the account has this state.
  package let sequence: UInt64
  package let version: SnapshotVersion
  /// The state's bytes, at most 1 GiB, which the log does not interpret.
  package let state: [UInt8]
  /// The checksum of the state's bytes.
  package let checksum: Checksum

  /// Complexity: linear in the state's bytes.
  package init(sequence: UInt64, version: SnapshotVersion, state: [UInt8]) {
    self.sequence = sequence
    self.version = version
    self.state = state
    checksum = Checksum(of: state.span.bytes)
  }
}

/// A snapshot without its state.
package struct SnapshotHeader: Hashable, Sendable {
  /// The record after which the account has this state.
  package let sequence: UInt64
  package let version: SnapshotVersion
  /// The checksum of the state's bytes.
  package let checksum: Checksum
}

/// The damage to a stored snapshot, which is then not used.
package enum SnapshotDamage: Hashable, Sendable {
  /// The value is too short, or its key is not a record's number.
  case unreadable
  /// The log does not have the snapshot's record, or it cannot be read.
  case noRecord
  /// The version, the record or the state's checksum has changed since the snapshot was stored.
  case checksum
  /// The state has changed since the snapshot was stored.
  case state
}

extension SnapshotDamage: CustomStringConvertible {
  /// A clause for people, with the snapshot as its subject.
  package var description: String {
    switch self {
    case .unreadable: "it cannot be read"
    case .noRecord: "its record is not there or cannot be read"
    case .checksum: "its checksum is wrong: it is not of this record or not of the version it says"
    case .state: "its state is not what it was when it was stored"
    }
  }
}

/// The result of checking a stored snapshot.
package enum SnapshotCheck: Hashable, Sendable {
  case sound(SnapshotHeader)
  /// The sequence is 0 if not even that can be read.
  case damaged(sequence: UInt64, SnapshotDamage)
}

/// The number and size of a log's snapshots.
package struct SnapshotFigures: Hashable, Sendable {
  package let count: Int
  /// The size of all pages that hold snapshots.
  package let bytes: Int
}
