import CShims
import Foundation

/// The beginning of a pipe's content, read without consuming it, so that another program can be
/// given the pipe.
enum PipeHead {
  /// The first bytes of the compressed streams that the system's tools unpack: gzip, xz and zstd.
  private static let magics: [[UInt8]] = [
    [0x1F, 0x8B], [0xFD, 0x37, 0x7A, 0x58, 0x5A], [0x28, 0xB5, 0x2F, 0xFD],
  ]
  private static let size = 8
  /// The delay before reading again if a writer has sent too few bytes to decide.
  private static let pause: useconds_t = 10_000

  /// The first bytes, enough to tell whether the content is compressed; empty if the system cannot
  /// read them this way, or nothing arrives.
  static func bytes(of descriptor: Int32) -> [UInt8] {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return [] }
    switch status.st_mode & S_IFMT {
    case S_IFREG:
      let start = lseek(descriptor, 0, SEEK_CUR)
      return reading { pread(descriptor, $0, $1, start) }
    case S_IFIFO: return ofPipe(descriptor)
    default: return []
    }
  }

  private static func ofPipe(_ descriptor: Int32) -> [UInt8] {
    while true {
      let bytes = copied(from: descriptor)
      let isBeginning = magics.contains { $0.count > bytes.count && $0.starts(with: bytes) }
      guard isBeginning, !bytes.isEmpty, !isEnded(descriptor) else { return bytes }
      usleep(pause)
    }
  }

  private static func isEnded(_ descriptor: Int32) -> Bool {
    var state = pollfd(fd: descriptor, events: 0, revents: 0)
    return poll(&state, 1, 0) > 0 && state.revents & Int16(POLLHUP) != 0
  }

  /// The content of a pipe, after waiting until there is some.
  private static func copied(from descriptor: Int32) -> [UInt8] {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return [] }
    defer { for end in ends { close(end) } }
    var count = rollcall_copy_pipe(descriptor, ends[1], UInt(size))
    while count < 0, errno == EINTR {
      count = rollcall_copy_pipe(descriptor, ends[1], UInt(size))
    }
    guard count > 0 else { return [] }
    return reading { read(ends[0], $0, $1) }
  }

  private static func reading(_ body: (UnsafeMutableRawPointer?, Int) -> Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: size)
    let count = bytes.withUnsafeMutableBytes { body($0.baseAddress, $0.count) }
    return Array(bytes.prefix(max(0, count)))
  }
}
