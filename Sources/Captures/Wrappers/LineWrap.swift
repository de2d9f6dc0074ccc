import XMPPStanza

/// Lines wrapped at one width, as by terminals, mails and forms.
///
/// A line of exactly that width continues on the next, unless the next begins like the lines that
/// continue no other.
package struct LineWrap: Hashable, Sendable {
  /// The unit of a width.
  enum Unit: Hashable, Sendable, CaseIterable {
    case bytes
    case characters
    /// Columns of a terminal. An East Asian character takes two.
    case columns
  }

  let unit: Unit
  let width: Int
  /// The number of spaces before each continuation.
  let indentation: Int
  /// The beginnings of lines that continue no other.
  let starts: Set<[UInt8]>
  /// Whether more than two lines have this width and are continued. Fewer may be a coincidence.
  let isRepeated: Bool

  private static let minimumWidth = 40
  private static let startBytes = 10

  /// Finds the width of the lines of a text; nil if they were not wrapped.
  init?(_ lines: [ArraySlice<UInt8>]) {
    guard lines.count >= 2 else { return nil }
    let found = Unit.allCases.compactMap { Self.found(lines, $0) }
    guard let best = found.max(by: { $0.count < $1.count }) else { return nil }
    self = best.wrap
  }

  private init(
    _ unit: Unit, _ width: Int, _ indentation: Int, _ starts: Set<[UInt8]>, isRepeated: Bool
  ) {
    (self.unit, self.width, self.indentation) = (unit, width, indentation)
    (self.starts, self.isRepeated) = (starts, isRepeated)
  }

  private static func found(
    _ lines: [ArraySlice<UInt8>], _ unit: Unit
  ) -> (wrap: LineWrap, count: Int)? {
    let widths = lines.map { width(of: $0, unit) }
    guard let width = widths.max(), width >= minimumWidth else { return nil }
    var starts: Set<[UInt8]> = []
    for (index, line) in lines.enumerated()
    where !line.isEmpty && (index == 0 || widths[index - 1] < width) {
      starts.insert(start(of: line))
    }
    var full = 0
    var indentation = Int.max
    for index in lines.indices.dropLast() where widths[index] == width {
      let next = lines[index + 1]
      guard !next.isEmpty, !starts.contains(start(of: next)) else { continue }
      full += 1
      indentation = min(indentation, TextLayers.indentation(of: next))
    }
    guard full > 0 else { return nil }
    let wrap = LineWrap(
      unit, width, indentation < 2 ? 0 : indentation, starts, isRepeated: full > 2)
    return (wrap, full)
  }

  /// The beginning of a line, with each character replaced by its kind.
  static func start(of line: ArraySlice<UInt8>) -> [UInt8] {
    line.prefix(startBytes).map { byte in
      if byte.isDigit { return UInt8(ascii: "0") }
      return byte.isLetter || byte >= 0x80 ? UInt8(ascii: "a") : byte
    }
  }

  static func width(of line: ArraySlice<UInt8>, _ unit: Unit) -> Int {
    switch unit {
    case .bytes: return line.count
    case .characters: return line.count { $0 & 0xC0 != 0x80 }
    case .columns:
      // Characters of three bytes from U+2E80 on, and of four bytes, take two columns.
      return line.reduce(0) { width, byte in
        if byte & 0xC0 == 0x80 { return width }
        return width + (byte >= 0xE3 ? 2 : 1)
      }
    }
  }
}

/// Joins the lines of a text that was wrapped at one width.
final class WrapStep: LineStep {
  private let wrap: LineWrap
  private let maximumBytes: Int
  private var carry: CarriedLine?
  private var isFull = false

  init(_ wrap: LineWrap, _ maximumBytes: Int) {
    (self.wrap, self.maximumBytes) = (wrap, maximumBytes)
  }

  func process(_ line: CarriedLine, _ emit: Emit) throws {
    let width = LineWrap.width(of: line.bytes, wrap.unit)
    defer { isFull = width == wrap.width }
    if var open = carry {
      carry = nil
      let isBounded = open.bytes.count + line.bytes.count <= maximumBytes
      if isFull, isBounded, !wrap.starts.contains(LineWrap.start(of: line.bytes)) {
        open.bytes += TextLayers.unindented(line.bytes, by: wrap.indentation)
        carry = open
        return
      }
      try emit(open)
    }
    carry = line
  }

  func finish(_ emit: Emit) throws {
    if let carry { try emit(carry) }
    carry = nil
  }
}
