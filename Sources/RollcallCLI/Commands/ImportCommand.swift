import ArgumentParser
import Captures
import EventStore
import Foundation
import Rollcall
import XMPPStanza

struct ImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Imports captures into a log, in the order given, or by time where they overlap.",
    discussion: """
      The log is made where there is none. Captures that overlap in time are those of several \
      devices: their connections are kept apart, and their records are in order of time. Either \
      everything is imported or nothing is. Credentials are taken out before anything is stored.

      Examples:
        rollcall import debug.log -o alice.rollcall
        rollcall import monday.log tuesday.log -o alice.rollcall
        rollcall import phone.log laptop.log -o alice.rollcall
        rollcall import in.xml out.xml -o alice.rollcall    (the two directions of one stream)
        rollcall import prosody.log --account alice@example.test -o alice.rollcall
        ssh host cat debug.log | rollcall import - -o alice.rollcall
      """)

  @Argument(help: "The captures; - for standard input.", completion: .file())
  var captures: [String]

  @Option(
    name: [.customShort("o"), .customLong("output")], help: "The log to write.", completion: .file()
  )
  var log: String

  @Flag(help: "Import a capture again that the log already holds.")
  var force = false

  @OptionGroup var capture: CaptureOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    let isNew = !FileManager.default.fileExists(atPath: log)
    let target = try opened(isNew: isNew)
    // An existing log must not be left with half a capture: everything is first read into a
    // draft of its own, then appended in one transaction.
    let staging = isNew ? target : try draft(for: log + ".import")
    let interruption = Interruption(removing: staging.path)
    defer { withExtendedLifetime(interruption) {} }
    var known = force ? [] : try target.meta.imports
    var summaries: [(path: String, summary: ImportSummary)] = []
    var parts: [CaptureMerge.Part] = []
    try forEachCapture { files in
      // Only where all are known can it be said whether they overlap in time.
      let own = captures.count > 1 ? try draft(for: "\(log).\(parts.count)") : staging
      let found = try take(files, into: own, known: known)
      if !force { known += found.compactMap(\.summary.source) }
      summaries += found
      parts.append(CaptureMerge.Part(log: own, name: files.name))
    }
    if captures.count > 1 { try Failure.naming(log) { try put(parts, into: staging) } }
    try Failure.naming(log) {
      if isNew {
        try target.publish()
      } else {
        try target.append(recordsOf: staging)
      }
    }
    try tell(summaries)
  }

  /// Puts captures one after the other, or, where they overlap in time, together: they are then of
  /// several devices.
  private func put(_ parts: [CaptureMerge.Part], into target: EventLog) throws {
    let merge = CaptureMerge(parts)
    guard try merge.isDue else {
      for part in parts { try target.append(recordsOf: part.log) }
      return
    }
    Terminal.note("the captures overlap in time: they are merged as devices of one account")
    try merge.run(into: target)
  }

  /// Only what is in the log is told of.
  private func tell(_ summaries: [(path: String, summary: ImportSummary)]) throws {
    guard !output.json else {
      let imported = summaries.map { JSONValue($0.summary, path: $0.path) }
      return try Terminal.say(.object(["log": .string(log), "imported": .array(imported)]))
    }
    for (path, summary) in summaries {
      let line =
        "\(path): \(summary.records) records of \(summary.account?.text ?? "an unknown account")"
        + ", read as \(summary.format.title)"
      try Terminal.say(line.visible)
    }
  }

  private func opened(isNew: Bool) throws -> EventLog {
    if isNew { return try draft(for: log) }
    return try Failure.naming(log) {
      let existing = try EventLog.open(
        at: log, access: .readWrite, eventVersion: DecodedRecord.version)
      try existing.bringUpToDate()
      return existing
    }
  }

  private func draft(for path: String) throws -> EventLog {
    try Failure.naming(path) {
      try EventLog.draft(for: path, eventVersion: DecodedRecord.version)
    }
  }

  private func forEachCapture(_ take: (CaptureFiles) throws -> Void) throws {
    guard let pair = capture.selection.pair else {
      return try CaptureFiles.forEach(in: captures, take)
    }
    guard let first = captures.first, captures.count == 1 else {
      throw Failure("--pair names the file of the other direction of one capture")
    }
    try take(CaptureFiles(CaptureInput(first), CaptureInput(pair)))
  }

  private func take(
    _ files: CaptureFiles, into log: EventLog, known: [ImportedSource]
  ) throws -> [(path: String, summary: ImportSummary)] {
    try Failure.naming(files.path) {
      try files.read(try capture.importOptions, into: log, noting: true, refusing: known)
    }
  }
}
