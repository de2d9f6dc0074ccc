/// The parsed name of a log file. A program that rotates its log derives the names of the older
/// files from it, and they may be compressed.
package struct LogFileName: Hashable, Sendable {
  /// The name that all files of the log share: that of the file currently being written.
  package let log: String
  /// The age of the file in its log.
  package let age: Age

  /// The age of a file according to its name; older files are less.
  package struct Age: Hashable, Comparable, Sendable {
    private let parts: [Int]

    /// The file that is being written.
    fileprivate static let current = Age([2])
    fileprivate static let old = Age([1, .max])

    fileprivate init(_ parts: [Int]) { self.parts = parts }

    /// A date with what follows it: `2026-11-20`, `20261120-3`.
    fileprivate init(date: Substring) {
      var numbers = date.split { !$0.isNumber }.map { Int($0) ?? 0 }
      if let first = numbers.first, first < 10_000, numbers.count > 2 {
        numbers.replaceSubrange(0..<3, with: [(first * 100 + numbers[1]) * 100 + numbers[2]])
      }
      parts = [0] + numbers
    }

    package static func < (one: Age, other: Age) -> Bool {
      one.parts.lexicographicallyPrecedes(other.parts)
    }
  }

  package init(_ name: String) {
    let plain =
      Self.packings.first { name.hasSuffix($0) && name != $0 }
      .map { name.dropLast($0.count) } ?? name[...]
    // The names of logrotate and most libraries: debug.log.2, debug.log-20261120,
    // debug.log.2026-11-20.
    if let match = plain.wholeMatch(of: Self.segment) {
      (log, age) = (Self.spool, Age([0, Int(match.1) ?? .max]))
    } else if let match = plain.wholeMatch(of: Self.dated) {
      (log, age) = (String(match.1), Age(date: match.2))
    } else if let match = plain.wholeMatch(of: /(.+)\.(\d{1,4})/) {
      (log, age) = (String(match.1), Age([1, -(Int(match.2) ?? 0)]))
    } else if let match = plain.wholeMatch(of: /(.+)\.old/) {
      (log, age) = (String(match.1), .old)
    } else if let match = plain.wholeMatch(of: Self.datedWithin) {
      (log, age) = (String(match.1 + match.3), Age(date: match.2))
    } else if let match = plain.wholeMatch(of: /(.+)\.(\d{1,4})(\.(?:log|txt|xml|jsonl?))/) {
      // The names of profanity, which counts upward.
      (log, age) = (String(match.1 + match.3), Age([1, Int(match.2) ?? 0]))
    } else {
      (log, age) = (String(plain), .current)
    }
  }

  private static let packings = [".gz", ".xz", ".zst"]
  private static let spool = "the spool of a tap"

  /// Whether it is the name of a segment of a tap's spool.
  package var isSegment: Bool { log == Self.spool }
}

extension LogFileName {
  /// A segment of a tap's spool, which is named after the server's run. Segments are numbered
  /// across runs. The name of a run is no date, as in `20261120-101500.jsonl`.
  private static var segment: Regex<(Substring, Substring)> {
    /(?!(?:19|20)\d\d[01]\d[0-3]\d)[0-9a-f]{8}-(\d{6,})\.jsonl/
  }

  /// A date after the name: `debug.log-20261120`, `debug.log.2026-11-20.1`.
  private static var dated: Regex<(Substring, Substring, Substring)> {
    /(.+?)[.\-_]((?:19|20)\d\d-?[01]\d-?[0-3]\d(?:[\-_.T]\d{1,10})*)/
  }

  /// A date before the extension: `debug-2026-11-20.log`, `debug.2026-11-20.1.log`.
  private static var datedWithin: Regex<(Substring, Substring, Substring, Substring)> {
    /(.+?)[.\-_]((?:19|20)\d\d-?[01]\d-?[0-3]\d(?:[\-_.T]\d{1,10})*)(\.(?:log|txt|xml|jsonl?))/
  }
}
