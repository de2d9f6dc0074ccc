import Foundation
import Synchronization
import RawBytes

/// Entries by parts of their hashes: small enough to be sorted in memory, one part at a time.
///
/// What does not fit into small buffers is in files without names.
final class PairPartitions: Sendable {
  static let count = 256
  /// The number of bytes of a partition that wait in memory.
  private static let bufferBytes = 16 << 10

  private struct Partition {
    var bytes: [UInt8] = []
    var file: FileHandle?
    var stored = 0
  }

  private let partitions: [PartitionBox]

  private final class PartitionBox: Sendable {
    let value = Mutex(Partition())
  }

  init() {
    partitions = (0..<Self.count).map { _ in PartitionBox() }
  }

  /// Adds entries.
  func add(_ entries: [PairEntry]) throws {
    var parts = [[UInt8]](repeating: [], count: Self.count)
    for entry in entries { entry.write(to: &parts[Int(entry.high >> 56)]) }
    for (index, bytes) in parts.enumerated() where !bytes.isEmpty {
      try partitions[index].value.withLock { partition in
        partition.bytes += bytes
        guard partition.bytes.count >= Self.bufferBytes else { return }
        let file = try partition.file ?? Self.unnamedFile()
        partition.file = file
        try file.write(contentsOf: Data(partition.bytes))
        partition.stored += partition.bytes.count
        partition.bytes.removeAll(keepingCapacity: true)
      }
    }
  }

  /// The entries of a partition, in the order of the pairs; it is then empty.
  func sorted(_ index: Int) throws -> [PairEntry] {
    var partition = partitions[index].value.withLock { partition in
      let taken = partition
      partition = Partition()
      return taken
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(partition.stored + partition.bytes.count)
    if let file = partition.file {
      try file.seek(toOffset: 0)
      while bytes.count < partition.stored, let piece = try file.read(upToCount: 1 << 20),
        !piece.isEmpty
      {
        bytes += piece
      }
      try file.close()
    }
    bytes += partition.bytes
    partition.bytes = []
    let size = PairEntry.byteCount
    var entries: [PairEntry] = []
    entries.reserveCapacity(bytes.count / size)
    for start in stride(from: 0, to: bytes.count - size + 1, by: size) {
      entries.append(PairEntry(bytes.span.bytes.extracting(start..<start + size)))
    }
    entries.sort(by: PairEntry.precedes)
    return entries
  }

  private static func unnamedFile() throws -> FileHandle {
    let folder = FileManager.default.temporaryDirectory.path(percentEncoded: false)
    let path = "\(folder)/rollcall-pairs-\(UUID())"
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw DurableFile.error(path) }
    unlink(path)
    return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }
}
