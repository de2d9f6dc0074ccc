package import Captures
package import EventStore
import RosterCore

/// A name for a moment, as an annotation of the log keeps it. A later one of the same name takes
/// its place.
package struct Bookmark: Hashable, Sendable {
  /// See `isName`.
  package let name: String
  /// How many records before the annotation the moment is: a distance stays true where records
  /// are put in front, as an export does with a header.
  package let back: UInt64

  package init(name: String, back: UInt64) {
    self.name = name
    self.back = back
  }

  /// Whether a text can be a bookmark's name: a letter first, then letters, digits, `-`, `_` and
  /// `.`, 64 characters at most, and no other form of a point.
  package static func isName(_ text: String) -> Bool {
    guard let first = text.first, first.isLetter, text.count <= 64 else { return false }
    // Whatever begins as the head does is a mistake in writing it.
    return text.prefix(4).lowercased() != "head"
      && text.allSatisfy { $0.isLetter || $0.isNumber || "-_.".contains($0) }
  }

  /// Under what the log's index has the records of bookmarks: no contact's address holds a slash.
  static let subject = "/bookmark"

  /// The line that the native format has for it, without a line feed.
  package var bytes: [UInt8] { line.bytes }

  private var line: AnnotationLine { .bookmark(name: name, back: back) }

  /// Reads a line back; nil where it is none that `bytes` gives.
  package init?(_ bytes: [UInt8]) {
    guard let line = AnnotationLine(bytes) else { return nil }
    self.init(line)
  }

  /// The bookmark that a line is; nil for another annotation, and for a text that is no name.
  package init?(_ line: AnnotationLine) {
    guard case .bookmark(let name, let back) = line, Self.isName(name) else { return nil }
    self.init(name: name, back: back)
  }

  /// The record that keeps it. It has no time: it is no part of what happened.
  package var draft: RecordDraft {
    var encoder = EventEncoder()
    return RecordDraft(.annotation(line), time: nil, on: 1, encodedBy: &encoder)
  }
}

/// A bookmark with its place in a log.
package struct PlacedBookmark: Hashable, Sendable {
  package let name: String
  /// The record after which the moment is that it marks.
  package let point: UInt64
  /// The record that is the bookmark itself.
  package let record: UInt64
}

extension Timeline {
  /// The bookmarks of a log, by name; of those with one name the last.
  ///
  /// Complexity: linear in the bookmarks where the index is current, else in the records.
  package var bookmarks: [PlacedBookmark] {
    get throws {
      let head = try log.read { try $0.lastSequence }
      guard head > 0 else { return [] }
      var found: [String: PlacedBookmark] = [:]
      for sequence in try records(of: Bookmark.subject, in: 1...head).sorted() {
        guard let record = try log.read({ try $0.record(at: sequence) }),
          let bookmark = Bookmark(record.bytes)
        else { continue }
        // One that points before the start was cut off with what it marked.
        found[bookmark.name] = PlacedBookmark(
          name: bookmark.name, point: sequence - min(sequence, bookmark.back), record: sequence)
      }
      return found.values.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }
  }

  /// Appends a bookmark for a point.
  package func addBookmark(_ name: String, at point: LogPoint) throws -> PlacedBookmark {
    let target = try record(at: point)
    while true {
      let next = try log.read { try $0.lastSequence } + 1
      let bookmark = Bookmark(name: name, back: next - target)
      let record = try log.append([bookmark.draft]).lowerBound
      // If another writer's record came in between, another bookmark takes this one's place.
      if record == next { return PlacedBookmark(name: name, point: target, record: record) }
    }
  }
}
