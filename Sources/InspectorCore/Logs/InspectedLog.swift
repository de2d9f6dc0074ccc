import Captures
package import Rollcall
import RosterCore
import Synchronization

/// A log that the inspector has open, with what it keeps of it between requests.
///
/// Answers one request at a time.
package final class InspectedLog: Sendable {
  /// Sets a bookmark, in a process of its own if need be.
  package typealias BookmarkSetter = @Sendable (_ name: String, _ point: UInt64) throws -> Void

  /// What the log is called.
  package let title: String
  /// Whether the log may grow.
  package let isLive: Bool
  private let open: Mutex<OpenLog>
  private let setBookmark: BookmarkSetter?

  /// Whether bookmarks can be set.
  package var isWritable: Bool { setBookmark != nil }

  /// - Parameter setBookmark: Sets a bookmark; nil if the log cannot be written.
  package init(
    _ timeline: Timeline, title: String, isLive: Bool, setBookmark: BookmarkSetter? = nil
  ) {
    self.title = title
    self.isLive = isLive
    self.setBookmark = setBookmark
    open = Mutex(OpenLog(timeline, title: title))
  }

  /// Brings the index up to date, so that the first request need not.
  ///
  /// Complexity: linear in the records that are not indexed.
  package func prepare() throws {
    try open.withLock { try $0.refresh() }
  }

  /// Runs `body` on the log, indexed to its end.
  func read<Value: Sendable>(_ body: (inout OpenLog) throws -> Value) throws -> Value {
    try open.withLock { log in
      try log.refresh()
      return try body(&log)
    }
  }

  /// What is new in a log.
  package struct News: Hashable, Sendable {
    /// The last record.
    package let head: UInt64
    /// What the page has to know, as JSON on one line.
    package let document: String
  }

  /// What a page that has seen a record must know of what came after it; nil if nothing did.
  package func news(after record: UInt64) throws -> News? {
    try read { log in
      log.news(after: record).map { News(head: log.head, document: $0.text) }
    }
  }

  func addBookmark(_ request: InspectorRequest) throws -> JSONValue {
    guard case .string(let name)? = request.body["name"], Bookmark.isName(name) else {
      throw Refusal.malformed(
        "a bookmark's name is a letter, then letters, digits, -, _ and ., but not head")
    }
    guard let setBookmark else {
      throw Refusal(409, "read-only", "\(title) is not a log that can be written")
    }
    let point = try read { try $0.record(at: request.body["at"]) }
    try setBookmark(name, point)
    let bookmarks = try read { try $0.timeline.bookmarks }
    guard let bookmark = bookmarks.first(where: { $0.name == name }) else {
      throw Refusal(500, "log-unreadable", "the bookmark is not in the log")
    }
    return JSONValue(bookmark)
  }
}
