import ArgumentParser
import Captures
import EventStore
import Foundation
import Rollcall
import XMPPStanza

struct ImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Imports captures into a log, in order of time.",
    discussion: """
      The log is created if it does not exist. Several captures are merged in order of time: the \
      files of a rotated log are one source; others, such as those of several devices, get \
      connections of their own, named after the file. A directory means the captures in it. Either \
      everything is imported or nothing. Credentials are removed before anything is stored.

      A capture can be imported again: the records that the log already has are recognized, and \
      only new ones are appended, even if the file has grown or its beginning was rotated away. A \
      file that is compressed with gzip, xz or zstd is unpacked by that tool as it is read, and \
      recognized by its content: debug.log and the debug.log.1.gz that it became are one capture.

      A log, or the folder of record, is imported as the capture that an export of it is.

      With --follow, whatever is written to one capture later is imported too, until Ctrl-C or the \
      end of a pipe; a file is followed through its rotation, and the folder of a server's tap \
      through its segments. New records are in the log within a \
      second, each burst in a transaction of its own, and stay there however the command ends.

      Examples:
        rollcall import debug.log -o alice.rollcall
        rollcall import monday.log tuesday.log -o alice.rollcall
        rollcall import debug.log* -o alice.rollcall
        rollcall import phone.log laptop.log -o alice.rollcall
        rollcall import in.xml out.xml -o alice.rollcall  # its two directions
        rollcall import prosody.log --account alice@example.test -o alice.rollcall
        ssh host cat debug.log | rollcall import - -o alice.rollcall
        ssh host tail -F debug.log | rollcall import - --follow -o alice.rollcall
      """)

  @Argument(
    help: "The captures, compressed or not, or directories; - for standard input.",
    completion: .file())
  var captures: [String]

  @Option(
    name: [.customShort("o"), .customLong("output")], help: "The log to write.", completion: .file()
  )
  var log: String

  @Flag(help: "Append records even if the log already has them.")
  var force = false

  @OptionGroup var capture: CaptureOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup var following: FollowOptions

  func validate() throws {
    try following.check(capture.selection)
    guard !following.follow || captures.count == 1 else {
      throw ValidationError("--follow reads one capture as it grows: import the others first")
    }
  }

  func run() throws {
    guard !following.follow else { return try follow(captures[0]) }
    let isNew = !FileManager.default.fileExists(atPath: log)
    // Begins here, because opening a pipe waits for its writer.
    var interruptions: [Interruption] = []
    defer { withExtendedLifetime(interruptions) {} }
    let target: EventLog
    if isNew {
      target = try draft(for: log, &interruptions)
    } else {
      target = try opened(isNew: false)
    }
    // A failed import must not leave half a capture in an existing log, so everything is read into
    // drafts first and then appended in one transaction.
    let options = try capture.importOptions
    let sources = try SourceFiles(
      captures.map { try LogFolder($0)?.log(of: options.account) ?? $0 })
    let isAlone = sources.single != nil
    var gathering = CaptureGathering(options, knowing: try target.meta.imports)
    try forEachCapture(of: sources) { files in
      let own =
        isNew && isAlone
        ? target : try draft(for: "\(log).\(interruptions.count)", &interruptions)
      try gathering.add(files, into: own, isAlone: isAlone, keepingAll: force)
    }
    try gathering.check(sources)
    let collection = gathering.collection
    var summaries = gathering.found
    let head = try isNew ? 0 : Failure.naming(log) { try target.read { try $0.lastSequence } }
    let outcomes = try Failure.naming(log) { try put(collection, into: target, isNew: isNew) }
    target.noteDeferredFailures(path: log)
    if !isNew { try Failure.naming(log) { try noteEarlierRecords(after: head, in: target) } }
    for (index, outcome) in collection.outcomes(ofParts: outcomes).enumerated() {
      for file in summaries[index].indices {
        // The first file of a pair has the inbound direction.
        let direction: RecordDirection? =
          summaries[index].count < 2 ? nil : file == 0 ? .inbound : .outbound
        summaries[index][file].summary.record(outcome, direction)
      }
      outcome.printNotes(for: summaries[index].map(\.path).joined(separator: " and "))
    }
    try printResults(summaries.flatMap { $0 })
  }

  /// Adds the captures to the log: they become a new log, or are appended in one transaction.
  private func put(
    _ collection: CaptureCollection, into target: EventLog, isNew: Bool
  ) throws -> [ImportOutcome] {
    if collection.overlaps {
      Terminal.note("the captures overlap in time: they are merged as devices of one account")
    }
    var interruptions: [Interruption] = []
    defer { withExtendedLifetime(interruptions) {} }
    let staged = try collection.staged {
      isNew ? target : try draft(for: "\(log).all", &interruptions)
    }
    guard isNew else { return try staged.append(to: target, takingAll: force) }
    if staged.log !== target { _ = try staged.append(to: target, takingAll: true) }
    do {
      try target.publish()
    } catch {
      guard error.code == .alreadyExists else { throw error }
      // Another import has created the log in the meantime.
      return try staged.append(to: try opened(isNew: false), takingAll: force)
    }
    return staged.captures.map { _ in ImportOutcome() }
  }

  /// Notes records that are older than the end of the log. Times in a log never decrease, so these
  /// records got the time of that end.
  func noteEarlierRecords(after head: UInt64, in target: EventLog) throws {
    guard let (count, clock) = try target.recordsEarlier(thanTheirPlace: head) else { return }
    Terminal.note(
      "\(log): \(count) of the new records are older than \(Timestamp.text(clock)), the time of "
        + "its record \(head): they come after it and have that time; show prints their own. "
        + "rollcall import with all captures at once, into a new log, puts them in order")
  }

  /// Prints the results; call this only after the records are in the log.
  func printResults(_ summaries: [(path: String, summary: ImportSummary)]) throws {
    guard !output.json else {
      let imported = summaries.map { JSONValue($0.summary, path: $0.path) }
      return try Terminal.say(.object(["log": .string(log), "imported": .array(imported)]))
    }
    for (path, summary) in summaries {
      try Terminal.say("\(path): \(summary.sentence)".visible)
    }
  }

  func opened(isNew: Bool) throws -> EventLog {
    try Failure.naming(log) {
      guard isNew else { return try EventLog.openToWrite(log) }
      return try EventLog.draft(for: log, eventVersion: RecordReader.version)
    }
  }

  /// Creates a draft, which is removed if the process ends while the interruptions exist.
  private func draft(
    for path: String, _ interruptions: inout [Interruption]
  ) throws -> EventLog {
    let (draft, interruption) = try Failure.naming(path) { try Interruption.draft(for: path) }
    interruptions.append(interruption)
    return draft
  }

  private func forEachCapture(
    of sources: SourceFiles, _ body: (CaptureFiles) throws -> Void
  ) throws {
    guard let pair = capture.selection.pair else {
      return try CaptureFiles.forEach(
        in: sources.files, keyLog: capture.selection.keylog, exportsLogs: true, body)
    }
    guard let first = sources.single else {
      throw Failure("--pair names the file of the other direction of one capture")
    }
    try body(CaptureFiles(CaptureInput(first), CaptureInput(pair)))
  }
}

extension ImportSummary {
  /// The number of new records, and their account.
  fileprivate var sentence: String {
    let account = account?.text ?? "an unknown account"
    if known == 0 { return "\(records) records of \(account), read as \(format.title)" }
    if known == records { return "nothing new: its \(records) records are in the log already" }
    return "\(records - known) new records of \(account), read as \(format.title); "
      + "\(known) were in the log already"
  }

  /// Stores the outcome of the capture to which the file, or one direction of it, belongs.
  fileprivate mutating func record(_ outcome: ImportOutcome, _ direction: RecordDirection?) {
    let known =
      direction.map { outcome.known[$0] ?? 0 } ?? outcome.known.values.reduce(0, +)
    self.known = min(records, known)
  }
}

extension ImportOutcome {
  /// Notes what the log may lack.
  fileprivate func printNotes(for path: String) {
    if isRotated {
      Terminal.note("\(path): its beginning is gone; the import continued where the log ends")
    }
    // All input from a pipe has the same name.
    if goesOnElsewhere, path != "-" {
      Terminal.note(
        "\(path): a capture of this name was imported before, and this one has none of its "
          + "records: some between them may be missing")
    }
  }
}
