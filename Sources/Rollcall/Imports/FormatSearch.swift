package import Captures
package import Foundation

/// Finds out how a capture is to be read, from its bytes as they come: by a part of it further on
/// if its first bytes are no log, since reports begin with other things.
package struct FormatSearch {
  /// How much of a file tells its format.
  static let windowBytes = 64 << 10
  /// How much of a file is searched for a log.
  static let searchedBytes = 16 << 20

  /// What was taken so far, all of which is still to be read.
  private(set) var bytes: [UInt8] = []
  private var options: ImportOptions
  /// The number of bytes in which no log was found.
  private var searched = 0

  init(_ options: ImportOptions) {
    self.options = options
  }

  /// The format of a capture, which is read as far as it takes to find it.
  ///
  /// - Throws: `ImportError` if there is none, and errors of the file.
  package static func format(of file: FileHandle) throws -> CaptureFormat {
    try intake(of: file, ImportOptions()).intake.summary.format
  }

  /// How a file is to be read, and the bytes that were read to find it.
  static func intake(
    of file: FileHandle, _ options: ImportOptions
  ) throws -> (intake: CaptureIntake, bytes: [UInt8]) {
    var search = FormatSearch(options)
    while true {
      let more = try FilePieces.next(of: file, upTo: windowBytes)
      search.take(more)
      if let intake = try search.intake(isEnd: more.isEmpty) { return (intake, search.bytes) }
    }
  }

  mutating func take(_ more: [UInt8]) {
    bytes += more
  }

  /// Looks at the parts that are complete.
  ///
  /// - Parameter isEnd: Whether nothing follows the bytes, so that the last part is complete too.
  /// - Returns: nil while the format is not known.
  /// - Throws: `ImportError` where the capture has none.
  mutating func intake(isEnd: Bool) throws -> CaptureIntake? {
    while true {
      let end = min(searched + Self.windowBytes, bytes.count)
      guard isEnd || end == searched + Self.windowBytes else { return nil }
      if let found = try intake(upTo: end) { return found }
      searched = end
      guard searched < Self.searchedBytes, !isEnd || searched < bytes.count else {
        throw ImportError.unknownFormat
      }
    }
  }

  /// Looks at a part that is not complete.
  ///
  /// - Returns: nil where more bytes might say something else.
  /// - Throws: `ImportError` where it is certain that the capture has no format.
  mutating func earlyIntake() throws -> CaptureIntake? {
    let part = part(upTo: bytes.count)
    switch UnreadableFile(part) {
    case .empty, .zeros: return nil
    case .compressed, .packets, .binary: break
    case nil:
      let text = encoding.map { $0.decoded(part) } ?? part
      guard CaptureFormat.detect(beginning: text, as: options.format) != nil else { return nil }
    }
    return try intake(upTo: bytes.count)
  }

  /// Told by the beginning: a part further on may begin inside a character.
  private var encoding: TextEncoding? {
    options.encoding ?? TextEncoding(Array(bytes.prefix(Self.windowBytes)))
  }

  /// The part that is looked at next, with the end of the one before it: a log may begin there.
  private func part(upTo end: Int) -> [UInt8] {
    guard searched > 0 else { return Array(bytes[..<end]) }
    let part = bytes[(searched - Self.windowBytes / 2)..<end]
    return Array(encoding == nil ? part.drop { $0 != UInt8(ascii: "\n") } : part)
  }

  private func intake(upTo end: Int) throws -> CaptureIntake? {
    let part = part(upTo: end)
    let isBeginning = searched == 0
    var options = options
    options.encoding = encoding
    // To look for a format costs much more than to look for an element, and there may be many
    // parts without any.
    guard isBeginning || Carrier.mayHoldElement(options.encoding?.decoded(part) ?? part) else {
      return nil
    }
    do {
      let intake = try CaptureIntake(part, options)
      // Only lines can begin in the middle of a file.
      return isBeginning || intake.summary.format.isOfLines ? intake : nil
    } catch ImportError.unknownFormat {
      return nil
    } catch ImportError.unreadable where !isBeginning {
      return nil
    }
  }
}
