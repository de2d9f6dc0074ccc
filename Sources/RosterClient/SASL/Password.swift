import Synchronization

/// A password: never printed, and wiped once nobody needs it any more.
///
/// What was made of it on the way here, such as a `String`, is not in its power.
public final class Password: Sendable {
  private let bytes: Mutex<[UInt8]>

  /// A password as UTF-8.
  public init(_ text: String) {
    bytes = Mutex(Array(text.utf8))
  }

  deinit { bytes.withLock { bytes in for index in bytes.indices { bytes[index] = 0 } } }

  /// Its UTF-8, for as long as `body` runs.
  package func withBytes<Result>(_ body: ([UInt8]) throws -> Result) rethrows -> Result {
    try bytes.withLock { try body($0) }
  }

  /// Whether somebody knows it. Takes as long for a wrong one of its length as for the right one.
  package func isSame(as text: String) -> Bool {
    withBytes { bytes in
      let other = Array(text.utf8)
      return bytes.count == other.count && zip(bytes, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
  }

  /// Its text, for as long as `body` runs.
  package func withText<Result>(_ body: (String) throws -> Result) rethrows -> Result {
    try bytes.withLock { try body(String(decoding: $0, as: UTF8.self)) }
  }
}

extension Password: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Nothing of it.
  public var description: String { "a password" }
  /// Nothing of it.
  public var debugDescription: String { description }
  /// Nothing of it.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
