import XMPPStanza

/// The lines of a capture that hold the beginning of an element of a stream and are no part of any
/// record.
package struct UnreadLines: Hashable, Sendable {
  /// How many there are.
  package private(set) var count = 0
  /// The number of the first of them, from 1; nil if there is none.
  package private(set) var first: Int?

  /// No lines.
  package init() {}

  /// Counts a line that was passed over, if it holds the beginning of an element, escaped or not.
  ///
  /// - Parameter marks: Texts that mark lines whose stanzas are no records of the log.
  mutating func note(_ line: ArraySlice<UInt8>, number: Int, except marks: [[UInt8]] = []) {
    guard let start = ElementStart.position(in: line),
      !marks.contains(where: { line[..<start].position(of: $0) != nil })
    else { return }
    count += 1
    first = min(first ?? number, number)
  }

  /// These and those that something else has passed over.
  func adding(_ other: UnreadLines) -> UnreadLines {
    var sum = self
    sum.count += other.count
    sum.first = [first, other.first].compactMap { $0 }.min()
    return sum
  }
}
