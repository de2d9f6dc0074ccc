package import Captures

extension JSONValue {
  /// A bookmark as `rollcall bookmark --json` prints it.
  package init(_ bookmark: PlacedBookmark) {
    self = .object([
      "name": .string(bookmark.name), "at": JSONValue(bookmark.point),
      "record": JSONValue(bookmark.record),
    ])
  }
}
