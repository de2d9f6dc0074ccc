import XMPPStanza

/// The lines of a capture that contain the beginning of an element of a stream and are not part of
/// any record.
package struct UnreadLines: Hashable, Sendable {
  /// The number of lines.
  package private(set) var count = 0
  /// The number, from 1, of the first line; nil if there is none.
  package private(set) var first: Int?

  /// Creates an empty count.
  package init() {}

  /// Counts a skipped line if it contains the beginning of an element, escaped or not.
  ///
  /// - Parameter marks: Texts that mark lines whose stanzas are not records of the log if they
  ///   begin before the element.
  mutating func note(_ line: ArraySlice<UInt8>, number: Int, except marks: [[UInt8]] = []) {
    guard let start = ElementStart.position(in: line),
      !marks.contains(where: { line.position(of: $0).map { $0 < start } ?? false })
    else { return }
    count += 1
    first = min(first ?? number, number)
  }

  /// The sum of two counts.
  func adding(_ other: UnreadLines) -> UnreadLines {
    var sum = self
    sum.count += other.count
    sum.first = [first, other.first].compactMap { $0 }.min()
    return sum
  }
}
