import Captures

/// The state of a capture while it is read.
///
/// A class, so that its reader can pass on what the other two parts produce. Not checked for
/// conflicting accesses each time: one thread uses it, and each of its three parts calls only the
/// next one.
final class CaptureIntake {
  @exclusivity(unchecked) var reader: CaptureReader
  @exclusivity(unchecked) var filter: AccountFilter
  @exclusivity(unchecked) var summary: ImportSummary

  /// - Parameter head: 64 KiB of the capture, or all of it. Only examined, not consumed.
  /// - Throws: `ImportError` if its format is unknown.
  init(_ head: [UInt8], _ options: ImportOptions) throws {
    let carrier = Carrier(head, encoding: options.encoding)
    guard let format = options.format ?? CaptureFormat.detect(head, within: carrier) else {
      throw UnreadableFile(head).map { .unreadable($0) } ?? ImportError.unknownFormat
    }
    let readerOptions = ReaderOptions(
      year: options.year, zone: options.zone, carrier: carrier, account: options.account)
    reader = CaptureReader(format: format, options: readerOptions)
    filter = AccountFilter(account: options.account)
    summary = ImportSummary(format: format)
    for message in carrier.notes { summary.note(CaptureProblem(line: 1, message: message)) }
    if carrier.encoding == nil, let problem = TextEncoding.suspicion(in: head, format) {
      summary.note(problem)
    }
  }

  /// Notes what the reader has found out about the capture so far.
  func noteReading() {
    summary.lacksYear = reader.lacksYear
    summary.unread = reader.unread
    summary.guessed = reader.guessed
    summary.runs = reader.runs
  }
}
