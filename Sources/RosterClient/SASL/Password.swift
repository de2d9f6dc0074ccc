import Synchronization

/// A password that is never printed, and is wiped when its last reference is gone.
///
/// Copies made earlier, such as the `String` that it was created from, are not wiped.
public final class Password: Sendable {
  private let bytes: Mutex<[UInt8]>

  /// A password as UTF-8.
  public init(_ text: String) {
    bytes = Mutex(Array(text.utf8))
  }

  deinit { bytes.withLock { bytes in for index in bytes.indices { bytes[index] = 0 } } }

  /// Passes its UTF-8 to `body`.
  package func withBytes<Result>(_ body: ([UInt8]) throws -> Result) rethrows -> Result {
    try bytes.withLock { try body($0) }
  }

  /// Compares the password with a text, in the same time for every wrong text of its length.
  package func isSame(as text: String) -> Bool {
    withBytes { bytes in
      let other = Array(text.utf8)
      return bytes.count == other.count && zip(bytes, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
  }

  /// Passes its text to `body`.
  package func withText<Result>(_ body: (String) throws -> Result) rethrows -> Result {
    try bytes.withLock { try body(String(decoding: $0, as: UTF8.self)) }
  }
}

extension Password: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// A fixed text, which does not show the password.
  public var description: String { "a password" }
  /// A fixed text, which does not show the password.
  public var debugDescription: String { description }
  /// A mirror without children, which does not show the password.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
