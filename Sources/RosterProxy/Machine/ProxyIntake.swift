package import Rollcall

/// What one side of a proxied connection says, from bytes in pieces to units that are passed on
/// whole: every byte is in one of them, as it came.
package struct ProxyIntake {
  /// What is passed on at a time.
  package struct Unit: Hashable, Sendable {
    package var bytes: [UInt8]
    /// What it is; nil for white space and the like.
    package var part: StreamIntake.Part?
  }

  private var intake: StreamIntake
  /// The bytes of what is not complete.
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

  /// How many bytes wait for the rest of what they are part of.
  package var heldBytes: Int { held.count }

  /// Whether no element has begun and not ended.
  package var isBetweenElements: Bool { held.isEmpty && intake.isBetweenElements }

  /// Takes more bytes, cut anywhere, and gives the units that they complete.
  ///
  /// Whatever is complete is so by a `>`: what is read at a time ends with one, so that a unit ends
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

  /// Does not wait for the end of an element that is being passed over, as before a login.
  package mutating func giveUp() -> [Unit] { completed(by: intake.giveUp().map { [$0] } ?? []) }

  /// The stream ends here: what is left of an element that did not come to its end.
  package mutating func finish() -> [Unit] {
    let part = intake.finish()
    return completed(by: part.map { [$0] } ?? [])
  }

  private mutating func completed(by parts: [StreamIntake.Part]) -> [Unit] {
    // Of an element that is passed over, what is not kept does not wait for its end.
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
