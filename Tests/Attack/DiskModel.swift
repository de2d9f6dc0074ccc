import Foundation
import TestSupport

/// A change of the disk, as the shim records it.
enum DiskEvent: Sendable {
  case write(inode: UInt64, offset: Int, bytes: [UInt8], path: String)
  /// A sync of a file or of a folder.
  case sync(inode: UInt64, path: String, failed: Bool)
  case size(inode: UInt64, bytes: Int)
  case made(inode: UInt64, path: String)
  case link(inode: UInt64, from: String, to: String)
  case rename(inode: UInt64, from: String, to: String)
  case unlink(path: String)
}

enum DiskTrace {
  /// Reads the trace: `struct event` and the data after each.
  static func read(_ path: String) throws -> [DiskEvent] {
    let bytes = Array(try Data(contentsOf: URL(filePath: path)))
    var events: [DiskEvent] = []
    var at = 0
    func number<N: FixedWidthInteger>(_ offset: Int, _: N.Type) -> N {
      bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: at + offset, as: N.self) }
    }
    while at + 40 <= bytes.count {
      let what = number(0, UInt32.self)
      let failed = number(4, UInt32.self) != 0
      let inode = number(8, UInt64.self)
      let offset = Int(number(16, Int64.self))
      let lengths = [24, 28, 32].map { Int(number($0, UInt32.self)) }
      var next = at + 40
      func take(_ count: Int) -> ArraySlice<UInt8> {
        defer { next += count }
        return bytes[next..<next + count]
      }
      let (one, other) = (
        String(decoding: take(lengths[0]), as: UTF8.self),
        String(decoding: take(lengths[1]), as: UTF8.self)
      )
      let data = take(lengths[2])
      switch what {
      case 1: events.append(.write(inode: inode, offset: offset, bytes: Array(data), path: one))
      case 2: events.append(.sync(inode: inode, path: one, failed: failed))
      case 3: events.append(.size(inode: inode, bytes: offset))
      case 4: events.append(.made(inode: inode, path: one))
      case 5: events.append(.link(inode: inode, from: one, to: other))
      case 6: events.append(.rename(inode: inode, from: one, to: other))
      case 7: events.append(.unlink(path: one))
      default: throw Trouble("a trace with an event \(what)")
      }
      at = next
    }
    return events
  }
}

/// A disk that keeps only synced data for certain: any part of the other changes may be on it.
///
/// The content of a file is durable once the file is synced, a name once its folder is. After a
/// failed sync, none of the data that it should have written is certain any more.
struct DiskModel {
  enum Style: Hashable, Sendable {
    case onlyDurable
    case all
    /// All changes up to some write, and nothing after it.
    case prefix
    /// Any sectors of any writes.
    case torn
  }

  private static let sector = 512

  private struct Change: Losable {
    var offset: Int
    /// The written bytes; nil if the change sets the file's size to the offset.
    var bytes: [UInt8]?
    /// Whether a sync of it failed, so that a later sync does not write it either.
    var isLost = false
  }

  private struct File {
    /// The bytes that are on the disk for certain.
    var durable: [UInt8] = []
    var pending: [Change] = []
  }

  private struct NameChange: Losable {
    var set: (path: String, file: Int)?
    var remove: String?
    var isLost = false
  }

  private let folder: String
  private var files: [File] = []
  private var byInode: [UInt64: Int] = [:]
  private var durableNames: [String: Int] = [:]
  private var pendingNames: [NameChange] = []

  /// A disk on which the content of a folder is durable.
  init(of scratch: Scratch) throws {
    var resolved = scratch.path
    if let path = realpath(scratch.path, nil) {
      resolved = String(cString: path)
      free(path)
    }
    folder = resolved
    for name in try scratch.names {
      let path = "\(folder)/\(name)"
      var status = stat()
      guard stat(path, &status) == 0 else { continue }
      files.append(File(durable: Array(try Data(contentsOf: URL(filePath: path)))))
      byInode[UInt64(status.st_ino)] = files.count - 1
      durableNames[path] = files.count - 1
    }
  }

  mutating func apply(_ events: some Sequence<DiskEvent>) throws {
    for event in events { try apply(event) }
  }

  mutating func apply(_ event: DiskEvent) throws {
    switch event {
    case .write(let inode, let offset, let bytes, _):
      files[try file(inode)].pending.append(Change(offset: offset, bytes: bytes))
    case .size(let inode, let bytes):
      files[try file(inode)].pending.append(Change(offset: bytes, bytes: nil))
    case .sync(let inode, let path, let failed):
      if path == folder {
        for change in Self.synced(&pendingNames, failed) {
          Self.apply(change, to: &durableNames)
        }
      } else {
        let number = try file(inode)
        for change in Self.synced(&files[number].pending, failed) {
          Self.apply(change, to: &files[number].durable)
        }
      }
    case .made(let inode, let path):
      files.append(File())
      byInode[inode] = files.count - 1
      pendingNames.append(NameChange(set: (path, files.count - 1)))
    case .link(let inode, _, let to):
      pendingNames.append(NameChange(set: (to, try file(inode))))
    case .rename(let inode, let from, let to):
      pendingNames.append(NameChange(set: (to, try file(inode)), remove: from))
    case .unlink(let path):
      pendingNames.append(NameChange(remove: path))
    }
  }

  private func file(_ inode: UInt64) throws -> Int {
    guard let number = byInode[inode] else { throw Trouble("a trace with an unknown file") }
    return number
  }

  /// Removes and returns the changes that a sync makes durable. A failed sync loses its changes for
  /// later syncs, too.
  private static func synced<C: Losable>(_ pending: inout [C], _ failed: Bool) -> [C] {
    guard !failed else {
      for index in pending.indices { pending[index].isLost = true }
      return []
    }
    defer { pending.removeAll { !$0.isLost } }
    return pending.filter { !$0.isLost }
  }

  private static func apply(_ change: Change, to bytes: inout [UInt8]) {
    guard let written = change.bytes else {
      if bytes.count > change.offset {
        bytes.removeLast(bytes.count - change.offset)
      } else {
        bytes += Array(repeating: 0, count: change.offset - bytes.count)
      }
      return
    }
    let end = change.offset + written.count
    if bytes.count < end { bytes += Array(repeating: 0, count: end - bytes.count) }
    bytes.replaceSubrange(change.offset..<end, with: written)
  }

  private static func apply(_ change: NameChange, to names: inout [String: Int]) {
    if let remove = change.remove { names[remove] = nil }
    if let (path, file) = change.set { names[path] = file }
  }

  // MARK: Power cuts

  /// Writes a possible content of the disk after a power cut, except lock files, which mean nothing
  /// then.
  func write(to target: Scratch, _ style: Style) throws {
    var generator = SeededGenerator(seed: 0)
    try write(to: target, style, using: &generator)
  }

  func write(to target: Scratch, _ style: Style, using generator: inout SeededGenerator) throws {
    var names = durableNames
    for change in chosen(pendingNames, style, using: &generator) {
      Self.apply(change, to: &names)
    }
    for (path, number) in names.sorted(by: { $0.key < $1.key }) where !path.hasSuffix("-lock") {
      var bytes = files[number].durable
      for change in chosen(files[number].pending, style, using: &generator) {
        for part in parts(of: change, style, using: &generator) { Self.apply(part, to: &bytes) }
      }
      let name = path.split(separator: "/").last.map(String.init) ?? path
      try Data(bytes).write(to: URL(filePath: target.file(name)))
    }
  }

  /// The number of writes and names that may or may not be on the disk.
  var pendingChanges: Int {
    files.reduce(pendingNames.count) { $0 + $1.pending.count }
  }

  private func chosen<C>(
    _ pending: [C], _ style: Style, using generator: inout SeededGenerator
  ) -> [C] {
    switch style {
    case .onlyDurable: []
    case .all: pending
    case .prefix: Array(pending.prefix(Int.random(in: 0...pending.count, using: &generator)))
    case .torn: pending.filter { _ in UInt8.random(in: 0..<4, using: &generator) > 0 }
    }
  }

  /// A write, or those of its sectors that are on the disk.
  private func parts(
    of change: Change, _ style: Style, using generator: inout SeededGenerator
  ) -> [Change] {
    guard style == .torn, let bytes = change.bytes, Bool.random(using: &generator) else {
      return [change]
    }
    var parts: [Change] = []
    var start = 0
    while start < bytes.count {
      // The end of the sector.
      let end = min(
        bytes.count, ((change.offset + start) / Self.sector + 1) * Self.sector - change.offset)
      if Bool.random(using: &generator) {
        parts.append(Change(offset: change.offset + start, bytes: Array(bytes[start..<end])))
      }
      start = end
    }
    return parts
  }
}

/// A change that may never reach the disk because a sync failed.
private protocol Losable {
  var isLost: Bool { get set }
}
