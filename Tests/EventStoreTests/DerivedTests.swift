import EventStore
import Foundation
import TestSupport
import Testing

/// The stored events and the contact index, which can be discarded and rebuilt.
@Suite("The derived parts") struct DerivedTests {
  let folder: TemporaryFolder
  let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.file("a.rollcall")
  }

  /// The derived parts of a record in these tests, made up from its first byte and its length.
  private static func parts(of bytes: [UInt8]) -> DerivedParts {
    guard let first = bytes.first else { return DerivedParts(event: nil, contacts: []) }
    return DerivedParts(
      event: first % 3 == 0 ? nil : [first, UInt8(truncatingIfNeeded: bytes.count)],
      contacts: first % 4 == 0 ? [] : ["c\(first % 17)@example.test", "d\(first % 5).example.test"])
  }

  private static let contacts =
    (0..<17).map { "c\($0)@example.test" } + (0..<5).map { "d\($0).example.test" }

  private func drafts(_ count: Int, seed: UInt64) -> [RecordDraft] {
    var generator = SeededGenerator(seed: seed)
    return randomDrafts(count, using: &generator, bytes: 0...40).map { draft in
      var draft = draft
      let parts = Self.parts(of: draft.bytes)
      draft.event = parts.event
      draft.contacts = parts.contacts
      return draft
    }
  }

  @Test("The index answers as a scan would, whatever the batch size", arguments: [700, 9000])
  func indexAnswers(batch: Int) throws {
    let log = try EventLog.create(at: path, eventVersion: 1)
    let all = drafts(9000, seed: 5)
    var rest = all[...]
    while !rest.isEmpty {
      try log.append(rest.prefix(batch))
      rest = rest.dropFirst(batch)
    }
    for contact in Self.contacts + ["nobody@example.test"] {
      let expected = all.indices.filter { all[$0].contacts.contains(contact) }.map {
        UInt64($0) + 1
      }
      for range in [1...9000, 1...UInt64.max, 100...200, 4096...4097, 4000...8500, 9001...9002] {
        let found = try log.read { try $0.sequences(concerning: contact, in: range) }
        #expect(
          Array(Set(found)).sorted() == expected.filter(range.contains), "\(contact) in \(range)")
      }
    }
  }

  @Test("Contacts' names may have any length")
  func longNames() throws {
    let log = try EventLog.create(at: path, eventVersion: 1)
    let domain = String(repeating: "d", count: 1023)
    let names = [
      "", "a", String(repeating: "a", count: 510), String(repeating: "a", count: 511),
      String(repeating: "a", count: 512), String(repeating: "é", count: 511) + "@" + domain,
      String(repeating: "b", count: 1023) + "@" + domain,
    ]
    try log.append(names.map { draft("x", contacts: [$0]) })
    try log.append(names.map { draft("x", contacts: [$0, $0]) })
    for (number, name) in names.enumerated() {
      let found = try log.read { try $0.sequences(concerning: name, in: 1...100) }
      let (first, second) = (UInt64(number) + 1, UInt64(number + names.count) + 1)
      // A record that names a contact twice is found twice.
      #expect(Set(found) == [first, second] && found == found.sorted())
    }
  }

  @Test("Contacts' names are compared by their bytes")
  func nameBytes() throws {
    let log = try EventLog.create(at: path, eventVersion: 1)
    let composed = "\u{E9}@example.test"
    let decomposed = "e\u{301}@example.test"
    try log.append([draft("1", contacts: [composed]), draft("2", contacts: [decomposed])])
    #expect(try log.read { try $0.sequences(concerning: composed, in: 1...9) } == [1])
    #expect(try log.read { try $0.sequences(concerning: decomposed, in: 1...9) } == [2])
  }

  @Test("A refused batch leaves no contacts in the index")
  func refusedBatch() throws {
    let log = try EventLog.create(at: path, eventVersion: 1)
    #expect(throws: EventLogError.self) {
      try log.append([
        draft("1", contacts: ["a@example.test"]),
        draft("2", event: Array(repeating: 1, count: 64 << 20 + 1)),
      ])
    }
    try log.append([draft("1", contacts: ["b@example.test"])])
    try log.append([draft("2", contacts: ["a@example.test"])])
    #expect(try log.read { try $0.sequences(concerning: "a@example.test", in: 1...9) } == [2])
    #expect(try log.read { try $0.sequences(concerning: "b@example.test", in: 1...9) } == [1])
  }

  @Test("A rebuild reproduces the derived parts")
  func rebuild() throws {
    let log = try EventLog.create(at: path, eventVersion: 1)
    try log.append(drafts(5000, seed: 11))
    let before = try log.derived(contacts: Self.contacts)
    #expect(before.events.count > 1000)
    try log.rebuildDerived { Self.parts(of: $1.copied) }
    #expect(try log.derivedIsCurrent)
    #expect(try log.derived(contacts: Self.contacts) == before)
    try log.append(drafts(10, seed: 12))
    #expect(try log.damage().isEmpty)
  }

  @Test("A rebuild of an empty log makes it current")
  func emptyRebuild() throws {
    let log = try EventLog.create(at: path, eventVersion: 1)
    try log.rebuildDerived { _, _ in DerivedParts(event: [1], contacts: []) }
    #expect(try log.derivedIsCurrent)
  }

  @Test("A log of another version has to be rebuilt, but can be recorded to before that")
  func otherVersion() throws {
    do {
      let old = try EventLog.create(at: path, eventVersion: 1)
      try old.append([draft("1", event: [1], contacts: ["a@example.test"])])
    }
    let new = try EventLog.open(at: path, access: .readWrite, eventVersion: 2)
    #expect(try !new.derivedIsCurrent)
    #expect(try new.meta.eventVersion == 1)
    // Records appended before the rebuild are kept, but nothing is derived from them yet.
    try new.append([draft("2", event: [2], contacts: ["a@example.test"])])
    #expect(try new.meta.eventVersion == nil)
    #expect(try !new.derivedIsCurrent)
    #expect(try new.derived(contacts: []).events.map(\.bytes) == [[1]])
    try new.rebuildDerived { header, _ in
      DerivedParts(event: [10 + UInt8(header.sequence)], contacts: ["b@example.test"])
    }
    #expect(try new.derivedIsCurrent)
    let derived = try new.derived(contacts: ["a@example.test", "b@example.test"])
    #expect(derived.events.map(\.bytes) == [[11], [12]])
    #expect(derived.index == ["a@example.test": [], "b@example.test": [1, 2]])
  }

  @Test("A rebuild that failed still has to be done")
  func failedRebuild() throws {
    struct Failure: Error {}
    let log = try EventLog.create(at: path, eventVersion: 1)
    try log.append(drafts(4500, seed: 3))
    let before = try log.derived(contacts: Self.contacts)
    #expect(throws: Failure.self) {
      try log.rebuildDerived { header, bytes in
        if header.sequence == 4321 { throw Failure() }
        return Self.parts(of: bytes.copied)
      }
    }
    #expect(try !log.derivedIsCurrent)
    try log.append([draft("late", event: [1], contacts: [])])
    try log.rebuildDerived { header, bytes in
      header.sequence == 4501
        ? DerivedParts(event: nil, contacts: []) : Self.parts(of: bytes.copied)
    }
    #expect(try log.derived(contacts: Self.contacts) == before)
  }

  @Test("A log never looks truncated after rebuilds that free and reuse pages in any order")
  func manyRebuilds() throws {
    let log = try EventLog.create(at: path, eventVersion: 1)
    try log.append(drafts(3000, seed: 31))
    var generator = SeededGenerator(seed: 32)
    for round in 1...20 {
      let maxSize = [0, 10, 3000, 9000].randomElement(using: &generator) ?? 0
      try log.rebuildDerived { _, _ in
        let size = Int.random(in: 0...maxSize, using: &generator)
        return DerivedParts(
          event: size.isMultiple(of: 2) ? Array(repeating: 1, count: size) : nil, contacts: [])
      }
      #expect(try ProbeProcess.run(["read", path]).lines == ["last 3000"], "round \(round)")
    }
  }

  // MARK: Marks

  @Test("Marks are stored with the records")
  func marks() throws {
    let log = try EventLog.create(at: path, eventVersion: 1)
    let first = ImportedSource(digest: "aa", name: "one.log")
    let second = ImportedSource(digest: "bb", name: "zwei ü.log")
    try log.append([draft("1")], marks: LogMarks(account: "alice@example.test", imported: first))
    #expect(try log.append([], marks: LogMarks(imported: second)) == 2..<2)
    let meta = try EventLog.open(at: path, access: .readOnly, eventVersion: 1).meta
    #expect(meta.account == "alice@example.test")
    #expect(meta.imports == [first, second])
    #expect(try log.last == 1)
  }

  @Test("Marks are not stored if the records are refused")
  func refusedMarks() throws {
    let log = try EventLog.create(at: path, eventVersion: 1)
    let marks = LogMarks(
      account: "alice@example.test", imported: ImportedSource(digest: "aa", name: "one"))
    #expect(throws: EventLogError.self) {
      try log.append([draft("1", event: Array(repeating: 1, count: 64 << 20 + 1))], marks: marks)
    }
    #expect(try log.meta.account == nil)
    #expect(try log.meta.imports.isEmpty)
  }

  @Test("Records of another account are refused")
  func otherAccount() throws {
    let log = try EventLog.create(at: path, eventVersion: 1, account: "alice@example.test")
    #expect(
      throws: EventLogError.accountDiffers(
        recorded: "alice@example.test", given: "bob@example.test")
    ) { try log.append([draft("1")], marks: LogMarks(account: "bob@example.test")) }
    try log.append([draft("1")], marks: LogMarks(account: "alice@example.test"))
    #expect(try log.last == 1)
  }
}
