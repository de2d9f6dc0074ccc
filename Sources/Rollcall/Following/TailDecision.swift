/// The next step in reading a file while a program writes it.
package enum TailDecision: Hashable, Sendable {
  /// There are more bytes.
  case read
  /// There are no more bytes at present.
  case wait
  /// The file was truncated, so continue at its beginning (logrotate's `copytruncate`).
  case readAnew
  /// The whole file was read, and its program now writes another file with its name (logrotate's
  /// rename and create).
  case change

  /// A file at a moment, independent of its name.
  package struct File: Hashable, Sendable {
    package var device: UInt64
    package var inode: UInt64
    /// Its size in bytes.
    package var size: UInt64

    package init(device: UInt64, inode: UInt64, size: UInt64) {
      (self.device, self.inode, self.size) = (device, inode, size)
    }

    func isSame(as other: File) -> Bool { device == other.device && inode == other.inode }
  }

  /// - Parameters:
  ///   - open: The file that is being read.
  ///   - position: The number of bytes read.
  ///   - keepsRead: Whether the bytes that were read last are still in the same place.
  ///   - named: The file that had its name a moment before; nil for none. A program that has
  ///     written to that file has finished the open one.
  package init(open: File, position: UInt64, keepsRead: Bool, named: File?) {
    if open.size < position || !keepsRead {
      self = .readAnew
    } else if open.size > position {
      self = .read
    } else if let named, named.size > 0, !named.isSame(as: open) {
      self = .change
    } else {
      self = .wait
    }
  }
}
