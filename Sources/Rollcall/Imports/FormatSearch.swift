package import Captures
package import Foundation

/// Detects the format of a capture from its bytes as they arrive. If the first bytes are not a log,
/// later parts are tried, because bug reports begin with other text.
package struct FormatSearch {
  /// The number of bytes from which a format is detected.
  static let windowBytes = 64 << 10
  /// The number of bytes of a file that are searched for a log.
  static let searchedBytes = 16 << 20

  /// The bytes taken so far, all of which have yet to be read.
  private(set) var bytes: [UInt8] = []
  private var options: ImportOptions
  /// The number of bytes without a log.
  private var searched = 0

  init(_ options: ImportOptions) {
    self.options = options
  }

  /// The format of a capture, which is read as far as necessary to detect it.
  ///
  /// - Throws: `ImportError` if there is none, and errors of the file.
  package static func format(of file: FileHandle) throws -> CaptureFormat {
    try intake(of: file, ImportOptions()).intake.summary.format
  }

  /// How to read a file, with the bytes that were consumed to decide it.
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

  /// Examines the complete parts.
  ///
  /// - Parameter isEnd: Whether the bytes are the end of the file, so that the last part is
  ///   complete too.
  /// - Returns: nil while the format is unknown.
  /// - Throws: `ImportError` if the capture has none.
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

  /// Examines an incomplete part.
  ///
  /// - Returns: nil if more bytes could change the result.
  /// - Throws: `ImportError` if the capture certainly has no format.
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

  /// Detected from the beginning, because a later part may begin inside a character.
  private var encoding: TextEncoding? {
    options.encoding ?? TextEncoding(Array(bytes.prefix(Self.windowBytes)))
  }

  /// The next part, together with the end of the previous one, because a log may begin there.
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
    // Detecting a format costs much more than finding an element, and many parts may have no
    // element.
    guard isBeginning || Carrier.mayHoldElement(options.encoding?.decoded(part) ?? part) else {
      return nil
    }
    do {
      let intake = try CaptureIntake(part, options)
      // Only formats made of lines can begin in the middle of a file.
      return isBeginning || intake.summary.format.isOfLines ? intake : nil
    } catch ImportError.unknownFormat {
      return nil
    } catch ImportError.unreadable where !isBeginning {
      return nil
    }
  }
}
