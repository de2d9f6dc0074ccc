import EventStore
import XMPPStanza

/// The note in a log that says whose it is, so that no other account's capture gets into it.
struct AccountNote {
  private var isDone: Bool

  /// - Parameter isDone: Whether the log has it already.
  init(isDone: Bool) {
    self.isDone = isDone
  }

  /// Hands the note to `append` as soon as the account is known, and not again once that went well.
  mutating func note(_ account: BareJID?, _ append: (LogMarks) throws -> Void) rethrows {
    guard !isDone, let account else { return }
    try append(LogMarks(account: account.text))
    isDone = true
  }
}
