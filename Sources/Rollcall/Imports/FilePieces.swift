import Foundation

/// Reads a file or a pipe in pieces.
enum FilePieces {
  /// Reads at most `count` more bytes of a file; returns none at its end. Waits for a pipe.
  ///
  /// - Throws: `ImportError.cannotBeRead`.
  static func next(of file: FileHandle, upTo count: Int) throws -> [UInt8] {
    try [UInt8](unsafeUninitializedCapacity: count) { space, filled in
      var found = -1
      repeat {
        found = read(file.fileDescriptor, space.baseAddress, count)
      } while found < 0 && errno == EINTR
      guard found >= 0 else { throw ImportError.cannotBeRead(errno) }
      filled = found
    }
  }
}
