package import EventStore

/// Appends a capture that is still being written to a log, in bursts. Each burst is durable when it
/// was taken, and records that the log already contains are not appended again.
package struct FollowedImport {
  /// The number of records appended.
  package private(set) var appended: UInt64 = 0
  /// The last record of the log before the first appended one.
  package let head: UInt64
  package private(set) var target: EventLog

  /// How often a burst was compared with the whole log, at a cost linear in the log.
  package private(set) var comparisons = 0

  private let reopen: () throws -> EventLog
  private let takesAll: Bool
  private var keeper: SnapshotKeeper?
  private var file = File()

  /// The progress of one file.
  private struct File {
    /// The log's note about the file.
    var noted: ImportedSource?
    /// The last record of the file's own log that the target contains.
    var taken: UInt64 = 0
    /// Whether the next records are new because an earlier one was.
    var isAhead = false
    /// The numbers of its connections in the target.
    var numbers: [UInt32: UInt32] = [:]
  }

  /// Another process has imported the file meanwhile, or it has an unknown connection.
  private struct Unsettled: Error {}

  /// - Parameters:
  ///   - target: A log, or a draft that is published with the first burst.
  ///   - takesAll: Whether to append again what the log already contains.
  ///   - reopen: Opens the log that another process has created in place of the draft.
  package init(
    into target: EventLog, takingAll takesAll: Bool, reopen: @escaping () throws -> EventLog
  ) throws {
    self.target = target
    self.takesAll = takesAll
    self.reopen = reopen
    head = try target.read { try $0.lastSequence }
  }

  /// The log's notes about imported captures.
  package var sources: [ImportedSource] {
    get throws { try target.meta.imports }
  }

  /// Notes that the next records come from another file, for example after a rotation.
  package mutating func beginFile() {
    file = File()
  }

  /// Appends what has been committed since the last call.
  ///
  /// - Parameter isOver: Whether the file is finished. The log then notes its final state, even if
  ///   its end contains no record.
  /// - Throws: `ImportError`, and the log's errors. The log is then unchanged.
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
        // Another import has created the log meanwhile.
        (target, file, appended) = (try reopen(), before, count)
        try choose(staged, in: capture.log)
      }
    }
    file.taken = last
    keepSnapshots()
  }

  /// Determines what is new in the file, and appends it.
  private mutating func choose(_ capture: StagedCapture, in log: EventLog) throws {
    comparisons += 1
    let outcomes = try StagedImport(log, [capture]).append(
      to: target, takingAll: takesAll && file.taken == 0)
    guard let outcome = outcomes.first, let print = capture.prints.first else { return }
    // If another process was faster, the next records may be known too.
    file.isAhead = outcome.appended != nil
    if let range = outcome.appended { appended += UInt64(range.count) }
    for (key, number) in capture.connections { file.numbers[number] = outcome.connections[key] }
    file.noted = try sources.last { $0.digest == print.digest && $0.length == print.length }
    try target.publish()
  }

  /// Appends the records after those that were appended last.
  ///
  /// - Returns: False if another process has imported the file since, so that this is not possible.
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

extension SourceFingerprint {
  /// The print, including the digest of a source with whose bytes the file begins.
  fileprivate func beginning(with source: ImportedSource?) -> SourceFingerprint {
    guard let source else { return self }
    return SourceFingerprint(
      name: name, length: length, digest: digest,
      beginnings: beginnings.merging([source.length: source.digest]) { _, new in new })
  }
}

extension [ClosedRange<UInt64>] {
  /// The ranges with another one at the end, joined to the last one if they are adjacent.
  fileprivate func appending(_ range: Range<UInt64>) -> Self {
    guard !range.isEmpty else { return self }
    let new = range.lowerBound...(range.upperBound - 1)
    guard let last, last.upperBound + 1 == new.lowerBound else { return self + [new] }
    return dropLast() + [last.lowerBound...new.upperBound]
  }
}
