/// The keys that give the kind of a line in a native capture: each line has one of them.
///
/// A line with two is refused, because reading it would lose one of its meanings. Other keys are
/// ignored.
enum NativeKey {
  /// All of them, in the order in which an error names two.
  private static let all: [String] =
    [Lifecycle.versionKey, xml, unreadable, stream] + AnnotationLine.keys

  /// The record is an element, a stream header or an end tag.
  static let xml = "xml"
  /// The record is bytes that could not be read.
  static let unreadable = "unreadable"
  /// The record is a step in the life of a stream.
  static let stream = "stream"
  /// The direction of an element or of unreadable bytes.
  static let direction = "dir"

  /// Returns the key that gives the kind of a line, or nil if the line has none of them.
  ///
  /// - Throws: `LineProblem` if the line has two of them.
  static func only(of object: [String: JSONValue]) throws(LineProblem) -> String? {
    let found = all.filter { object.keys.contains($0) }
    // A header, for example, may have a `note`, which means nothing without a `jid`.
    let complete = found.filter { !AnnotationLine.isIncomplete($0, of: object) }
    if complete.count > 1 {
      throw LineProblem("a record has either \"\(complete[0])\" or \"\(complete[1])\", not both")
    }
    return complete.first ?? found.first
  }
}
