import RawBytes
import TestSupport
import Testing
import XMPPStanza

@testable import RosterCore

/// A text that fills most of the table as long as it is in use, and the event that ends its use.
private struct LongText: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let says: @Sendable (inout Scenario) -> Void
  let ends: @Sendable (inout Scenario) -> Void

  private static let text = String(repeating: "x", count: 1000)
  private static let status = "<status>\(text)</status>"
  private static let bob = "bob@example.test"

  static let all = [
    LongText(testDescription: "name") {
      $0.pushed(item(bob, "name='\(text)'"))
    } ends: {
      $0.pushed(item(bob))
    },
    LongText(testDescription: "group") {
      $0.pushed(item(bob, groups: [text]))
    } ends: {
      $0.pushed(item(bob))
    },
    LongText(testDescription: "resource") {
      $0.receives(from: "\(bob)/\(text)")
    } ends: {
      $0.receives("unavailable", from: "\(bob)/\(text)")
    },
    LongText(testDescription: "status of a further resource") {
      $0.receives(from: "\(bob)/desk")
      $0.receives(from: "\(bob)/phone", status)
    } ends: {
      $0.receives("unavailable", from: "\(bob)/phone")
    },
    LongText(testDescription: "status of the account's own") {
      $0.receives(from: "\(Scenario.account)/desk", status)
    } ends: {
      $0.receives("unavailable", from: "\(Scenario.account)/desk")
    },
    LongText(testDescription: "address") {
      $0.receives(from: "\(text)@example.test/desk")
    } ends: {
      $0.receives("unavailable", from: "\(text)@example.test/desk")
    },
  ]
}

@Suite("The table of contacts")
struct ContactTableTests {
  @Test(
    "A contact's resources behave like a dictionary by the bytes of their names",
    arguments: 0..<UInt64(20))
  func resourcesAreADictionary(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var roster = Roster()
    let jid = bare("bob@example.test")
    var model: [[UInt8]: RecordStamp] = [:]
    let names =
      ["", "phone", "Phone", "\u{E9}", "e\u{301}"] + (0..<seed % 3 * 20).map { "tablet \($0)" }
    for record in 1...UInt64(200) {
      let name = names[Int.random(in: names.indices, using: &random)]
      let note: Comment = "seed \(seed), step \(record)"
      let from = JID(prepared: jid, resource: name.isEmpty ? nil : name)
      let stamp = RecordStamp(record: record)
      let before: RecordStamp?
      let event: StanzaEvent
      if Int.random(in: 0..<5, using: &random) < (record < 100 ? 4 : 1) {
        before = model.updateValue(stamp, forKey: Array(name.utf8))
        event = .availableReceived(from: from, Availability())
      } else {
        // Presence from the bare address ends all of them.
        guard !name.isEmpty else { continue }
        before = model.removeValue(forKey: Array(name.utf8))
        event = .unavailableReceived(from: from)
      }
      let outcome = RosterReducer.reduce(&roster, .stanza(event), at: stamp)
      if case .presence(_, let was, _)? = outcome.changes.last?.values {
        #expect(was?.since == before, note)
      } else {
        #expect(before == nil, note)
      }
      let resources = roster.presence(of: jid).resources
      let keys = model.keys.sorted { $0.lexicographicallyPrecedes($1) }
      #expect(resources.keys.map { Array($0.utf8) } == keys, note)
      #expect(resources.map(\.value.since) == keys.map { model[$0] }, note)
      #expect(resources.count == model.count && resources["television"] == nil, note)
    }
  }

  @Test("A kept copy stays the same, whatever happens to the original")
  func copiesAreIndependent() {
    var array = ChunkedArray<Int>(chunkBits: 2)
    var copies: [(ChunkedArray<Int>, [Int])] = []
    var model: [Int] = []
    var random = SeededGenerator(seed: 7)
    for step in 0..<2_000 {
      if model.isEmpty || Int.random(in: 0..<3, using: &random) == 0 {
        array.append(step)
        model.append(step)
      } else {
        let place = Int.random(in: model.indices, using: &random)
        array[place] = step
        model[place] = step
      }
      if step.isMultiple(of: 50) { copies.append((array, model)) }
    }
    copies.append((array, model))
    for (copy, kept) in copies {
      #expect((0..<copy.count).map { copy[$0] } == kept)
    }
  }

  @Test("An array has its elements, and its copies are independent", arguments: 0..<20)
  func arrayOfElements(count: Int) {
    let elements = Array(0..<count)
    let array = ChunkedArray(elements, chunkBits: 2)
    var longer = array
    for step in 100..<110 { longer.append(step) }
    if count > 0 { longer[count - 1] = -1 }
    #expect(array.count == count && (0..<count).map { array[$0] } == elements)
    #expect(
      (0..<longer.count).map { longer[$0] }
        == elements.dropLast() + (count > 0 ? [-1] : []) + Array(100..<110))
  }

  @Test("Rows are stored as their bytes, each of which belongs to a field")
  func rowsHaveNoGaps() {
    let (short, long) = (MemoryLayout<UInt32>.size, MemoryLayout<UInt64>.size)
    #expect(MemoryLayout<ItemRow>.size == 2 * short + 6 * long + short)
    #expect(MemoryLayout<PresenceRow>.size == 3 * long + 4 * short + 4)
    #expect(
      MemoryLayout<ContactRow>.size
        == MemoryLayout<ItemRow>.size + MemoryLayout<PresenceRow>.size + 3 * short)
    // The widths take two bits of a number for each word.
    for size in [MemoryLayout<ContactRow>.size, MemoryLayout<PresenceRow>.size] {
      #expect((4...32).contains(size / short) && size.isMultiple(of: short))
    }
  }

  @Test("Rows with any differences are read as they were written", arguments: 0..<UInt64(20))
  func rowsAreReadAsTheyWere(seed: UInt64) throws {
    struct Row: BitwiseCopyable, Equatable {
      var a: UInt32 = 0, b: UInt32 = .max, c: UInt64 = 0, d: Int64 = -1, e: UInt32 = 0
    }
    var random = SeededGenerator(seed: seed)
    var rows: [Row] = []
    var row = Row()
    for _ in 0..<200 {
      if Bool.random(using: &random) { row.a &+= 1 }
      if Bool.random(using: &random) { row.b = .random(in: 0 ... .max, using: &random) }
      if Bool.random(using: &random) { row.c = .random(in: 0 ... .max, using: &random) }
      if Bool.random(using: &random) { row.d = .random(in: -1000...1000, using: &random) }
      if Bool.random(using: &random) { row.e = .random(in: 0...70_000, using: &random) }
      rows.append(row)
    }
    var output = CanonicalOutput()
    var writing = RowOutput(after: Row())
    for row in rows { writing.write(to: &output) { $0 = row } }
    func read(_ bytes: RawSpan) throws(CodecError) -> [Row] {
      var input = CanonicalInput(bytes)
      var reading = RowInput(after: Row())
      var rows: [Row] = []
      for _ in 0..<200 {
        var row = Row()
        try reading.read(from: &input, into: &row)
        rows.append(row)
      }
      return rows
    }
    let bytes = output.bytes.span.bytes
    let readBack = try read(bytes)
    #expect(readBack == rows, "seed \(seed)")
    for count in bytes.byteOffsets {
      if (try? read(bytes[0..<count])) != nil { Issue.record("seed \(seed): cut at \(count)") }
    }
    // A difference of a word beyond the row.
    let beyond = withUnsafeBytes(of: (UInt64(1) << 14).littleEndian) { Array($0) } + [2]
    #expect(throws: CodecError.invalid(offset: 8)) {
      var input = CanonicalInput(beyond.span.bytes)
      var reading = RowInput(after: Row())
      var row = Row()
      try reading.read(from: &input, into: &row)
    }
  }

  @Test(
    "A table is rebuilt before it is written if most of it is unused, and otherwise not",
    arguments: LongText.all)
  fileprivate func isCompactedWhereUnused(long: LongText) {
    var scenario = Scenario.alice(item("bob@example.test"))
    func isCompacted() -> Bool {
      scenario.roster.contacts.isWrittenBestCompacted(with: scenario.roster.ownPresence)
    }
    #expect(!isCompacted())
    long.says(&scenario)
    #expect(scenario.roster.contacts.textBytes > 1000)
    #expect(!isCompacted())
    long.ends(&scenario)
    #expect(isCompacted())
  }

  @Test("Each text has one number, and a text in two normal forms has two")
  func textsAreInternedByTheirBytes() {
    var table = TextTable()
    let texts =
      ["", "a", "\u{E9}", "e\u{301}", "longer than fifteen bytes"]
      + (0..<1_000).map { "text \($0)" }
    let early = table.copy()
    for (number, text) in texts.enumerated() {
      #expect(table.number(of: text) == nil)
      #expect(table.insert(text) == UInt32(number))
    }
    for (number, text) in texts.enumerated() {
      #expect(table.insert(text) == UInt32(number))
      #expect(table[UInt32(number)].hasSameBytes(as: text))
    }
    #expect(table.count == texts.count)
    #expect(early.count == 0 && early.number(of: "a") == nil)
  }

  @Test("A stored table keeps its numbers, and invalid tables are rejected")
  func keptTexts() {
    func table(_ text: String, _ ends: [UInt32]) -> TextTable? {
      let (bytes, ends) = (Array(text.utf8), ends.map(\.littleEndian))
      let list = TextList(ends: ends.span.bytes, bytes: bytes.span.bytes)
      return TextTable(list) { $0.isUTF8 }
    }
    func isTable(_ text: String, _ ends: [UInt32]) -> Bool { table(text, ends) != nil }

    guard var kept = table("boblunché", [3, 3, 8, 10]) else {
      Issue.record("it is not taken")
      return
    }
    var texts = (0..<4).map { kept[$0] }
    #expect(texts == ["bob", "", "lunch", "é"])
    var numbers = (kept.number(of: "lunch"), kept.number(of: "bo"))
    #expect(numbers == (2, nil))
    numbers = (kept.insert("é"), kept.insert("new"))
    #expect(numbers == (3, 4))
    for number in 0..<100 {
      let given = kept.insert("more \(number)")
      #expect(given == UInt32(5 + number))
    }
    texts = (3..<6).map { kept[$0] }
    #expect(texts == ["é", "new", "more 0"])
    #expect(table("", [])?.count == 0)

    #expect(!isTable("bob", [2]), "bytes are left over")
    #expect(!isTable("bob", [4]), "it ends after the bytes")
    #expect(!isTable("bob", [3, 2]), "it ends before it begins")
    #expect(!isTable("bobbob", [3, 6]), "it is there twice")
    #expect(!isTable("é", [1, 2]), "it is cut inside a character")
  }

  /// If many texts collide, each look-up examines all of them.
  @Test(
    "Similar texts have separate home slots",
    arguments: ["#", "Group #", "# of many groups", "contact#@example.test", "gr#up", "组#"])
  func homes(pattern: String) {
    let slots = 1 << 16
    for seed: UInt64 in [0, 1, 0x9E37_79B9_7F4A_7C15, .max] {
      let homes = Set(
        (0..<20_000).map { number in
          pattern.replacing("#", with: "\(number)").withUTF8Bytes {
            TextTable.home(of: $0.hash(from: seed), among: slots)
          }
        })
      #expect(homes.allSatisfy { (0..<slots).contains($0) })
      // With random hashes, about 17,200 of 20,000 are distinct.
      #expect(homes.count > 12_000, "seed \(seed): \(homes.count)")
    }
  }

  /// A stranger can send presence from ever new addresses, with ever new texts.
  @Test("Removed contacts and texts do not occupy memory permanently")
  func roomIsGivenBack() {
    var roster = Roster()
    var record: UInt64 = 0
    func take(_ event: StanzaEvent) {
      record += 1
      _ = RosterReducer.reduce(&roster, .stanza(event), at: RecordStamp(record: record))
    }
    let bob = address("bob@example.test/phone")
    take(.availableReceived(from: bob, Availability(status: "here")))
    for number in 0..<60_000 {
      let stranger = JID(prepared: bare("stranger\(number)@example.test"), resource: "x")
      take(.availableReceived(from: stranger, Availability(status: "words \(number)")))
      take(.unavailableReceived(from: stranger))
    }
    #expect(roster.shownPresences.keys == [bob.bare])
    #expect(roster.presence(of: bob.bare).best?.presence.availability.status == "here")
    #expect(roster.contacts.numbers.count { _ in true } < 20_000)
  }

  @Test("A roster that is kept on another thread stays the same")
  func keptRostersAreImmutable() async {
    var scenario = Scenario.alice(item("bob@example.test", "name='Bob' subscription='both'"))
    scenario.receives(from: "bob@example.test/pda", "<status>lunch</status>")
    let kept = scenario.roster
    let shown = ShownState(kept)
    let reader = Task.detached {
      // Reads while the other thread continues.
      (0..<200).allSatisfy { _ in ShownState(kept) == shown }
    }
    for number in 0..<500 {
      scenario.pushed(item("bob@example.test", "name='Bob \(number)'"))
      scenario.receives(from: "contact\(number)@example.test/x", "<status>\(number)</status>")
    }
    #expect(await reader.value)
    #expect(ShownState(kept) == shown)
  }
}
