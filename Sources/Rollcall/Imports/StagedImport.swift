package import Captures
package import EventStore
import XMPPStanza

/// A capture whose records were read into a separate log.
package struct StagedCapture: Sendable {
  /// The prints of its bytes: two if each of two files has one direction.
  package var prints: [SourceFingerprint]
  /// The range of its records in that log.
  package var records: ClosedRange<UInt64>
  /// The numbers of its connections there, by their names in the capture. Records of other
  /// connections belong to other captures.
  package var connections: [String: UInt32]
  /// The runs of a server that it is about; nil if it is not the spool of a tap.
  package var runs: ServerRuns?

  package init(
    prints: [SourceFingerprint], records: ClosedRange<UInt64>, connections: [String: UInt32],
    runs: ServerRuns? = nil
  ) {
    self.prints = prints
    self.records = records
    self.connections = connections
    self.runs = runs
  }
}

/// The outcome of appending a capture to a log.
package struct ImportOutcome: Sendable {
  /// The number of its records that the log already contained, by direction.
  package internal(set) var known: [RecordDirection: Int] = [:]
  /// Whether its beginning has disappeared since it was imported before.
  package internal(set) var isRotated = false
  /// Whether a capture with this name was imported before that shares nothing with this one.
  package internal(set) var goesOnElsewhere = false
  /// The range from the first to the last of its appended records; nil if there are none. Records
  /// of captures that were imported with it can come in between.
  var appended: ClosedRange<UInt64>?
  /// The numbers of its connections.
  var connections: [String: UInt32] = [:]

  /// The outcome for a capture that was appended whole to an empty log.
  package init() {}
}

/// Captures that were read into a separate log and will be appended to another one.
package struct StagedImport {
  /// The log that contains their records.
  package let log: EventLog
  /// The captures; their records are all that the log contains.
  package let captures: [StagedCapture]

  package init(_ log: EventLog, _ captures: [StagedCapture]) {
    self.log = log
    self.captures = captures
  }

  /// Notes in the log itself which captures it contains.
  package func note() throws {
    for capture in captures {
      for print in capture.prints {
        let source = ImportedSource(
          print, records: [capture.records], connections: capture.connections)
        try log.append([], marks: LogMarks(imported: source))
      }
    }
  }

  /// Whether another log contains any record of the captures.
  func goesOn(with other: EventLog) throws -> Bool {
    let choice = try ImportChoice(into: other, from: log)
    return captures.contains(where: choice.holdsAny)
  }

  /// Appends the records that another log does not contain, in one transaction that also determines
  /// which those are. If two processes import the same capture at once, only one appends it.
  ///
  /// - Parameters:
  ///   - takesAll: Whether to append again what the log already contains.
  ///   - dropsHeaders: Whether to leave out a capture's header if the log already notes its
  ///     account.
  /// - Returns: The outcome for each capture.
  /// - Throws: `ImportError.overlapsInTime`, and the log's errors. The log is then unchanged.
  package func append(
    to target: EventLog, takingAll takesAll: Bool, droppingHeaders dropsHeaders: Bool = false
  ) throws -> [ImportOutcome] {
    let reader = RecordReader()
    var outcomes: [ImportOutcome] = []
    try target.append(recordsOf: log) { transaction, source in
      var choice = try ImportChoice(into: transaction, from: source)
      for capture in captures { try choice.add(capture, takingAll: takesAll) }
      if dropsHeaders { choice.dropHeaders() }
      let selection = choice.finish()
      outcomes = choice.outcomes
      return selection
    } _: { header, bytes in
      reader.decode(header, bytes)
    }
    if outcomes.contains(where: { $0.appended != nil }) { target.keepSnapshots() }
    return outcomes
  }
}

extension ImportedSource {
  init(
    _ print: SourceFingerprint, records: [ClosedRange<UInt64>], connections: [String: UInt32]
  ) {
    self.init(
      digest: print.digest, name: print.name, length: print.length, records: records,
      connections: connections)
  }
}
