/// A capture of any size that is designed to be expensive.
package struct HostileCapture: Sendable, CustomStringConvertible {
  /// What it has many of.
  package let name: String
  /// The size from which growth can be measured.
  package let size: Int
  /// The commands to run on it: arguments of the program, in which FILE is the capture, LOG a log
  /// into which it was imported, and OUT a new path.
  package let commands: [String]
  /// The bytes of the capture, for any size.
  package let bytes: @Sendable (Int) -> [UInt8]

  package var description: String { name }

  init(
    _ name: String, _ size: Int, _ commands: [String] = ["state FILE --json"],
    bytes: @escaping @Sendable (Int) -> [UInt8]
  ) {
    self.name = name
    self.size = size
    self.commands = commands
    self.bytes = bytes
  }

  /// A native capture with a login before these lines.
  static func native(
    _ name: String, _ size: Int, _ commands: [String] = ["state FILE --json"],
    items roster: @escaping @Sendable (Int) -> String = { _ in "" },
    _ lines: @escaping @Sendable (inout NativeCapture, Int) -> Void
  ) -> HostileCapture {
    HostileCapture(name, size, commands) { size in
      var capture = NativeCapture(items: roster(size))
      lines(&capture, size)
      return capture.bytes
    }
  }

  /// The designed captures, and modified real logs.
  package static let all = made + logs

  /// The designed captures.
  package static let made =
    bytes + carriers + packets + elements + rosters + waiting + sessions + contacts + commands
}
