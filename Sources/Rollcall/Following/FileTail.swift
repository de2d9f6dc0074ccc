package import Foundation

/// Reads a file while a program writes it, through any kind of rotation.
package final class FileTail {
  package enum Step: Hashable {
    case bytes([UInt8])
    /// The following bytes belong to a new file with the same name.
    case beginsAnew
    /// There are no more bytes at present.
    case nothing
  }

  private var file: FileHandle
  /// The name, which another file may take over; nil if there is none, as for standard input.
  private let path: String?
  private var position: UInt64 = 0
  /// The last bytes that were read.
  private var last: [UInt8] = []

  private static let chunkBytes = 64 << 10
  /// The number of these bytes that are compared; a log does not repeat itself over this length.
  private static let comparedBytes = 64

  /// - Parameter file: Open, and positioned at its beginning.
  package init(_ file: FileHandle, path: String?) {
    (self.file, self.path) = (file, path)
  }

  /// The bytes since the last call, without waiting for more.
  ///
  /// - Throws: `POSIXError`.
  package func next() throws -> Step {
    // Look this up first: a program that writes to the file that now has the name has finished this
    // one.
    let named = path.flatMap { path -> TailDecision.File? in
      var status = stat()
      return stat(path, &status) == 0 ? TailDecision.File(status) : nil
    }
    var status = stat()
    guard fstat(file.fileDescriptor, &status) == 0 else { throw POSIXError(.EIO) }
    let open = TailDecision.File(status)
    let keepsRead = try open.size <= position || keepsLast()
    switch TailDecision(open: open, position: position, keepsRead: keepsRead, named: named) {
    case .wait: return .nothing
    case .read:
      let bytes = try read(Self.chunkBytes, from: position)
      guard !bytes.isEmpty else { return .nothing }
      position += UInt64(bytes.count)
      last = Array((last + bytes.suffix(Self.comparedBytes)).suffix(Self.comparedBytes))
      return .bytes(bytes)
    case .readAnew: begin()
    case .change:
      guard let path, let next = FileHandle(forReadingAtPath: path) else { return .nothing }
      file = next
      begin()
    }
    return .beginsAnew
  }

  private func begin() {
    position = 0
    last = []
  }

  /// Whether the bytes that were read last are still there.
  private func keepsLast() throws -> Bool {
    try read(last.count, from: position - UInt64(last.count)) == last
  }

  private func read(_ count: Int, from start: UInt64) throws -> [UInt8] {
    try [UInt8](unsafeUninitializedCapacity: count) { space, filled in
      while filled < count {
        let found = pread(
          file.fileDescriptor, space.baseAddress.map { $0 + filled }, count - filled,
          off_t(start) + off_t(filled))
        guard found >= 0 || errno == EINTR else {
          throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
        guard found != 0 else { return }
        filled += max(0, found)
      }
    }
  }
}

extension TailDecision.File {
  fileprivate init(_ status: stat) {
    self.init(
      device: UInt64(truncatingIfNeeded: status.st_dev), inode: UInt64(status.st_ino),
      size: UInt64(clamping: status.st_size))
  }
}
