package import Rollcall

/// Divides the bytes from one side of a proxied connection into units that are passed on whole.
/// Every byte is in one of them, as it arrived.
package struct ProxyIntake {
  /// Bytes that are passed on together.
  package struct Unit: Hashable, Sendable {
    package var bytes: [UInt8]
    /// The part of the stream that they are; nil for white space and the like.
    package var part: StreamIntake.Part?
  }

  private var intake: StreamIntake
  /// The bytes of an incomplete unit.
  private var held: [UInt8] = []
  private static let tagEnd = UInt8(ascii: ">")

  package init(_ limits: SessionLimits) {
    intake = StreamIntake(limits)
  }

  /// Forgets everything, as for a new connection.
  package mutating func reset() {
    intake.reset()
    held = []
  }

  /// The number of bytes that wait for the rest of their unit.
  package var heldBytes: Int { held.count }

  /// Whether no element is incomplete.
  package var isBetweenElements: Bool { held.isEmpty && intake.isBetweenElements }

  /// Takes more bytes, cut anywhere, and returns the units that they complete.
  ///
  /// Every part ends with a `>`, so bytes are read up to the next one at a time, and a unit ends
  /// where its part does.
  package mutating func take(_ bytes: [UInt8]) -> [Unit] {
    var units: [Unit] = []
    var rest = bytes[...]
    while let first = rest.first {
      let end = rest.firstIndex(of: Self.tagEnd).map { $0 + 1 } ?? rest.endIndex
      let piece = Array(rest[..<end])
      rest = rest[end...]
      // White space before an element does not wait for it.
      if held.isEmpty, first != UInt8(ascii: "<") {
        let space = piece.prefix { " \t\r\n".utf8.contains($0) }
        if !space.isEmpty { units.append(Unit(bytes: Array(space), part: nil)) }
        held += piece.dropFirst(space.count)
      } else {
        held += piece
      }
      units += completed(by: intake.take(piece))
    }
    return units
  }

  /// Gives up an element that is being skipped, because nothing is skipped before the login.
  package mutating func giveUp() -> [Unit] { completed(by: intake.giveUp().map { [$0] } ?? []) }

  /// The stream ends here. Returns the rest of an incomplete element.
  package mutating func finish() -> [Unit] {
    let part = intake.finish()
    return completed(by: part.map { [$0] } ?? [])
  }

  private mutating func completed(by parts: [StreamIntake.Part]) -> [Unit] {
    // The bytes of a skipped element that are not kept do not wait for its end.
    guard !parts.isEmpty || intake.isBetweenElements || intake.isSkippingUnkept else { return [] }
    defer { held = [] }
    // The tag of a stream that has ended at once is two parts of one unit.
    let units = parts.enumerated().map { index, part in
      Unit(bytes: index == parts.count - 1 ? held : [], part: part)
    }
    if !units.isEmpty { return units }
    return held.isEmpty ? [] : [Unit(bytes: held, part: nil)]
  }
}
