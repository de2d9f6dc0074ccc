import ArgumentParser
import Captures
import EventStore
import Rollcall

struct BookmarkCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bookmark",
    abstract: "Gives a point of a log a name, or lists the names.",
    discussion: """
      The bookmark is appended as a record of its own; nothing is rewritten. A later bookmark \
      replaces an earlier one of the same name.

      Examples:
        rollcall bookmark alice.rollcall before-the-rename 120
        rollcall bookmark alice.rollcall
        rollcall bookmark sessions before 120 --account alice@example.test
        rollcall state alice.rollcall --at before-the-rename
      """)

  @OptionGroup var chosen: AccountOption
  @OptionGroup var output: OutputOptions

  @Argument(
    help: "A log (NAME.rollcall), or a folder of logs, such as that of record.",
    completion: .file())
  var log: String

  @Argument(
    help: "The name: a letter, then letters, digits, -, _ and .; without it, the names are listed.")
  var name: String?

  @Argument(help: "The point to name: \(PointError.forms).")
  var point: String = "head"

  func run() throws {
    let log = try LogFolder.log(at: log, of: chosen.wanted)
    do {
      try name.map { try add($0, to: log) } ?? list(log)
    } catch let error as PointError {
      throw Failure("\(error)")
    } catch let error as RollcallError {
      throw (error.underlying as? PointError).map { Failure("\($0)") } ?? Failure(error, in: log)
    } catch let error as EventLogError {
      throw Failure(error, in: log)
    }
  }

  private func add(_ name: String, to log: String) throws {
    guard Bookmark.isName(name) else {
      throw Failure(
        "“\(name)” cannot be the name of a bookmark: use a letter, then letters, digits, -, _ "
          + "and ., but not head")
    }
    let point = try LogPoint(parsing: point)
    let opened = try EventLog.openToWrite(log)
    try AccountMismatch.check(opened.meta.account, chosen.wanted, of: log)
    let placed = try Timeline(opened).addBookmark(name, at: point)
    guard !output.json else { return try Terminal.say(JSONValue(placed)) }
    try Terminal.say("\(placed.name) is after record \(placed.point)")
  }

  private func list(_ log: String) throws {
    try EventLog.checkPages(of: log)
    let opened = try EventLog.open(
      at: log, access: .readOnly, eventVersion: RecordReader.version)
    try AccountMismatch.check(opened.meta.account, chosen.wanted, of: log)
    let bookmarks = try Timeline(opened).bookmarks
    guard !output.json else {
      try Terminal.say(.object(["bookmarks": .array(bookmarks.map { JSONValue($0) })]))
      if bookmarks.isEmpty { throw NothingFound(sentence: nil) }
      return
    }
    guard !bookmarks.isEmpty else { throw NothingFound(sentence: "the log has no bookmarks") }
    var table = Table(["bookmark", "after record", "set by"])
    for bookmark in bookmarks {
      table.add([bookmark.name, "\(bookmark.point)", "#\(bookmark.record)"])
    }
    try Terminal.say(table.takeLines())
  }
}
