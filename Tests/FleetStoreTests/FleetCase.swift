import Captures
import EventStore
import FleetStore
import Foundation
import Rollcall
import RosterCore
import TestSupport
import Testing
import XMPPStanza

/// A fleet beside a spool, in a folder of its own.
struct FleetCase {
  let folder: TemporaryFolder
  var fleet: String
  var spool: String { folder.file("spool") }

  init() throws {
    folder = try TemporaryFolder()
    fleet = folder.file("fleet")
    try FileManager.default.createDirectory(
      atPath: folder.file("spool"), withIntermediateDirectories: false)
  }

  /// Writes the first bytes of a spool's segments.
  func write(_ segments: [RandomSpool.Segment], upTo count: Int = .max) throws {
    var left = count
    for segment in segments where left > 0 {
      let part = segment.bytes.prefix(left)
      left -= part.count
      try Data(part).write(to: URL(filePath: "\(spool)/\(segment.name)"))
    }
  }

  /// Stores what is in the spool.
  @discardableResult
  func store(hook: @escaping StepHook = { _ in }) throws -> FleetStorer.Counts {
    let storer = try FleetStorer(fleet, hook: hook)
    try storer.add(spool: spool)
    while try storer.step() {}
    try storer.finish()
    return storer.counts
  }

  /// The log of an account, as the fleet writes it.
  func log(of account: String) throws -> EventLog {
    let log = try Self.emptyLog()
    try Fleet(fleet).writeLog(of: try BareJID(parsing: account), into: log)
    return log
  }

  /// The log of an account, as an import of the capture makes it.
  func imported(_ capture: [UInt8], _ account: String) throws -> EventLog {
    let file = folder.file("capture-\(account)")
    try Data(capture).write(to: URL(filePath: file))
    let log = try Self.emptyLog()
    let format = try #require(CaptureFormat.named("tap"))
    var run = CaptureImport(
      ImportOptions(format: format, account: try BareJID(parsing: account)))
    _ = try run.run(try #require(FileHandle(forReadingAtPath: file)), into: log)
    return log
  }

  static func emptyLog() throws -> EventLog {
    try EventLog.unnamed(
      in: FileManager.default.temporaryDirectory.path(percentEncoded: false),
      eventVersion: RecordReader.version)
  }

  static func export(_ log: EventLog) throws -> String {
    var bytes: [UInt8] = []
    _ = try LogExport(log).writeNative { bytes += $0 }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Checks that the fleet has exactly what an import of the spool gives, for each account that has
  /// lines in it.
  func check(_ spool: RandomSpool, seed: UInt64) throws {
    let capture = spool.capture
    let text = String(decoding: capture, as: UTF8.self)
    for account in spool.accounts where text.contains("\"a\":\"\(account)\"") {
      let (own, expected) = (try log(of: account), try imported(capture, account))
      let (ownText, expectedText) = (try Self.export(own), try Self.export(expected))
      guard ownText == expectedText else {
        let difference = zip(ownText.split(separator: "\n"), expectedText.split(separator: "\n"))
          .first { $0 != $1 }
        Issue.record("seed \(seed), \(account): \(difference.map { "\($0) | \($1)" } ?? "length")")
        continue
      }
      try checkDerived(account, own, seed: seed)
    }
  }

  /// Checks that the stored roster and ends of an account are those of its log.
  private func checkDerived(_ account: String, _ log: EventLog, seed: UInt64) throws {
    let jid = try BareJID(parsing: account)
    let roster = try Timeline(log).state(at: .head(minus: 0)).roster
    let shard = try Fleet(fleet).open(ShardNumber(of: jid))
    let view = try #require(try shard.view(of: jid), "seed \(seed), \(account)")
    #expect(view.roster.canonicalBytes == roster.canonicalBytes, "seed \(seed), \(account)")
    #expect(view.row.records == roster.position, "seed \(seed), \(account)")
    #expect(view.row.isComplete == (roster.completeness == .complete))
    let expected = EndFacts.all(of: roster)
    #expect(view.ends.mapValues(\.facts) == expected, "seed \(seed), \(account)")
    for (contact, facts) in expected {
      #expect(
        facts.ours(isComplete: view.row.isComplete)
          == PossibleStages(ofOurs: contact, in: roster), "seed \(seed), \(account), \(contact)")
      #expect(
        facts.theirs(
          isComplete: view.row.isComplete, receivesRequests: view.row.receivesRequests)
          == PossibleStages(ofTheirs: contact, in: roster), "seed \(seed), \(account), \(contact)")
    }
  }
}
