import Captures
package import EventStore
package import Foundation
import XMPPStanza

/// Two files with one direction of a connection each.
package struct CapturePair {
  let inbound: FileHandle
  let outbound: FileHandle
  /// Whether the first file has what the server sent.
  package let isFirstInbound: Bool

  /// The pair that two files form, given in either order.
  ///
  /// - Parameters:
  ///   - heads: The beginnings of the files (`CaptureImport.head`), which must be positioned before
  ///     them.
  ///   - certainly: Whether both files must begin with a stream header, which identifies the
  ///     sender. Otherwise the kinds of elements are enough.
  /// - Returns: nil if the files are not two directions.
  package init?(
    _ first: FileHandle, _ second: FileHandle, heads: ([UInt8], [UInt8]), certainly: Bool
  ) {
    guard let firstSide = StreamSide(heads.0), let secondSide = StreamSide(heads.1),
      firstSide.direction != secondSide.direction,
      !certainly || (firstSide.isCertain && secondSide.isCertain)
    else { return nil }
    isFirstInbound = firstSide.direction == .inbound
    (inbound, outbound) = isFirstInbound ? (first, second) : (second, first)
  }
}

/// The results of the two files of a pair.
package struct PairSummary: Sendable {
  package let inbound: ImportSummary
  package let outbound: ImportSummary
}

extension CaptureImport {
  /// Appends the contents of two files with one direction of a connection each, in the order that
  /// follows from their elements (`StreamInterleaver`).
  ///
  /// Memory is bounded, and durability and errors are as for one file.
  /// - Parameter printers: Receive the bytes of each file; nil if the files need not be recognized
  ///   later.
  package mutating func run(
    _ pair: CapturePair, into log: EventLog,
    printers: (inbound: SourceFingerprinter, outbound: SourceFingerprinter)? = nil,
    progress: (Int) -> Void = { _ in }
  ) throws -> PairSummary {
    try number(connectionsOf: log)
    return try LogWriter.run(log) { writer in
      try read(pair, into: writer, printers, progress: progress)
    }
  }

  private mutating func read(
    _ pair: CapturePair, into writer: LogWriter,
    _ printers: (inbound: SourceFingerprinter, outbound: SourceFingerprinter)?,
    progress: (Int) -> Void
  ) throws -> PairSummary {
    guard let format = CaptureFormat.named("raw-stream") else { throw ImportError.unknownFormat }
    var inbound = PairSide(pair.inbound, .inbound, format, printers?.inbound)
    var outbound = PairSide(pair.outbound, .outbound, format, printers?.outbound)
    var total = ImportSummary(format: format)
    var interleaver = StreamInterleaver()
    var filter = AccountFilter(account: options.account)
    func pass(_ record: CapturedRecord) throws {
      try filter.take(record) { try add($0, &total, writer) }
    }
    while true {
      while let record = interleaver.next() { try pass(record) }
      guard let direction = interleaver.neededDirection else { break }
      switch direction {
      case .inbound: try inbound.read(into: &interleaver)
      case .outbound: try outbound.read(into: &interleaver)
      }
      progress(inbound.bytesRead + outbound.bytesRead)
    }
    try filter.finish { try add($0, &total, writer) }
    total.account = try account(filter, format)
    total.namesAccount = !filter.accounts.isEmpty
    if !interleaver.hasAnswers, inbound.summary.records > 0, outbound.summary.records > 0 {
      let message = "nothing in it is answered in the other file: are they of one connection?"
      outbound.summary.note(CaptureProblem(line: 1, message: message))
    }
    inbound.finish(total)
    outbound.finish(total)
    try flush(into: writer, marks: LogMarks(account: total.account?.text))
    return PairSummary(inbound: inbound.summary, outbound: outbound.summary)
  }
}

/// The file of one direction while it is read.
private struct PairSide {
  let file: FileHandle
  let direction: Direction
  var reader: CaptureReader
  var summary: ImportSummary
  var printer: SourceFingerprinter?
  var bytesRead = 0

  init(
    _ file: FileHandle, _ direction: Direction, _ format: CaptureFormat,
    _ printer: SourceFingerprinter?
  ) {
    self.file = file
    self.direction = direction
    self.printer = printer
    reader = CaptureReader(side: direction)
    summary = ImportSummary(format: format)
  }

  /// Reads the next bytes, and reports the end of the file to the interleaver.
  mutating func read(into interleaver: inout StreamInterleaver) throws {
    let chunk = try FilePieces.next(of: file, upTo: CaptureImport.chunkBytes)
    var outputs: [CaptureOutput] = []
    if chunk.isEmpty {
      try reader.finish { outputs.append($0) }
    } else {
      printer?.take(chunk)
      bytesRead += chunk.count
      try reader.read(chunk) { outputs.append($0) }
    }
    for output in outputs {
      switch output {
      case .problem(let problem): summary.note(problem)
      case .record(let record):
        summary.records += 1
        interleaver.append(record, direction)
      }
    }
    if chunk.isEmpty { interleaver.finish(direction) }
  }

  /// Sets what is known about the file once both have been read.
  mutating func finish(_ total: ImportSummary) {
    summary.account = total.account
    summary.namesAccount = total.namesAccount
    summary.lacksTimes = total.lacksTimes && direction == .inbound
    summary.print = printer?.print
  }
}
