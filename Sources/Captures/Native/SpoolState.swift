package import XMPPStanza

/// What the lines of a spool up to one say about the lines that follow.
///
/// A reader that begins in the middle of a spool with this state passes on the same records as one
/// that began at the start. What it says about an account follows from the lines of that account
/// and from the first lines of segments.
package struct SpoolState: Hashable, Sendable {
  /// A connection that has not ended.
  package struct Connection: Hashable, Sendable {
    package let account: BareJID
    /// Whether the client has asked for a resource, so that the answer says which one it has.
    package var isBinding = false

    package init(account: BareJID, isBinding: Bool = false) {
      (self.account, self.isBinding) = (account, isBinding)
    }
  }

  /// The run of the server; empty if the spool began in the middle of one.
  package private(set) var boot: String
  /// The connections that have not ended, by the numbers of the run.
  package private(set) var open: [Int64: Connection]
  /// Whether the lines so far are all of the run, so that no connection was opened before them.
  private var isWhole: Bool
  /// The connections that have ended lately: what is said of them later is no second end.
  private var ended: Set<Int64> = []
  /// The number of ended connections that are remembered.
  private static let maximumEnded = 10_000
  /// How many stored rosters of an account there were.
  package var storedRosters: [BareJID: Int] = [:]
  /// The connections that began, changed or ended since this was emptied.
  package var changed: Set<Int64> = []

  /// The state before the first line of a part of a spool: connections may have been opened in an
  /// earlier one.
  init() { (boot, open, isWhole) = ("", [:], false) }

  /// The state after a line of a spool that was read from its beginning.
  package init(boot: String, open: [Int64: Connection] = [:]) {
    (self.boot, self.open, isWhole) = (boot, open, true)
  }

  /// A connection of the run that has not ended.
  package subscript(connection: Int64) -> Connection? {
    get { open[connection] }
    set {
      guard open[connection] != newValue else { return }
      open[connection] = newValue
      changed.insert(connection)
    }
  }

  /// Ends a connection.
  ///
  /// - Returns: Whether it was open, or may have been opened before the first line.
  mutating func end(_ connection: Int64) -> Bool {
    let isOpen = self[connection] != nil
    self[connection] = nil
    guard !isWhole else { return isOpen }
    if ended.count >= Self.maximumEnded { ended = [] }
    return ended.insert(connection).inserted || isOpen
  }

  /// Begins another run of the server, in which no connection is open.
  package mutating func begin(_ boot: String) {
    changed.formUnion(open.keys)
    isWhole = isWhole || !self.boot.isEmpty
    (self.boot, open, ended) = (boot, [:], [])
  }
}
