/// A set whose session is over without an answer. What the server shows next says whether it has
/// carried the set out.
struct AbandonedEdit: Hashable, Sendable {
  var edit: PendingEdit
  /// The connection of the set, and its resource.
  var connection: ConnectionID
  var device: String?
  /// The record at which the session was over.
  var since: RecordStamp

  /// How many are kept of an account; beyond it the oldest is given up.
  static let limit = 64
}
