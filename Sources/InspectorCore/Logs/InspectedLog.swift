package import Captures
package import Rollcall
import RosterCore
import Synchronization
import XMPPStanza

/// A log that the inspector has open, with what it keeps of it between requests.
///
/// Answers one request at a time.
package final class InspectedLog: Sendable {
  /// Sets a bookmark, in a process of its own if need be.
  package typealias BookmarkSetter = @Sendable (_ name: String, _ point: UInt64) throws -> Void
  /// Opens the log at the same place again.
  package typealias Opener = @Sendable () throws -> Timeline

  /// How many records are indexed before other requests get a turn.
  private static let slice: UInt64 = 1 << 16

  private struct State: Sendable {
    /// Nil while the log at the place cannot be opened.
    var log: OpenLog?
    /// How often the log was replaced.
    var generation = 0
    /// Whether `prepare` is extending the index, so that requests leave it to that.
    var isIndexing = false
    /// How many requests use the log outside of the lock. It stays open for them, because another
    /// at its path cannot be opened before it is closed.
    var borrowers = 0
  }

  /// What the log is called.
  package let title: String
  /// Whether the log may grow.
  package let isLive: Bool
  private let state: Mutex<State>
  private let setBookmark: BookmarkSetter?
  private let reopen: Opener?
  /// The branches that are asked for, oldest first. At most one of them is replayed for long.
  private let runs = Mutex<[BranchRun]>([])

  /// Whether bookmarks can be set.
  package var isWritable: Bool { setBookmark != nil }

  /// - Parameters:
  ///   - setBookmark: Sets a bookmark; nil if the log cannot be written.
  ///   - reopen: Opens the log that has replaced this one; nil if none can.
  package init(
    _ timeline: Timeline, title: String, isLive: Bool, setBookmark: BookmarkSetter? = nil,
    reopen: Opener? = nil
  ) {
    self.title = title
    self.isLive = isLive
    self.setBookmark = setBookmark
    self.reopen = reopen
    state = Mutex(State(log: OpenLog(timeline, title: title)))
  }

  // MARK: Reading

  /// Indexes the log slice by slice. Requests in between are answered for what is indexed by then.
  ///
  /// - Parameter progress: Is called after each slice with the numbers of indexed and of all
  ///   records; returns whether to go on. What is left is then indexed by the next call.
  ///
  /// Complexity: linear in the records that are not indexed.
  package func prepare(
    _ progress: (_ indexed: UInt64, _ all: UInt64) -> Bool = { _, _ in true }
  ) throws {
    var isWanted = true
    while isWanted {
      let (indexed, all) = try state.withLock { state in
        state.isIndexing = true
        do {
          return try withOpen(&state) { log in
            try log.refresh(atMost: Self.slice)
            return (log.head, log.end)
          }
        } catch {
          state.isIndexing = false
          throw error
        }
      }
      isWanted = indexed < all && progress(indexed, all)
      if indexed == all { state.withLock { $0.isIndexing = false } }
    }
  }

  /// Runs `body` on the log, indexed to its end unless `prepare` is about to do that.
  func read<Value: Sendable>(_ body: (inout OpenLog) throws -> Value) throws -> Value {
    try state.withLock { state in
      let isIndexing = state.isIndexing
      return try withOpen(&state) { log in
        if !isIndexing { try log.refresh() }
        return try body(&log)
      }
    }
  }

  /// Runs `body` on a part of the log, beside what answers one request at a time. A log that is
  /// replaced meanwhile stays in view until `body` is over.
  func borrow<Part: Sendable, Value>(
    _ part: (inout OpenLog) throws -> Part, _ body: (Part) throws -> Value
  ) throws -> Value {
    try state.withLock { state in
      try withOpen(&state) { _ in }
      state.borrowers += 1
    }
    // What `body` was given is released by then.
    defer { state.withLock { $0.borrowers -= 1 } }
    return try body(read(part))
  }

  /// Runs `body` on the log at the place, which is another one than before if it was replaced.
  private func withOpen<Value>(
    _ state: inout State, _ body: (inout OpenLog) throws -> Value
  ) throws -> Value {
    if let reopen, try state.log?.isReplaced ?? true, !isBorrowed(state) {
      // The old one has to be closed before another at the same path is opened.
      state.log = nil
      state.generation += 1
      state.log = OpenLog(try reopen(), title: title, generation: state.generation)
    }
    guard var log = state.log else {
      throw Refusal(500, "log-unreadable", "\(title) was replaced and cannot be opened")
    }
    // Held once, it is changed in place.
    state.log = nil
    defer { state.log = log }
    return try body(&log)
  }

  /// Whether a log that was replaced is still used. A branch of it is not worth waiting for.
  private func isBorrowed(_ state: State) -> Bool {
    guard state.borrowers > 0 else { return false }
    cancelBranches()
    return true
  }

  /// What is new in a log.
  package struct News: Hashable, Sendable {
    /// The last record.
    package let head: UInt64
    /// How often the log was replaced.
    package let generation: Int
    /// What the page has to know, as JSON on one line.
    package let document: String
  }

  /// What a page that has seen a record must know of what came after it; nil if nothing did.
  ///
  /// - Parameter generation: How often the log had been replaced when the page saw the record; nil
  ///   if it is not known.
  package func news(after record: UInt64, of generation: Int? = nil) throws -> News? {
    try read { log in
      log.news(after: record, of: generation ?? log.generation).map {
        News(head: log.head, generation: log.generation, document: $0.text)
      }
    }
  }

  // MARK: Cards

  /// `/api/contacts/JID/cards`: what a contact shows of itself at a moment. Reads what is new in
  /// the log outside of what answers one request at a time.
  func cards(_ jid: String, _ request: InspectorRequest) throws -> JSONValue {
    let contact = try OpenLog.contact(jid)
    return try borrow({ ($0.cards, $0.timeline, try $0.record("at", of: request), $0.head) }) {
      (cards, timeline, record, head) in
      JSONValue(try cards.shown(by: contact, at: record, over: timeline, upTo: head), at: record)
    }
  }

  // MARK: Branches and bookmarks

  /// `POST /api/branches`: what would be otherwise. Replays outside of what answers one request at
  /// a time, so that the page stays usable; a newer branch ends an older one, and a request that is
  /// refused ends none.
  ///
  /// - Parameter step: Is called with each record before it is replayed.
  package func addBranch(
    _ request: InspectorRequest, step: (UInt64) -> Void = { _ in }
  ) throws -> JSONValue {
    if request.body["cancel"] == .bool(true) {
      cancelBranches()
      return .object(["canceled": .bool(true)])
    }
    let change = try BranchChange(request.body)
    let mine = BranchRun()
    // Before the log is asked, which may have to be read first: it can be canceled from now on.
    runs.withLock { $0.append(mine) }
    defer { runs.withLock { $0.removeAll { $0 === mine } } }
    return try borrow({ try $0.branch(with: change) }) { branch in
      runs.withLock { $0.prefix { $0 !== mine }.forEach { $0.cancel() } }
      let comparison = try branch.compare { record in
        step(record)
        guard !mine.isCanceled else {
          throw Refusal(409, "canceled", "the change was canceled before it was replayed")
        }
      }
      return try read { $0.branches.add($0.document(branch, comparison)) }
    }
  }

  private func cancelBranches() { runs.withLock { $0.forEach { $0.cancel() } } }

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

/// The cards of a log, which is read once: a page that asks while another page's request reads it
/// waits for that.
final class CardReading: Sendable {
  private let history = Mutex(CardHistory())

  func shown(
    by contact: BareJID, at record: UInt64, over timeline: Timeline, upTo head: UInt64
  ) throws -> CardHistory.Shown {
    try history.withLock { history in
      try history.extend(over: timeline, upTo: head)
      return history.shown(by: contact, at: record)
    }
  }
}

/// A branch that is asked for, and whether it is still wanted.
private final class BranchRun: Sendable {
  private let canceled = Atomic(false)

  var isCanceled: Bool { canceled.load(ordering: .relaxed) }

  func cancel() { canceled.store(true, ordering: .relaxed) }
}
