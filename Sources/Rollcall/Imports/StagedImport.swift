package import EventStore
import XMPPStanza

/// A capture whose records were read into a log of their own.
package struct StagedCapture: Sendable {
  /// What its bytes were: two where each of two files has one direction.
  package var prints: [SourcePrint]
  /// Where its records stand in the log that they were read into.
  package var records: ClosedRange<UInt64>
  /// The numbers of its connections there, by what it calls them. Records of other connections are
  /// other captures'.
  package var connections: [String: UInt32]

  package init(
    prints: [SourcePrint], records: ClosedRange<UInt64>, connections: [String: UInt32]
  ) {
    self.prints = prints
    self.records = records
    self.connections = connections
  }
}

/// What came of a capture when it was appended to a log.
package struct ImportOutcome: Sendable {
  /// How many of its records the log held already, by their direction.
  package internal(set) var known: [RecordDirection: Int] = [:]
  /// Whether its beginning had gone since it was imported before.
  package internal(set) var isRotated = false
  /// Whether a capture of this name was imported before, and nothing of that is in this one.
  package internal(set) var goesOnElsewhere = false
  /// The first and the last of its records that were appended; nil where none was. Those of other
  /// captures that were imported with it can stand between.
  var appended: ClosedRange<UInt64>?
  /// The numbers that its connections have.
  var connections: [String: UInt32] = [:]

  /// Of a capture that was appended whole to an empty log.
  package init() {}
}

/// Captures that were read into a log of their own, which are to be appended to another one.
package struct StagedImport {
  /// What their records were read into.
  package let log: EventLog
  /// The captures; what their records are there is in the log, and nothing else.
  package let captures: [StagedCapture]

  package init(_ log: EventLog, _ captures: [StagedCapture]) {
    self.log = log
    self.captures = captures
  }

  /// Notes in the log itself what it is made of.
  package func note() throws {
    for capture in captures {
      for print in capture.prints {
        let source = ImportedSource(
          print, records: [capture.records], connections: capture.connections)
        try log.append([], marks: LogMarks(imported: source))
      }
    }
  }

  /// Whether another log holds any record of the captures.
  func goesOn(with other: EventLog) throws -> Bool {
    let choice = try ImportChoice(into: other, from: log)
    return captures.contains(where: choice.holdsAny)
  }

  /// Appends the records that another log does not hold, in one transaction that also finds out
  /// which those are: of two that import the same at once, one appends it.
  ///
  /// - Parameters:
  ///   - takesAll: Whether what the log holds is appended again.
  ///   - dropsHeaders: Whether a first line that says whose a capture is stays out where the log
  ///     says it.
  /// - Returns: What came of each capture.
  /// - Throws: `ImportError.overlapsInTime`, and the log's errors. The log is then as it was.
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
    _ print: SourcePrint, records: [ClosedRange<UInt64>], connections: [String: UInt32]
  ) {
    self.init(
      digest: print.digest, name: print.name, length: print.length, records: records,
      connections: connections)
  }
}
