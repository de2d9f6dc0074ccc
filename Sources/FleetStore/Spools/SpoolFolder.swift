import Foundation

/// A tap's spool: a folder of segments.
package struct SpoolFolder: Sendable {
  package let path: String

  /// The file that names the source. It is hidden, so that an import of the folder does not read
  /// it.
  package static let idFile = ".rollcall-source"

  package init(_ path: String) { self.path = path }

  /// A file of the spool.
  package struct Segment: Hashable, Sendable {
    package let number: UInt64
    package let path: String
  }

  /// Whether the folder exists.
  package var exists: Bool {
    var isFolder: ObjCBool = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
      && isFolder.boolValue
  }

  /// The segments, in their order.
  ///
  /// - Throws: `FleetError.doubleSegment`, or the system's error.
  package func segments() throws -> [Segment] {
    let names = try FileManager.default.contentsOfDirectory(atPath: path)
    let found = names.compactMap { name in
      Self.number(of: name).map { Segment(number: $0, path: "\(path)/\(name)") }
    }.sorted { ($0.number, $0.path) < ($1.number, $1.path) }
    for (first, second) in zip(found, found.dropFirst()) where first.number == second.number {
      throw FleetError.doubleSegment(first.path, second.path)
    }
    return found
  }

  /// The number in the name of a segment, such as `0a1b2c3d-000012.jsonl`; nil for another file.
  package static func number(of name: String) -> UInt64? {
    guard let match = name.wholeMatch(of: /[0-9A-Za-z]+-([0-9]+)\.jsonl/),
      let number = UInt64(match.1), number > 0, number <= SpoolPosition.maxSegment
    else { return nil }
    return number
  }

  /// The number of bytes after a position; nil if the folder cannot be read.
  package func bytes(after position: SpoolPosition) -> UInt64? {
    guard let segments = try? segments() else { return nil }
    return segments.reduce(0) { sum, segment in
      guard segment.number >= position.segment else { return sum }
      let attributes = try? FileManager.default.attributesOfItem(atPath: segment.path)
      let size = (attributes?[.size] as? UInt64) ?? 0
      let read = segment.number == position.segment ? position.offset : 0
      return sum + (size > read ? size - read : 0)
    }
  }

  // MARK: The source

  /// The name of the source: a random number in a file that only its user can read. It is made if
  /// there is none.
  ///
  /// - Parameter boots: The sources that are known to have been in this folder, by runs of the
  ///   server. If a segment is of one of these, the file was lost, and the source is the same.
  package func source(of boots: [String: String] = [:]) throws -> String {
    let file = "\(path)/\(Self.idFile)"
    if let id = Self.readSource(file) { return id }
    let known = try segments().compactMap { segment in
      let name = segment.path.split(separator: "/").last?.prefix { $0 != "-" }
      return name.flatMap { boots[String($0)] }
    }
    let random = (0..<4).map { _ in
      let word = String(UInt32.random(in: .min ... .max), radix: 16)
      return String(repeating: "0", count: 8 - word.count) + word
    }.joined()
    let id = known.last ?? random
    let draft = "\(file).draft-\(getpid())"
    unlink(draft)
    try DurableFile.write(Array("\(id)\n".utf8), to: draft, exclusively: true)
    defer { unlink(draft) }
    // A link does not replace the file of another program that was faster.
    guard link(draft, file) == 0 || errno == EEXIST else { throw DurableFile.error(file) }
    try DurableFile.syncFolder(path)
    return Self.readSource(file) ?? id
  }

  private static func readSource(_ file: String) -> String? {
    guard let data = FileManager.default.contents(atPath: file), data.count == 33,
      let text = String(data: data.dropLast(), encoding: .utf8),
      text.utf8.allSatisfy({ ($0 >= 48 && $0 < 58) || ($0 >= 97 && $0 < 103) })
    else { return nil }
    return text
  }

  // MARK: Reading

  /// The number of bytes that are read at once, and the longest line.
  package static let chunkBytes = 8 << 20
  static let maximumLineBytes = 128 << 20

  /// What was read of a segment.
  package enum Piece {
    /// Whole lines.
    case lines([UInt8])
    /// No whole line follows.
    case nothing
  }

  /// Reads whole lines of a segment, and syncs what was read before it returns: a power cut must
  /// not take back lines that the fleet has.
  package func read(
    _ segment: Segment, from offset: UInt64, upTo count: Int = SpoolFolder.chunkBytes
  ) throws -> Piece {
    guard let file = FileHandle(forReadingAtPath: segment.path) else {
      throw DurableFile.error(segment.path)
    }
    defer { try? file.close() }
    let size = try file.seekToEnd()
    guard size >= offset else {
      throw FleetError.badSegment(
        segment.path,
        why: "it was cut short: it has \(size) bytes, of "
          + "which \(offset) were read before")
    }
    guard size > offset else { return .nothing }
    var wanted = count
    while true {
      try file.seek(toOffset: offset)
      let bytes = [UInt8](try file.read(upToCount: wanted) ?? Data())
      if let end = bytes.lastIndex(of: UInt8(ascii: "\n")) {
        guard fsync(file.fileDescriptor) == 0 else { throw DurableFile.error(segment.path) }
        try DurableFile.syncFolder(path)
        return .lines(Array(bytes[...end]))
      }
      guard UInt64(bytes.count) < size - offset else { return .nothing }
      guard wanted < Self.maximumLineBytes else {
        throw FleetError.badSegment(
          segment.path, why: "the line at byte \(offset) is longer than any that a tap writes")
      }
      wanted *= 2
    }
  }
}

/// Files that are on the disk when a call returns.
enum DurableFile {
  /// The system's error of the last call.
  static func error(_ path: String) -> any Error {
    CocoaError(
      .fileReadUnknown,
      userInfo: [
        NSFilePathErrorKey: path,
        NSUnderlyingErrorKey: POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO),
      ])
  }

  static func syncFolder(_ path: String) throws {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_DIRECTORY)
    guard descriptor >= 0 else { throw error(path) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw error(path) }
  }

  /// Writes a file that only its user can read.
  static func write(_ bytes: [UInt8], to path: String, exclusively: Bool = false) throws {
    let flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | (exclusively ? O_EXCL : O_TRUNC)
    let descriptor = open(path, flags, 0o600)
    guard descriptor >= 0 else { throw error(path) }
    defer { close(descriptor) }
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
    try handle.write(contentsOf: Data(bytes))
    guard fsync(descriptor) == 0 else { throw error(path) }
  }

  /// Puts a file in place of the one at a path, all or nothing.
  static func replace(_ path: String, with bytes: [UInt8]) throws {
    let draft = "\(path).draft"
    try write(bytes, to: draft)
    guard rename(draft, path) == 0 else { throw error(path) }
    try syncFolder((path as NSString).deletingLastPathComponent)
  }
}
