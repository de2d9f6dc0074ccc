package import EventStore

/// Appends to a log what is read of a capture that is still being written, in bursts: each is
/// durable when it was taken, and what the log has already is not taken again.
package struct FollowedImport {
  /// How many records were appended.
  package private(set) var appended: UInt64 = 0
  /// The last record of the log before the first that was appended.
  package let head: UInt64
  package private(set) var target: EventLog

  /// How often a burst was compared with all that the log holds, which costs as much as that.
  package private(set) var comparisons = 0

  private let reopen: () throws -> EventLog
  private let takesAll: Bool
  private var keeper: SnapshotKeeper?
  private var file = File()

  /// How far a file was taken.
  private struct File {
    /// What the log notes of it.
    var noted: ImportedSource?
    /// The last record of its own log that the target has.
    var taken: UInt64 = 0
    /// Whether what comes next is new, because something that came before it was.
    var isAhead = false
    /// The numbers that its connections have in the target.
    var numbers: [UInt32: UInt32] = [:]
  }

  /// Others have imported the same meanwhile, or it has a connection of which nothing is known.
  private struct Unsettled: Error {}

  /// - Parameters:
  ///   - target: A log, or a draft that takes its place with the first burst.
  ///   - takesAll: Whether what the log holds is appended again.
  ///   - reopen: Opens the log that others have made in the place of the draft.
  package init(
    into target: EventLog, takingAll takesAll: Bool, reopen: @escaping () throws -> EventLog
  ) throws {
    self.target = target
    self.takesAll = takesAll
    self.reopen = reopen
    head = try target.read { try $0.lastSequence }
  }

  /// What is known of captures that were imported.
  package var sources: [ImportedSource] {
    get throws { try target.meta.imports }
  }

  /// Says that what comes next is of another file, as after a rotation.
  package mutating func beginFile() {
    file = File()
  }

  /// Appends what has been committed since the last time.
  ///
  /// - Parameter isOver: Whether nothing more of the file will come: the log then notes it as it
  ///   is, also where nothing of its end is a record.
  /// - Throws: `ImportError`, and the log's errors. The log is then as it was before.
  package mutating func take(_ capture: CaptureFollower, isOver: Bool = false) throws {
    let last = try capture.log.read { try $0.lastSequence }
    let isNoted = !isOver || last == 0 || file.noted?.digest == capture.print.digest
    guard last > file.taken || !isNoted else { return }
    let staged = StagedCapture(
      prints: [capture.print.beginning(with: file.noted)], records: 1...last,
      connections: capture.connections)
    let wentOn = try file.isAhead && goOn(staged, in: capture.log)
    if !wentOn {
      let (before, count) = (file, appended)
      do {
        try choose(staged, in: capture.log)
      } catch let error as EventLogError where error.code == .alreadyExists {
        // Another import has made the log meanwhile.
        (target, file, appended) = (try reopen(), before, count)
        try choose(staged, in: capture.log)
      }
    }
    file.taken = last
    keepSnapshots()
  }

  /// Finds out what of the file is new, and appends that.
  private mutating func choose(_ capture: StagedCapture, in log: EventLog) throws {
    comparisons += 1
    let outcomes = try StagedImport(log, [capture]).append(
      to: target, takingAll: takesAll && file.taken == 0)
    guard let outcome = outcomes.first, let print = capture.prints.first else { return }
    // Where others were faster, what comes next may be known, too.
    file.isAhead = outcome.appended != nil
    if let range = outcome.appended { appended += UInt64(range.count) }
    for (key, number) in capture.connections { file.numbers[number] = outcome.connections[key] }
    file.noted = try sources.last { $0.digest == print.digest && $0.length == print.length }
    try target.publish()
  }

  /// Appends what follows the records that were appended last.
  ///
  /// - Returns: Whether that could be done: nobody else may have imported the file since.
  private mutating func goOn(_ capture: StagedCapture, in log: EventLog) throws -> Bool {
    guard let former = file.noted, let print = capture.prints.first,
      Set(capture.connections.keys).isSubset(of: former.connections.keys)
    else { return false }
    let (new, numbers) = (file.taken..<capture.records.upperBound, file.numbers)
    var now = former
    do {
      let reader = RecordReader()
      try target.append(recordsOf: log) { transaction, source in
        guard try transaction.meta.imports.contains(former) else { throw Unsettled() }
        let next = try transaction.lastSequence + 1
        now = ImportedSource(
          print, records: former.records.appending(next..<(next + UInt64(new.count))),
          connections: former.connections)
        return RecordSelection(
          records: new.isEmpty ? [] : [(new.lowerBound + 1)...new.upperBound],
          connections: numbers,
          marks: LogMarks(account: try source.meta.account), imports: [(now, former)])
      } _: { header, bytes in
        reader.decode(header, bytes)
      }
    } catch is Unsettled {
      return false
    }
    file.noted = now
    appended += UInt64(new.count)
    return true
  }

  private mutating func keepSnapshots() {
    if keeper == nil { keeper = SnapshotKeeper(target) }
    keeper?.follow()
  }
}

extension SourcePrint {
  /// The same of a file that begins with the bytes of a source.
  fileprivate func beginning(with source: ImportedSource?) -> SourcePrint {
    guard let source else { return self }
    return SourcePrint(
      name: name, length: length, digest: digest,
      beginnings: beginnings.merging([source.length: source.digest]) { _, new in new })
  }
}

extension [ClosedRange<UInt64>] {
  /// With a range at the end, joined to the last one where it goes on with that.
  fileprivate func appending(_ range: Range<UInt64>) -> Self {
    guard !range.isEmpty else { return self }
    let new = range.lowerBound...(range.upperBound - 1)
    guard let last, last.upperBound + 1 == new.lowerBound else { return self + [new] }
    return dropLast() + [last.lowerBound...new.upperBound]
  }
}
