import Captures
import ContactSections
import EventStore
import Foundation
import Rollcall
import RosterCore

/// The questions that reading commands answer about a log.
enum Question: String, CaseIterable, Codable {
  case recover, verify, state, past, replay, sections, diff, export

  /// The answer as a hash.
  ///
  /// - Throws: An error if the log is refused.
  func answer(_ path: String) throws -> Int {
    switch self {
    case .recover: return try Self.recovered(path)
    case .verify: return try Self.verified(path)
    default: break
    }
    let log = try EventLog.open(
      at: path, access: .readOnly, eventVersion: RecordReader.version)
    let timeline = Timeline(log)
    var hasher = StableHasher()
    switch self {
    case .recover, .verify: break
    case .state: hasher.add(JSONValue(try timeline.state(at: .head(minus: 0))))
    case .past: hasher.add(JSONValue(try timeline.state(at: .record(7))))
    case .replay:
      try timeline.replay(upTo: .head(minus: 0)) { moment, _ in hasher.add(JSONValue(moment)) }
    case .sections:
      let roster = try timeline.state(at: .head(minus: 0)).roster
      let policy = SectionPolicy(friends: .all)
      let index = RosterSections(roster, policy: policy).index
      hasher.add(SectionsDocument(index, of: roster, showsNameSources: true).screen)
    case .diff:
      let diff = try timeline.diff(from: .record(3), to: .head(minus: 0))
      hasher.add(.array(diff.differences.map { JSONValue($0) }))
    case .export: _ = try LogExport(log).writeNative { hasher.add($0) }
    }
    return hasher.value
  }

  private static func verified(_ path: String) throws -> Int {
    var damage: String?
    try LogVerification.run(path) { step in
      if case .found(let found) = step { damage = damage ?? found.what }
    }
    if let damage { throw Trouble(damage) }
    return 0
  }

  /// The hash of a log that was recovered completely.
  private static func recovered(_ path: String) throws -> Int {
    let scratch = try Scratch()
    let new = try EventLog.create(
      at: scratch.file("recovered.rollcall"), eventVersion: RecordReader.version)
    let summary = try LogRecovery.run(path, into: new)
    guard summary.salvage.firstBad == nil, summary.salvage.endIsKnown, summary.salvage.kept > 0,
      summary.notesAreWhole
    else { throw Trouble("not whole") }
    var hasher = StableHasher()
    _ = try LogExport(new).writeNative { hasher.add($0) }
    return hasher.value
  }
}

extension StableHasher {
  fileprivate mutating func add(_ value: JSONValue) { add(Array(value.text.utf8)) }
}

/// A kind of damage to a log.
enum Damage: Codable, Hashable, Sendable, CustomStringConvertible {
  case bit(offset: Int, UInt8)
  /// Bytes that replace others, such as a field of a meta page.
  case bytes(offset: Int, [UInt8])
  case swap(Int, Int)
  case copy(Int, to: Int)
  case zero(Int)
  case cut(Int)

  static let page = 4096

  func apply(to bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    func range(_ page: Int) -> Range<Int> { page * Self.page..<(page + 1) * Self.page }
    switch self {
    case .bit(let offset, let bit): bytes[offset] ^= bit
    case .bytes(let offset, let other):
      bytes.replaceSubrange(offset..<offset + other.count, with: other)
    case .swap(let one, let other):
      let kept = Array(bytes[range(one)])
      bytes.replaceSubrange(range(one), with: Array(bytes[range(other)]))
      bytes.replaceSubrange(range(other), with: kept)
    case .copy(let one, let other):
      bytes.replaceSubrange(range(other), with: Array(bytes[range(one)]))
    case .zero(let page):
      bytes.replaceSubrange(range(page), with: Array(repeating: 0, count: Self.page))
    case .cut(let count): bytes.removeLast(bytes.count - count)
    }
    return bytes
  }

  var description: String {
    switch self {
    case .bit(let offset, let bit): "bit \(bit) of byte \(offset) flipped"
    case .bytes(let offset, let bytes): "bytes from \(offset) on turned into \(bytes)"
    case .swap(let one, let other): "pages \(one) and \(other) swapped"
    case .copy(let one, let other): "page \(one) over \(other)"
    case .zero(let page): "page \(page) emptied"
    case .cut(let count): "cut to \(count) bytes"
    }
  }
}
