/// The steps of storing, between which a process can be killed.
package enum StoringStep: Hashable, Sendable {
  /// Lines were read and synced.
  case read
  /// A shard is about to be made.
  case willCreate(ShardNumber)
  /// What a shard gets was derived, and is about to be written in one transaction.
  case willCommit(ShardNumber)
  /// The transaction is durable.
  case committed(ShardNumber)
  /// All shards have what was read, and `fleet.json` is about to say so.
  case willNote
  case noted
  /// A segment is about to be deleted.
  case willTrim(segment: UInt64)
}

/// Called between the steps; tests end the storing there by throwing.
package typealias StepHook = @Sendable (StoringStep) throws -> Void
