import EventStore
import XMPPStanza

/// The note in a log that says whose it is, so that no other account's capture gets into it.
struct AccountNote {
  private var isDone: Bool
  /// Whose the log is, as soon as that is known.
  private var account: BareJID?

  /// - Parameter isDone: Whether the log has it already.
  init(isDone: Bool) {
    self.isDone = isDone
  }

  /// Hands the note to `append` as soon as the account is known, each time until that went well.
  ///
  /// - Parameter known: The account; nil where nothing new is known of it.
  mutating func note(_ known: BareJID?, _ append: (LogMarks) throws -> Void) rethrows {
    account = known ?? account
    guard !isDone, let account else { return }
    try append(LogMarks(account: account.text))
    isDone = true
  }
}
