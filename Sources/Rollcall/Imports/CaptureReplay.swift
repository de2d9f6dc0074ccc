import Captures
package import EventStore
public import Foundation
public import RosterCore

/// The results of replaying a capture, for tests that keep a bug from returning.
///
/// `rollcall test-from` writes such a test, with a redacted capture and its results.
public struct CaptureReplay: Sendable {
  /// The roster after the last record.
  public var roster: Roster { state.roster }
  /// All findings, in the order of the records.
  public let findings: [Finding]
  /// The time of the last record that has one, in milliseconds since 1970 UTC.
  public var time: Int64? { state.time }

  private let state: Timeline.State

  /// Replays a native capture: JSON Lines, as `rollcall export` writes them.
  ///
  /// - Parameters:
  ///   - capture: The file. It is read to its end, in bounded memory.
  ///   - directory: The directory for a temporary file, which has no name and is removed at the
  ///     end.
  /// - Throws: `RollcallError` if the file cannot be read, is not a native capture, or has a
  ///   malformed line.
  ///
  /// Complexity: linear in the capture.
  public init(
    _ capture: URL, directory: URL = FileManager.default.temporaryDirectory
  ) throws(RollcallError) {
    do {
      let log = try EventLog.unnamed(
        in: directory.path(percentEncoded: false), eventVersion: RecordReader.version)
      let file = try FileHandle(forReadingFrom: capture)
      var reading = CaptureImport(ImportOptions(format: CaptureFormat.named("native")))
      let summary = try reading.run(file, into: log)
      if let problem = summary.problems.first {
        throw RollcallError(.capture, "line \(problem.line): \(problem.message)")
      }
      self = try CaptureReplay(of: log)
    } catch let error as RollcallError {
      throw error
    } catch {
      throw RollcallError(
        .capture, "\(capture.path(percentEncoded: false)): \(sentence(of: error))")
    }
  }

  /// Replays the contents of a log.
  package init(of log: EventLog) throws {
    var findings: [Finding] = []
    let timeline = Timeline(log)
    state = try timeline.replay(upTo: .head(minus: 0)) { moment, _ in
      findings += moment.outcome.findings
    }
    self.findings = try findings + timeline.findings(ending: state)
  }

  /// The state, as `rollcall state --json` prints it: one line, keys in order.
  public var stateDocument: String { JSONValue(state).text }

  /// The findings, as `rollcall findings --json` prints them: one line, keys in order.
  public var findingsDocument: String { JSONValue(findings, of: state.account).text }

  /// The differences from a state document: a line for each value that only the document (`-`) or
  /// only this replay (`+`) has, with its path; empty if there are none.
  ///
  /// - Parameter file: A JSON document like `stateDocument`, in any layout.
  /// - Throws: `RollcallError` if it cannot be read.
  public func stateDifferences(from file: URL) throws(RollcallError) -> [String] {
    Self.differences(try Self.document(file), JSONValue(state))
  }

  /// The differences from a document of findings. Sentences are not compared: the wording of a
  /// finding may change between releases, but its code does not.
  public func findingDifferences(from file: URL) throws(RollcallError) -> [String] {
    Self.differences(
      try Self.document(file).without("sentence"),
      JSONValue(findings, of: state.account).without("sentence"))
  }

  private static func document(_ file: URL) throws(RollcallError) -> JSONValue {
    do {
      return .object(try JSONScanner.object([UInt8](Data(contentsOf: file))[...]))
    } catch {
      throw RollcallError(.capture, "\(file.path(percentEncoded: false)): \(sentence(of: error))")
    }
  }

  private static func differences(_ expected: JSONValue, _ actual: JSONValue) -> [String] {
    let before = expected.leaves()
    let after = actual.leaves()
    let places = Set(before.keys).union(after.keys)
    return places.sorted().flatMap { place in
      guard before[place] != after[place] else { return [String]() }
      return [before[place].map { "- \(place): \($0)" }, after[place].map { "+ \(place): \($0)" }]
        .compactMap { $0 }
    }
  }
}

extension JSONValue {
  /// The values of a document by path. A list element with a unique address is identified by it,
  /// because its index is not part of its meaning.
  fileprivate func leaves(at place: String = "") -> [String: String] {
    var leaves: [String: String] = [:]
    switch self {
    case .null, .bool, .integer, .decimal, .string: return [place: text]
    case .object(let members):
      for (key, value) in members {
        leaves.merge(value.leaves(at: place.isEmpty ? key : "\(place).\(key)")) { _, new in new }
      }
    case .array(let members):
      let names = members.map(\.address)
      let areAddresses = !names.contains(nil) && Set(names).count == names.count
      for (index, member) in members.enumerated() {
        let name = areAddresses ? names[index] : nil
        let leaf = member.leaves(at: "\(place)[\(name ?? String(index))]")
        leaves.merge(leaf) { _, new in new }
      }
    }
    return leaves.isEmpty ? [place: text] : leaves
  }

  /// The document without the members with this name.
  fileprivate func without(_ name: String) -> JSONValue {
    switch self {
    case .null, .bool, .integer, .decimal, .string: self
    case .array(let members): .array(members.map { $0.without(name) })
    case .object(let members):
      .object(members.filter { $0.key != name }.mapValues { $0.without(name) })
    }
  }

  private var address: String? {
    guard case .object(let members) = self, case .string(let jid) = members["jid"] else {
      return nil
    }
    return jid
  }
}
