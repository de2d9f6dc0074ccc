import Captures
import EventStore
import Foundation
import Rollcall
import RosterCore

/// The content of a log.
enum Finding: Hashable, Codable, Sendable, CustomStringConvertible {
  case absent
  /// Sound, with this content; `verify` finds nothing wrong.
  case sound(Contents)
  case damaged(String)

  var description: String {
    switch self {
    case .absent: "no log"
    case .sound(let contents): "\(contents.records) records"
    case .damaged(let what): "damaged: \(what)"
    }
  }
}

/// Everything in the records of a log.
struct Contents: Hashable, Codable, Sendable {
  /// The number of records.
  let records: Int
  /// A digest of the records and of the state after the last one.
  let digest: Int
}

enum Judge {
  /// Checks a log as `verify` does, in this process. A log on which LMDB could crash is found to be
  /// damaged before LMDB reads it.
  static func look(at path: String) -> Finding {
    guard FileManager.default.fileExists(atPath: path) else { return .absent }
    do {
      var damage: [String] = []
      try LogVerification.run(path) { step in
        if case .found(let found) = step {
          damage.append("\(found.part) \(found.record ?? 0): \(found.what)")
        }
      }
      guard damage.isEmpty else { return .damaged(damage.joined(separator: "; ")) }
      return .sound(try contents(of: path))
    } catch {
      return .damaged("\(error)")
    }
  }

  static func contents(of path: String) throws -> Contents {
    let log = try EventLog.open(
      at: path, access: .readOnly, eventVersion: RecordReader.version)
    var hasher = StableHasher()
    var records = 0
    try log.forEachRecord(in: 1...UInt64.max) { header, bytes in
      records += 1
      hasher.add(Array("\(header.direction) \(header.kind) \(header.connection)".utf8))
      bytes.withUnsafeBytes { hasher.add($0) }
    }
    let state = try Timeline(log).state(at: .head(minus: 0))
    hasher.add(Array(JSONValue(state).text.utf8))
    return Contents(records: records, digest: hasher.value)
  }

  /// Whether the log can be continued: appends a record and checks that the log is still sound.
  static func continued(_ path: String) -> Finding {
    do {
      let before = try contents(of: path).records
      do {
        let log = try EventLog.open(
          at: path, access: .readWrite, eventVersion: RecordReader.version)
        try log.bringUpToDate()
        try log.append([Bookmark(name: "after", back: 1).draft])
      }
      let after = look(at: path)
      guard case .sound(let contents) = after, contents.records == before + 1 else {
        return .damaged("after one more record: \(after)")
      }
      return after
    } catch {
      return .damaged("one more record cannot be appended: \(error)")
    }
  }
}

/// FNV-1a, which gives the same result in every process.
struct StableHasher {
  private var state: UInt64 = 0xCBF2_9CE4_8422_2325

  mutating func add(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { state = (state ^ UInt64(byte)) &* 0x100_0000_01B3 }
    // Separates this piece from the next one.
    state = (state ^ 0xFF00) &* 0x100_0000_01B3
  }

  var value: Int { Int(truncatingIfNeeded: state) }
}
