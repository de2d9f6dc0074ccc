import EventStore
import XMPPStanza

/// The note of a log's account, so that captures of other accounts are not added.
struct AccountNote {
  private var isDone: Bool
  /// The log's account, once it is known.
  private var account: BareJID?

  /// - Parameter isDone: Whether the log already has the note.
  init(isDone: Bool) {
    self.isDone = isDone
  }

  /// Passes the note to `append` once the account is known, and again until that succeeds.
  ///
  /// - Parameter known: The account; nil if nothing new is known about it.
  mutating func note(_ known: BareJID?, _ append: (LogMarks) throws -> Void) rethrows {
    account = known ?? account
    guard !isDone, let account else { return }
    try append(LogMarks(account: account.text))
    isDone = true
  }
}
