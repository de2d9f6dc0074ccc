import CaptureGenerator
import EventStore
import Floors
import Foundation
import RosterCore

extension Floor {
  /// Parses the capture's stanzas with libxml2's SAX2.
  static let parse = Floor("libxml2 SAX2, empty callbacks") { subject in
    let capture = subject.capture
    return Trial(units: capture.ends.count) {
      let elements = floors_parse(capture.stanzas, capture.ends, capture.ends.count)
      return { try expect(elements == capture.elements, "\(elements) elements were parsed") }
    }
  }

  /// Stores the import's records, events and index entries with `mdb_put`, in equal batches.
  static let put = Floor("mdb_put of the same, in C") { try putting($0, derives: true) }

  /// Stores only the records, with `mdb_put`.
  static let putRecords = Floor("mdb_put of the records, in C") { try putting($0, derives: false) }

  private static func putting(_ subject: Case, derives: Bool) throws -> Trial {
    let records = try FlatRecords(subject.drafts())
    return Trial(units: records.all.count) {
      let path = subject.newPath()
      let code = floors_put(path, records.all, records.all.count, 1000, derives ? 1 : 0)
      return {
        try expect(code == 0, "LMDB's error \(code)")
        remove(path)
      }
    }
  }

  /// Imports the capture without digests, snapshots, limits, prepared addresses and packs.
  static let importing = Floor("the import, in C") { subject in
    let capture = try subject.captureFile()
    let items = subject.capture.final.items.count
    return Trial(units: subject.capture.ends.count) {
      let path = subject.newPath()
      var records: UInt64 = 0
      let found = floors_import(capture, path, &records)
      return { [records] in
        try expect(found == items, "\(found) items were left, not \(items)")
        try expect(records == subject.capture.records, "\(records) records were put")
        remove(path)
      }
    }
  }

  /// Reads all records with a cursor.
  static let scan = Floor("cursor scan, in C") { subject in
    let records = try FlatRecords(subject.drafts())
    let path = subject.newPath()
    try expect(floors_put(path, records.all, records.all.count, 1000, 0) == 0, "nothing was put")
    return Trial(units: records.all.count) {
      let bytes = floors_scan(path)
      return { try expect(bytes == records.byteCount, "\(bytes) bytes were read") }
    }
  }

  /// Reduces the import's events, made flat, into a hash map.
  static let reduce = Floor("hash map, in C") { subject in
    let events = FlatEvents(
      try subject.events().map { try RosterEvent(stored: $0.event.span.bytes) })
    let items = subject.capture.final.items.count
    return Trial(units: events.sources) {
      let found = floors_reduce(events.all, events.all.count)
      return { try expect(found == items, "\(found) items were left") }
    }
  }
}

func remove(_ path: String) {
  try? FileManager.default.removeItem(atPath: path)
  try? FileManager.default.removeItem(atPath: path + "-lock")
}

/// Memory for copies of bytes, with stable addresses while the arena exists.
final class Arena {
  private var pieces: [UnsafeMutableBufferPointer<UInt8>] = []
  private var used = 0
  private static let pieceBytes = 1 << 20

  func copy(_ bytes: some Collection<UInt8>) -> UnsafePointer<UInt8>? {
    if used + bytes.count > pieces.last?.count ?? 0 {
      pieces.append(.allocate(capacity: max(Self.pieceBytes, bytes.count)))
      used = 0
    }
    guard let piece = pieces.last else { return nil }
    let space = UnsafeMutableBufferPointer(rebasing: piece[used..<(used + bytes.count)])
    _ = space.initialize(from: bytes)
    used += bytes.count
    return piece.baseAddress.map { UnsafePointer($0 + used - bytes.count) }
  }

  deinit {
    for piece in pieces { piece.deallocate() }
  }
}

/// Records in the form of the floors in C.
final class FlatRecords {
  private(set) var all: [floors_record] = []
  private(set) var byteCount = 0
  private let arena = Arena()
  private var numbers: [UnsafeMutablePointer<UInt32>] = []

  init(_ drafts: [RecordDraft]) throws {
    var ids: [String: UInt32] = [:]
    for draft in drafts {
      guard let bytes = arena.copy(draft.bytes) else { continue }
      let contacts = UnsafeMutablePointer<UInt32>.allocate(capacity: max(1, draft.contacts.count))
      numbers.append(contacts)
      for (index, contact) in draft.contacts.enumerated() {
        let id = ids[contact] ?? UInt32(ids.count + 1)
        ids[contact] = id
        (contacts + index).initialize(to: id)
      }
      all.append(
        floors_record(
          bytes: bytes, event: draft.event.flatMap { arena.copy($0) }, contacts: contacts,
          byte_count: UInt32(draft.bytes.count), event_count: UInt32(draft.event?.count ?? 0),
          contact_count: UInt32(draft.contacts.count)))
      byteCount += draft.bytes.count
    }
  }

  deinit {
    for contacts in numbers { contacts.deallocate() }
  }
}
