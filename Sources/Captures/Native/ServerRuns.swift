/// The runs of a server that a part of its tap's spool is about.
///
/// When a run begins, all connections of the runs before it have ended, whether or not the server
/// could still write that they did.
package struct ServerRuns: Hashable, Sendable {
  /// The run with which the part begins.
  package let first: String
  /// The run with which it ends.
  package let last: String

  package init(first: String, last: String) {
    (self.first, self.last) = (first, last)
  }

  /// The reason for the end of a connection that was open when its run ended.
  package static let end = "the server ended"
}
