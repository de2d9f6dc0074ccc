/// What is to be done next about a file that is read while a program writes it.
package enum TailDecision: Hashable, Sendable {
  /// There is more of it.
  case read
  /// There is nothing more now.
  case wait
  /// It was emptied, and what is written to it now begins where it does (logrotate's
  /// `copytruncate`).
  case readAnew
  /// All of it was read, and its program writes another file that has its name now (logrotate's
  /// rename and create).
  case change

  /// A file, whatever it is called, as it is at a moment.
  package struct File: Hashable, Sendable {
    package var device: UInt64
    package var inode: UInt64
    /// How many bytes it has.
    package var size: UInt64

    package init(device: UInt64, inode: UInt64, size: UInt64) {
      (self.device, self.inode, self.size) = (device, inode, size)
    }

    func isSame(as other: File) -> Bool { device == other.device && inode == other.inode }
  }

  /// - Parameters:
  ///   - open: the file that is read.
  ///   - position: how much of it was read.
  ///   - keepsRead: whether what was read last still stands where it did.
  ///   - named: what had its name a moment before; nil where nothing had. A program that has
  ///     written to that has let go of the other one.
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
