/// Why something could not be recorded or read.
public struct RollcallError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Where the fault lies.
  public enum Reason: Hashable, Sendable {
    /// The log cannot be opened, read or written; the disk may be full.
    case log
    /// A capture, or what is expected of it, cannot be read.
    case capture
  }

  /// Where the fault lies.
  public let reason: Reason
  /// A sentence for a person, with the place.
  public let description: String

  package init(_ reason: Reason, _ description: String) {
    self.reason = reason
    self.description = description
  }
}
