import Captures

/// A capture while it is read.
///
/// A class, so that its reader can hand on what the others take.
final class CaptureIntake {
  var reader: CaptureReader
  var filter: AccountFilter
  var summary: ImportSummary

  /// - Parameter head: what the capture begins with: 64 KiB, or all of it. It is looked at only.
  /// - Throws: `ImportError` where its format is not known.
  init(_ head: [UInt8], _ options: ImportOptions) throws {
    guard let format = options.format ?? CaptureFormat.detect(head) else {
      throw UnreadableFile(head).map { .unreadable($0) } ?? ImportError.unknownFormat
    }
    let readerOptions = ReaderOptions(
      year: options.year, zone: options.zone, wrapper: LineWrapper(head))
    reader = CaptureReader(format: format, options: readerOptions)
    filter = AccountFilter(account: options.account)
    summary = ImportSummary(format: format)
  }
}
