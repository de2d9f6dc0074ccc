import Foundation
import Rollcall

/// The bytes of a capture as they come: of a file that grows, or through a pipe.
struct LiveInput {
  enum Step {
    case bytes([UInt8])
    /// What follows is of a file that begins anew, by the same name.
    case beginsAnew
    /// There is nothing more now.
    case nothing
    /// Nothing more will come.
    case end
  }

  private enum Kind {
    case file(FileTail)
    case pipe(Int32)
  }

  private let kind: Kind
  private let path: String

  private static let chunkBytes = 64 << 10
  /// How long it is waited before it is looked whether there is more, in milliseconds.
  private static let interval: Int32 = 100

  init(_ input: CaptureInput) throws {
    if let tool = input.tool {
      throw Failure(
        "\(input.path): it is read through \(tool), and does not grow: leave out --follow")
    }
    path = input.path
    var status = stat()
    guard fstat(input.handle.fileDescriptor, &status) == 0 else {
      throw Failure("\(path): it cannot be read")
    }
    kind =
      status.st_mode & S_IFMT == S_IFREG
      ? .file(FileTail(input.handle, path: path == "-" ? nil : path))
      : .pipe(input.handle.fileDescriptor)
  }

  /// What has come; it does not wait.
  func next() throws -> Step {
    switch kind {
    case .file(let tail):
      return switch try Failure.naming(path, tail.next) {
      case .bytes(let bytes): .bytes(bytes)
      case .beginsAnew: .beginsAnew
      case .nothing: .nothing
      }
    case .pipe(let descriptor):
      var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&ready, 1, 0) > 0 else { return .nothing }
      return try read(descriptor)
    }
  }

  private func read(_ descriptor: Int32) throws -> Step {
    var code: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: Self.chunkBytes) { space, filled in
      let count = Foundation.read(descriptor, space.baseAddress, space.count)
      code = count < 0 ? errno : 0
      filled = max(0, count)
    }
    guard bytes.isEmpty else { return .bytes(bytes) }
    switch code {
    case 0: return .end
    case EINTR, EAGAIN: return .nothing
    default: throw Failure("\(path): \(text(ofSystemCode: code))")
    }
  }

  /// Waits a moment for more.
  func wait() throws(OutputError) {
    if case .pipe(let descriptor) = kind { return try Self.wait(for: descriptor) }
    try Self.wait()
  }

  /// Waits a moment, or until there is something to read; being asked to end is enough, too.
  ///
  /// - Throws: `OutputError.nobodyReads` where nobody reads the result any longer: what waits for
  ///   more would not learn it by writing.
  static func wait(for descriptor: Int32? = nil) throws(OutputError) {
    var looked = [pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)]
    if let descriptor { looked.append(pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)) }
    guard !Ending.isAsked, poll(&looked, nfds_t(looked.count), interval) > 0 else { return }
    if looked[0].revents & Int16(POLLERR | POLLHUP) != 0 { throw .nobodyReads }
  }
}
