import Foundation
import Rollcall

/// The bytes of a capture as they arrive: from a growing file, the folder of a spool, or a pipe.
struct LiveInput {
  enum Step {
    case bytes([UInt8])
    /// The following bytes are from a new file of the same name.
    case beginsAnew
    /// No more bytes are available now.
    case nothing
    /// No more bytes will come.
    case end
  }

  private enum Kind {
    case file(FileTail)
    case spool(SpoolTail)
    case pipe(Int32)
  }

  private let kind: Kind
  private let path: String

  private static let chunkBytes = 64 << 10
  /// The time between checks for more bytes, in milliseconds.
  private static let interval: Int32 = 100

  /// - Parameter spool: The folder of the spool whose first segment the input is; nil to read the
  ///   input alone.
  init(_ input: CaptureInput, of spool: String? = nil) throws {
    if let tool = input.tool {
      throw Failure(
        "\(input.path): it is read through \(tool) and does not grow: leave out --follow")
    }
    path = spool ?? input.path
    var status = stat()
    guard fstat(input.handle.fileDescriptor, &status) == 0 else {
      throw Failure("\(path): it cannot be read")
    }
    if let spool {
      kind = .spool(SpoolTail(input.handle, in: spool, called: input.name))
      return
    }
    kind =
      status.st_mode & S_IFMT == S_IFREG
      ? .file(FileTail(input.handle, path: path == "-" ? nil : path))
      : .pipe(input.handle.fileDescriptor)
  }

  /// The path of the file from which the bytes come.
  var file: String {
    if case .spool(let tail) = kind { tail.path } else { path }
  }

  /// The bytes that have arrived; does not wait.
  func next() throws -> Step {
    switch kind {
    case .file(let tail): return Step(try Failure.naming(path, tail.next))
    case .spool(let tail): return Step(try Failure.naming(path, tail.next))
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

  /// Waits a moment for more bytes.
  func wait() throws(OutputError) {
    if case .pipe(let descriptor) = kind { return try Self.wait(for: descriptor) }
    try Self.wait()
  }

  /// Waits a moment, or until the descriptor is readable or the process is asked to end.
  ///
  /// - Throws: `OutputError.readerClosed` if the reader of the result has gone, which a process
  ///   that only waits would not notice.
  static func wait(for descriptor: Int32? = nil) throws(OutputError) {
    var looked = [pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)]
    if let descriptor { looked.append(pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)) }
    guard !Ending.isAsked, poll(&looked, nfds_t(looked.count), interval) > 0 else { return }
    if looked[0].revents & Int16(POLLERR | POLLHUP) != 0 { throw .readerClosed }
  }
}

extension LiveInput.Step {
  fileprivate init(_ step: FileTail.Step) {
    switch step {
    case .bytes(let bytes): self = .bytes(bytes)
    case .beginsAnew: self = .beginsAnew
    case .nothing: self = .nothing
    }
  }
}
