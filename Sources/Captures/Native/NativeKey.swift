/// The keys that say what a line of a native capture is: each line has one of them.
///
/// A line with two would have to lose one of the things that it says, so it is refused. Whatever
/// else a line has is passed over.
enum NativeKey {
  /// Lists all of them, in the order in which an error names two.
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

  /// Returns the key that says what a line is, or nil if the line has none of them.
  ///
  /// - Throws: `LineProblem` if the line has two of them.
  static func only(of object: [String: JSONValue]) throws(LineProblem) -> String? {
    let found = all.filter { object.keys.contains($0) }
    // A header may have a note, say: without what goes with it the key says nothing.
    let said = found.filter { !AnnotationLine.isPart($0, of: object) }
    if said.count > 1 {
      throw LineProblem("a record has either \"\(said[0])\" or \"\(said[1])\", not both")
    }
    return said.first ?? found.first
  }
}
