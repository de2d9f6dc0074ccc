/// A place in a source: a byte of a segment. Positions are compared like numbers, and stay what
/// they are however often the server starts anew, because the numbers of segments continue.
package struct SpoolPosition: RawRepresentable, Hashable, Comparable, Sendable {
  package let rawValue: UInt64

  private static let offsetBits: UInt64 = 40
  /// The highest offset in a segment: a terabyte.
  package static let maxOffset: UInt64 = 1 << offsetBits - 1
  package static let maxSegment: UInt64 = 1 << (64 - offsetBits) - 1

  package init(rawValue: UInt64) { self.rawValue = rawValue }

  /// Nil if there are no such segments or offsets.
  package init?(segment: UInt64, offset: UInt64) {
    guard segment <= Self.maxSegment, offset <= Self.maxOffset else { return nil }
    rawValue = segment << Self.offsetBits | offset
  }

  /// The beginning of every source.
  package static let start = SpoolPosition(rawValue: 0)

  package var segment: UInt64 { rawValue >> Self.offsetBits }
  package var offset: UInt64 { rawValue & Self.maxOffset }

  package static func < (a: SpoolPosition, b: SpoolPosition) -> Bool { a.rawValue < b.rawValue }

  /// The place some bytes further in the same segment; nil if no segment is so long.
  package func advanced(by bytes: Int) -> SpoolPosition? {
    let (sum, overflows) = offset.addingReportingOverflow(UInt64(max(0, bytes)))
    return overflows ? nil : SpoolPosition(segment: segment, offset: sum)
  }
}

extension SpoolPosition: CustomStringConvertible {
  package var description: String { "byte \(offset) of segment \(segment)" }
}

/// What to do with lines that follow a position and end at another.
package enum Admission: Hashable, Sendable {
  /// The lines from this position on are new.
  case take(from: SpoolPosition)
  /// All of them are there.
  case skip
  /// Lines before them are missing.
  case refuse

  /// - Parameters:
  ///   - have: Up to where a shard has the source.
  ///   - after: The position that the lines follow.
  ///   - upto: The position at which they end.
  package init(have: SpoolPosition, after: SpoolPosition, upto: SpoolPosition) {
    if upto <= have {
      self = .skip
    } else if after > have {
      self = .refuse
    } else {
      self = .take(from: have)
    }
  }
}
