package import Foundation

/// Reads a file while a program writes it, whatever is done to it in rotation.
package final class FileTail {
  package enum Step: Hashable {
    case bytes([UInt8])
    /// What follows is of a file that begins anew, by the same name.
    case beginsAnew
    /// There is nothing more now.
    case nothing
  }

  private var file: FileHandle
  /// What another file may take over; nil where there is no name, as of standard input.
  private let path: String?
  private var position: UInt64 = 0
  /// The end of what was read.
  private var last: [UInt8] = []

  private static let chunkBytes = 64 << 10
  /// How much of what was read is compared: no two places of a log are the same for so long.
  private static let comparedBytes = 64

  /// - Parameter file: open, at its beginning.
  package init(_ file: FileHandle, path: String?) {
    (self.file, self.path) = (file, path)
  }

  /// What has come since the last time; it does not wait.
  ///
  /// - Throws: `POSIXError`.
  package func next() throws -> Step {
    // Looked up first: whoever writes to what has the name by then has written all of this one.
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

  /// Whether what was read last is still there.
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
