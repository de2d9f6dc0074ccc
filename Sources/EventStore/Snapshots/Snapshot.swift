/// The versions of the code that a snapshot rests on. One of another version is not used.
package struct SnapshotVersion: Hashable, Sendable {
  /// Of the code that makes the events of the records.
  package let events: UInt32
  /// Of the code that makes the state of the events.
  package let reducer: UInt32
  /// Of the code that writes the state down.
  package let codec: UInt32

  package init(events: UInt32, reducer: UInt32, codec: UInt32) {
    self.events = events
    self.reducer = reducer
    self.codec = codec
  }
}

/// A snapshot as it is handed in.
package struct SnapshotDraft: Hashable, Sendable {
  /// The record after which the state is as it is here.
  package let sequence: UInt64
  package let version: SnapshotVersion
  /// The state's bytes, at most 1 GiB. The log does not look into them.
  package let state: [UInt8]
  /// Of the state's bytes.
  package let checksum: Checksum

  /// Complexity: linear in the state's bytes.
  package init(sequence: UInt64, version: SnapshotVersion, state: [UInt8]) {
    self.sequence = sequence
    self.version = version
    self.state = state
    checksum = Checksum(of: state.span.bytes)
  }
}

/// What is known of a snapshot beside its state.
package struct SnapshotHeader: Hashable, Sendable {
  /// The record after which the state is as it is here.
  package let sequence: UInt64
  package let version: SnapshotVersion
  /// Of the state's bytes.
  package let checksum: Checksum
}

/// What is wrong with a stored snapshot that is not used.
package enum SnapshotDamage: Hashable, Sendable {
  /// It is too short, or its key is not a record's number.
  case unreadable
  /// It is of a record that the log does not have, or that cannot be read.
  case noRecord
  /// Its version, number or record, or what vouches for its state, is not what it was when it was
  /// stored.
  case checksum
  /// Its state is not what it was when it was stored.
  case state
}

extension SnapshotDamage: CustomStringConvertible {
  /// A clause for a person, whose subject is the snapshot.
  package var description: String {
    switch self {
    case .unreadable: "it cannot be read"
    case .noRecord: "its record is not there or cannot be read"
    case .checksum: "its checksum is wrong: it is not of this record or not of the version it says"
    case .state: "its state is not what it was when it was stored"
    }
  }
}

/// What looking at a stored snapshot shows.
package enum SnapshotCheck: Hashable, Sendable {
  case sound(SnapshotHeader)
  /// The number is 0 where even that cannot be read.
  case damaged(sequence: UInt64, SnapshotDamage)
}

/// How many snapshots a log has and what they take.
package struct SnapshotFigures: Hashable, Sendable {
  package let count: Int
  /// Whole pages of the file.
  package let bytes: Int
}
