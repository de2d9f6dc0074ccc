import ArgumentParser
import Captures
import EventLog
import Foundation
import Rollcall
import XMPPStanza

struct ImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Imports captures into a log, in the order given.",
    discussion: """
      The log is made where there is none. Either everything is imported or nothing is. \
      Credentials are taken out before anything is stored.

      Examples:
        rollcall import debug.log -o alice.rollcall
        rollcall import monday.log tuesday.log -o alice.rollcall
        rollcall import prosody.log --account alice@example.test -o alice.rollcall
      """)

  @Argument(help: "The captures.", completion: .file())
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
    var summaries: [JSONValue] = []
    var sources: [ImportedSource] = []
    for path in captures {
      let (summary, source) = try take(path, into: staging, known: known(target) + sources)
      sources.append(source)
      summaries.append(JSONValue(summary, path: path))
      if !output.json {
        Terminal.say(
          "\(path): \(summary.records) records of \(summary.account?.text ?? "an unknown account")"
            + ", read as \(summary.format.title)")
      }
    }
    do {
      if isNew {
        try target.publish()
      } else {
        try target.append(recordsOf: staging)
      }
    } catch {
      throw Failure(error, in: log)
    }
    if output.json {
      Terminal.say(
        try JSONValue.object(["log": .string(log), "imported": .array(summaries)]).text())
    }
  }

  private func opened(isNew: Bool) throws -> EventLog {
    if isNew { return try draft(for: log) }
    do {
      let existing = try EventLog.open(
        at: log, access: .readWrite, eventVersion: RecordMeaning.version)
      try existing.bringUpToDate()
      return existing
    } catch {
      throw Failure(error, in: log)
    }
  }

  private func draft(for path: String) throws -> EventLog {
    do {
      return try EventLog.draft(for: path, eventVersion: RecordMeaning.version)
    } catch {
      throw Failure(error, in: path)
    }
  }

  private func known(_ target: EventLog) throws -> [ImportedSource] { try target.meta.imports }

  private func take(
    _ path: String, into log: EventLog, known: [ImportedSource]
  ) throws -> (ImportSummary, ImportedSource) {
    do {
      var isDirectory: ObjCBool = false
      guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
        throw Failure("\(path): there is no such file")
      }
      guard !isDirectory.boolValue else { throw Failure("\(path): it is a directory") }
      let name = (path as NSString).lastPathComponent
      let source = ImportedSource(digest: try CaptureImport.digest(of: path), name: name)
      if !force, known.contains(where: { $0.digest == source.digest }) {
        throw ImportError.alreadyImported(log: self.log)
      }
      let summary = try capture.read(path, into: log, noting: source)
      summary.tell(of: path)
      guard summary.records > 0 else {
        throw ImportError.nothingFound(format: summary.format.title)
      }
      return (summary, source)
    } catch let failure as Failure {
      throw failure
    } catch {
      throw Failure(error, in: path)
    }
  }
}

extension JSONValue {
  fileprivate init(_ summary: ImportSummary, path: String) {
    self = .object([
      "capture": .string(path), "format": .string(summary.format.id),
      "account": JSONValue(summary.account?.text), "records": .integer(Int64(summary.records)),
      "problems": .integer(Int64(summary.problemCount)),
    ])
  }
}
