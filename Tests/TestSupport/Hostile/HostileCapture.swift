/// A capture of any size that is made to cost more than it should.
package struct HostileCapture: Sendable, CustomStringConvertible {
  /// What there is much of.
  package let name: String
  /// How much of it is enough to tell growth by.
  package let size: Int
  /// What is done with it: arguments of the program, in which FILE is the capture, LOG a log that
  /// it was imported into, and OUT something new.
  package let commands: [String]
  /// Its bytes, for any size.
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

  /// A native one, by its lines after those of a login.
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

  /// Those that were thought of, and real logs that something was done to.
  package static let all = made + logs

  /// Those that were thought of.
  package static let made =
    bytes + carriers + packets + elements + rosters + waiting + sessions + contacts + commands
}
