import Captures
import ArgumentParser
import EventStore
import Foundation
import Rollcall
import RosterCore

struct WhatIfCommand: ParsableCommand, LogReading {
  static let configuration = CommandConfiguration(
    commandName: "what-if",
    abstract: "Replays the log with records left out, inserted or swapped, or as another client.",
    discussion: """
      Shows the first record at which the branch departs from what happened, and what is different \
      at the end. Records keep their numbers; 120+1 is the first one inserted after 120. A record \
      has the time of its position in the branch. Nothing is written without -o.

      A policy says how the client of the branch treats what it receives:
      \(ClientPolicy.allCases.map { "  \($0.rawValue): \($0.rule)" }.joined(separator: "\n"))

      Examples:
        rollcall what-if alice.rollcall --drop 120,133-140
        rollcall what-if debug.log --insert push.jsonl@120
        rollcall what-if debug.log --swap 7 8
        rollcall what-if debug.log --policy lenient
        rollcall what-if debug.log --drop 120 -o without-120.rollcall

      Exit codes: 0 the branch ends like the original, 1 it does not, 2 bad usage or bad input.
      """)

  @OptionGroup var source: SourceOptions
  @OptionGroup var output: OutputOptions

  @Option(help: ArgumentHelp("Leave records out, such as 120,133-140.", valueName: "records"))
  var drop: [RecordList] = []

  @Option(
    help: ArgumentHelp(
      "Insert the records of a capture or log after a record; 0 is before all.",
      valueName: "file@record"), completion: .file())
  var insert: [InsertOption] = []

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp("Swap two records.", valueName: "record record"))
  var swap: [UInt64] = []

  @Option(help: "How the client of the branch treats what it receives: \(ClientPolicy.words).")
  var policy = ClientPolicy.strict

  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: "Write the branch's records to a new log.", completion: .file())
  var file: String?

  func validate() throws {
    if swap.count % 2 == 1 { throw ValidationError("--swap takes records in pairs") }
    if drop.isEmpty, insert.isEmpty, swap.isEmpty, policy == .strict {
      throw ValidationError(
        "no change was given: use --drop, --insert, --swap or --policy")
    }
  }

  func run() throws {
    let opened = try source.open()
    var edits = BranchEdits()
    edits.drops = drop.flatMap(\.ranges)
    edits.swaps = stride(from: 0, to: swap.count, by: 2).map { (swap[$0], swap[$0 + 1]) }
    for option in insert { edits.inserts.append(try option.opened(source)) }
    let (branch, comparison) = try opened.naming {
      let branch = try Branch(
        of: opened.timeline, upTo: source.point, edits: edits, policy: policy)
      return (branch, try branch.compare())
    }
    if let file { try write(branch, to: file) }
    if output.json {
      try Terminal.say(JSONValue(branch, comparison))
    } else {
      try Terminal.say(BranchReport(branch: branch, comparison: comparison).lines)
    }
    if comparison.differs { throw NothingFound(sentence: nil) }
  }

  private func write(_ branch: Branch, to path: String) throws {
    guard !FileManager.default.fileExists(atPath: path) else {
      throw Failure("\(path) exists already")
    }
    try Failure.naming(path) {
      let (log, interruption) = try Interruption.draft(for: path)
      defer { withExtendedLifetime(interruption) {} }
      try branch.write(to: log)
      try log.publish()
    }
    if policy != .strict {
      Terminal.note("\(path) has the branch's records; a policy is not part of a log")
    }
  }
}

extension ClientPolicy: ExpressibleByArgument {
  fileprivate static var words: String { allCases.map(\.rawValue).joined(separator: ", ") }
}

/// Numbers and ranges of records: `120,133-140`.
struct RecordList: ExpressibleByArgument {
  let ranges: [ClosedRange<UInt64>]

  init?(argument: String) {
    var ranges: [ClosedRange<UInt64>] = []
    for part in argument.split(separator: ",", omittingEmptySubsequences: false) {
      let bounds = part.split(separator: "-", omittingEmptySubsequences: false)
        .map { UInt64($0) }
      guard (1...2).contains(bounds.count), let first = bounds.first ?? nil,
        let last = bounds.last ?? nil, first <= last
      else { return nil }
      ranges.append(first...last)
    }
    self.ranges = ranges
  }
}

/// A capture and the record after which to insert its records: `FILE@120`.
struct InsertOption: ExpressibleByArgument {
  let path: String
  let record: UInt64

  init?(argument: String) {
    guard let at = argument.lastIndex(of: "@"), at > argument.startIndex,
      let record = UInt64(argument[argument.index(after: at)...])
    else { return nil }
    path = String(argument[..<at])
    self.record = record
  }

  /// Reads the capture with those options for the source that apply to any capture.
  func opened(_ source: SourceOptions) throws -> BranchEdits.Insert {
    let known = try source.importOptions
    let options = ImportOptions(
      account: known.account, year: known.year, zone: known.zone,
      encoding: known.encoding, keyLog: known.keyLog)
    let log = try SourceOptions.open([path], options)
    return BranchEdits.Insert(after: record, records: log.log)
  }
}
