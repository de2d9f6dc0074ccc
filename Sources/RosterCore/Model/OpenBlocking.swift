/// A request of ours to block or unblock that has no answer yet.
struct OpenBlocking: Hashable, Sendable {
  var request: BlockingRequest
  var sent: RecordStamp

  /// How many are kept of a session.
  static let limit = 16
}
