import Captures
import EventStore
import Foundation
import Synchronization

/// Stores spools in a fleet, each line exactly once.
///
/// What a shard has of a source is in the shard, written with the records. So after any end of the
/// process, the reading begins where all shards have everything, and each shard skips what it has.
package final class FleetStorer {
  package let folder: String
  private let hook: StepHook
  /// One process at a time stores in a fleet.
  private let lease: RecorderLease
  private var note: FleetNote
  private var notedAt = ContinuousClock.now
  private var isNoteCurrent = true
  private var writers: [ShardNumber: ShardWriter] = [:]
  private var accounts = AccountCache()
  private var cursors: [Cursor] = []
  package private(set) var counts = Counts()
  /// Receives a sentence about a line that could not be read.
  private let complain: (String) -> Void

  /// How often `fleet.json` is written while spools are followed.
  private static let noteInterval = Duration.seconds(10)
  /// The number of problems of a source that are told one by one.
  private static let toldProblems = 10

  package struct Counts: Hashable, Sendable {
    package var lines = 0
    package var bytes = 0
    package var records = 0
    package var newAccounts = 0
    package var gapLines = 0
    package var problems = 0
    package var trimmed = 0
  }

  /// Where the reading of a spool is.
  private struct Cursor {
    let spool: SpoolFolder
    var source: SourceNumber
    var id: String
    var position: SpoolPosition
    var boot: String
    var server: String
    var newest: Int64?
    var gapLines = 0
    var problems = 0
  }

  /// Opens a fleet, or makes one.
  ///
  /// - Throws: `EventLogError.recorded` while another process stores in it, `FleetError`, and the
  ///   errors of the shards.
  package init(
    _ folder: String, complain: @escaping (String) -> Void = { _ in },
    hook: @escaping StepHook = { _ in }
  ) throws {
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    (self.folder, self.complain, self.hook) = (folder, complain, hook)
    lease = try RecorderLease(ofFolder: folder)
    do {
      note = try FleetNote.read(in: folder)
    } catch FleetError.notAFleet {
      note = FleetNote()
      try note.write(in: folder)
    }
    let floors = floors
    for number in FleetShard.numbers(in: folder) {
      let shard = try FleetShard.open(number, in: folder, access: .readWrite)
      writers[number] = try ShardWriter(shard, floors: floors, hook)
    }
  }

  private var floors: [SourceNumber: (position: SpoolPosition, boot: String)] {
    Dictionary(
      uniqueKeysWithValues: note.sources.enumerated().map { index, source in
        (SourceNumber(index + 1), (source.floorPosition, source.boot))
      })
  }

  /// Adds a spool.
  ///
  /// - Throws: `FleetError.noSpool`, or the system's error.
  package func add(spool path: String) throws {
    let spool = SpoolFolder(path)
    guard spool.exists else { throw FleetError.noSpool(path) }
    let id = try source(of: spool)
    guard !cursors.contains(where: { $0.id == id }) else { return }
    cursors.append(try cursor(spool, id))
  }

  /// The name of a spool's source. If its file is gone and the segments are of a run that the fleet
  /// has from this folder, it is the same source, and gets its file again.
  private func source(of spool: SpoolFolder) throws -> String {
    let folder = Self.canonical(spool.path)
    var boots = Dictionary(
      note.sources.filter { $0.folder == folder && !$0.boot.isEmpty }.map { ($0.boot, $0.id) }
    ) { _, last in last }
    for cursor in cursors where Self.canonical(cursor.spool.path) == folder {
      boots[cursor.boot] = cursor.id
    }
    return try spool.source(of: boots)
  }

  private static func canonical(_ path: String) -> String {
    URL(filePath: path).standardized.path(percentEncoded: false)
  }

  private func cursor(_ spool: SpoolFolder, _ id: String) throws -> Cursor {
    let source = note.number(of: id, in: Self.canonical(spool.path))
    // The number must be known before a shard uses it.
    try note.write(in: folder)
    let known = note[source]
    for writer in writers.values { writer.add(source, (known.floorPosition, known.boot)) }
    return Cursor(
      spool: spool, source: source, id: id, position: known.floorPosition, boot: known.boot,
      server: known.server,
      newest: known.newest, gapLines: known.gapLines, problems: known.problems)
  }

  // MARK: Reading

  /// Reads and stores some of what the spools have that the fleet does not.
  ///
  /// - Parameter isFollowing: Whether a folder that is gone is waited for.
  /// - Returns: Whether there was anything.
  package func step(isFollowing: Bool = false) throws -> Bool {
    var hasRead = false
    for index in cursors.indices where try step(index, isFollowing) { hasRead = true }
    if !isNoteCurrent, ContinuousClock.now - notedAt >= Self.noteInterval { try writeNote() }
    return hasRead
  }

  private func step(_ index: Int, _ isFollowing: Bool) throws -> Bool {
    let spool = cursors[index].spool
    guard spool.exists else {
      if isFollowing { return false }
      throw FleetError.noSpool(spool.path)
    }
    let id = try source(of: spool)
    if id != cursors[index].id {
      // Another folder has the name.
      cursors[index] = try cursor(spool, id)
    }
    let segments = try spool.segments()
    let position = cursors[index].position
    if let last = segments.last, last.number < position.segment {
      throw FleetError.spoolRanBack(spool.path, position)
    }
    guard let segment = segments.first(where: { $0.number >= position.segment }) else {
      return false
    }
    if segment.number > position.segment {
      if position != .start {
        // A tap leaves no number out, and the fleet deletes only what it has.
        complain(
          "\(spool.path): what follows \(position) is gone, up to segment \(segment.number)")
      }
      move(index, to: SpoolPosition(segment: segment.number, offset: 0) ?? position)
    }
    return try read(segment, index, isLast: segment == segments.last)
  }

  /// Continues at another position: nothing between is about any account.
  private func move(_ index: Int, to position: SpoolPosition) {
    cursors[index].position = position
    for writer in writers.values { writer.advance(cursors[index].source, to: position) }
  }

  private func read(_ segment: SpoolFolder.Segment, _ index: Int, isLast: Bool) throws -> Bool {
    let cursor = cursors[index]
    switch try cursor.spool.read(segment, from: cursor.position.offset) {
    case .nothing:
      guard !isLast else { return false }
      // The tap writes to a later segment: what follows the last whole line was never finished.
      guard let next = SpoolPosition(segment: segment.number + 1, offset: 0) else { return false }
      move(index, to: next)
      isNoteCurrent = false
      return true
    case .lines(let bytes):
      try hook(.read)
      var groups = LineGroups(after: cursor.position, boot: cursor.boot)
      guard groups.add(bytes, &accounts) else {
        throw FleetError.badSegment(segment.path, why: "it is longer than any that a tap writes")
      }
      try store(groups, index, segment.path)
      counts.bytes += bytes.count
      return true
    }
  }

  // MARK: Storing

  private func store(_ groups: LineGroups, _ index: Int, _ path: String) throws {
    let cursor = cursors[index]
    let work = try shardWork(groups, cursor)
    let results = OutcomeList()
    let source = (number: cursor.source, id: cursor.id)
    // Each writer is used by one thread at a time, and no longer than this call.
    let parts = SharedParts(work)
    ManyThreads.perform(work.count) { part in
      let (writer, lines) = parts.values[part]
      let result = Result {
        try writer.store(
          lines, of: source.number, named: source.id, after: groups.after, upto: groups.upto)
      }
      results.add(result)
    }
    var problems: [CaptureProblem] = []
    for result in results.all {
      let outcome = try result.get()
      counts.records += outcome.records
      counts.newAccounts += outcome.newAccounts
      problems += outcome.problems
    }
    counts.lines += groups.lines.values.reduce(0) { $0 + $1.count }
    tell(problems, groups, index, path)
    (cursors[index].position, cursors[index].boot) = (groups.upto, groups.boot)
    if let server = groups.server { cursors[index].server = server }
    if let time = groups.newest { cursors[index].newest = max(time, cursors[index].newest ?? time) }
    for writer in writers.values { writer.advance(cursor.source, to: groups.upto) }
    isNoteCurrent = false
  }

  /// The writers that have something to do. A shard is made when its first line comes.
  private func shardWork(
    _ groups: LineGroups, _ cursor: Cursor
  ) throws -> [(ShardWriter, [SourceLine])] {
    var work: [(ShardWriter, [SourceLine])] = []
    for (number, lines) in groups.lines.sorted(by: { $0.key < $1.key }) {
      let writer: ShardWriter
      if let known = writers[number] {
        writer = known
      } else {
        try hook(.willCreate(number))
        var floors = floors
        // Nothing that was read before this is about the shard.
        for cursor in cursors { floors[cursor.source] = (cursor.position, cursor.boot) }
        writer = try ShardWriter(
          FleetShard.create(number, in: folder), floors: floors, hook)
        writers[number] = writer
      }
      work.append((writer, lines))
    }
    guard !groups.beginnings.isEmpty else { return work }
    for (number, writer) in writers where groups.lines[number] == nil {
      work.append((writer, groups.beginnings))
    }
    return work
  }

  private func tell(
    _ problems: [CaptureProblem], _ groups: LineGroups, _ index: Int, _ path: String
  ) {
    var told = problems.map { (UInt64(clamping: $0.line), $0.message) }
    told += groups.unreadable.map { ($0.offset, "the line is not one that a tap writes") }
    // The first line of a segment has the same problem in every shard.
    var seen: Set<UInt64> = []
    told = told.sorted { $0.0 < $1.0 }.filter { seen.insert($0.0).inserted }
    for (offset, message) in told {
      cursors[index].problems += 1
      counts.problems += 1
      if cursors[index].problems <= Self.toldProblems {
        complain("\(path), byte \(offset): \(message)")
      }
    }
    guard groups.gapLines > 0 else { return }
    cursors[index].gapLines = cursors[index].gapLines.addingClamped(groups.gapLines)
    counts.gapLines = counts.gapLines.addingClamped(groups.gapLines)
    complain("\(path): the tap could not write \(groups.gapLines) lines: what they said is unknown")
  }

  // MARK: The note

  /// Writes up to where all shards have the spools, if that has changed.
  package func finish() throws {
    if !isNoteCurrent { try writeNote() }
  }

  private func writeNote() throws {
    try hook(.willNote)
    for cursor in cursors {
      var source = note[cursor.source]
      source.floorPosition = cursor.position
      (source.boot, source.server) = (cursor.boot, cursor.server)
      source.newest = cursor.newest
      (source.gapLines, source.problems) = (cursor.gapLines, cursor.problems)
      note[cursor.source] = source
    }
    try note.write(in: folder)
    try hook(.noted)
    (notedAt, isNoteCurrent) = (.now, true)
  }

  /// Deletes the segments of which the fleet has every line, except the last of a spool, whose
  /// number the tap continues.
  package func trim() throws {
    try finish()
    for cursor in cursors where cursor.spool.exists {
      let floor = note[cursor.source].floorPosition
      for segment in try cursor.spool.segments().dropLast() where segment.number < floor.segment {
        try hook(.willTrim(segment: segment.number))
        guard unlink(segment.path) == 0 || errno == ENOENT else {
          throw DurableFile.error(segment.path)
        }
        counts.trimmed += 1
      }
    }
  }
}

/// The outcomes of several threads.
private final class OutcomeList: Sendable {
  private let values = Mutex<[Result<ShardWriter.Outcome, any Error>]>([])

  func add(_ outcome: Result<ShardWriter.Outcome, any Error>) {
    values.withLock { $0.append(outcome) }
  }

  var all: [Result<ShardWriter.Outcome, any Error>] { values.withLock { $0 } }
}

/// Values that several threads read, each another one.
///
/// `@unchecked Sendable`: the writers in it are not, and each is used by one thread only.
private struct SharedParts: @unchecked Sendable {
  let values: [(ShardWriter, [SourceLine])]

  init(_ values: [(ShardWriter, [SourceLine])]) { self.values = values }
}
