import Foundation
import TestSupport
import Testing

@testable import EventStore

/// Damage to one field of one of the two meta pages.
///
/// It is then unknown which page was written last, and only the newer page leads to the records of
/// the last transaction.
@Suite("Damaged meta pages") struct MetaPageTests {
  let folder: TemporaryFolder
  let path: String
  private let sound: Data
  private let contents: [Content]
  /// The offset of the last transaction's meta page, and that of the transaction before.
  private let newer: Int
  private let older: Int

  /// A field of a meta page: its offset in the page, and its size in bytes.
  struct Field: CustomTestStringConvertible {
    let name: String
    let offset: Int
    let size: Int
    var testDescription: String { name }
  }

  /// All fields that LMDB relies on; a change of any of them leads elsewhere or nowhere.
  static let fields: [Field] = {
    let own = [
      Field(name: "flags", offset: 10, size: 2), Field(name: "magic", offset: 16, size: 4),
      Field(name: "version", offset: 20, size: 4), Field(name: "page size", offset: 40, size: 4),
      Field(name: "last page", offset: 136, size: 8), Field(name: "number", offset: 144, size: 8),
    ]
    return own + tree("free pages", 40) + tree("databases", 88)
  }()

  private static func tree(_ name: String, _ start: Int) -> [Field] {
    let parts: [(String, Int, Int)] = [
      ("order", 4, 2), ("depth", 6, 2), ("branch pages", 8, 8), ("leaf pages", 16, 8),
      ("overflow pages", 24, 8), ("entries", 32, 8), ("root", 40, 8),
    ]
    return parts.map { part in
      Field(name: "\(part.0) of \(name)", offset: start + part.1, size: part.2)
    }
  }

  init() throws {
    folder = try TemporaryFolder()
    path = folder.file("a.rollcall")
    do {
      let log = try EventLog.create(at: path, eventVersion: 1)
      for batch in 0..<5 {
        try log.append(
          // The last transaction makes the file longer.
          (0..<8).map { number in
            let text = "record \(batch * 8 + number)"
            return draft(
              batch == 4 ? String(repeating: text, count: 2000) : text, event: [1],
              contacts: ["a@b"])
          },
          marks: LogMarks(connections: [UInt32(batch + 1): "device \(batch)"]))
      }
      contents = try log.contents()
    }
    sound = try Data(contentsOf: URL(filePath: path))
    // The transaction numbers are small and alternate between the two pages.
    (newer, older) = sound[144] > sound[4096 + 144] ? (0, 4096) : (4096, 0)
  }

  /// Possible damaged values of a field: zeros, ones, nearby values, and the other page's value.
  private func changes(of field: Field, at page: Int) -> [Data] {
    func bytes(_ page: Int) -> Data {
      Data(sound[page + field.offset..<page + field.offset + field.size])
    }
    var value: UInt64 = 0
    for byte in bytes(page).reversed() { value = value << 8 | UInt64(byte) }
    var numbers: [UInt64] = [0, .max, value &+ 1, value &- 1, value &+ 2, value &- 2]
    // Page sizes of other machines.
    if field.name == "page size" { numbers += (9...16).map { 1 << $0 } }
    var changes = [bytes(newer + older - page)]
    for number in numbers {
      var change = Data()
      for place in 0..<field.size {
        change.append(UInt8(truncatingIfNeeded: number >> (8 * place)))
      }
      changes.append(change)
    }
    return changes.filter { $0 != bytes(page) }
  }

  private func write(_ value: Data, _ field: Field, at page: Int) throws {
    var bytes = sound
    bytes.replaceSubrange(page + field.offset..<page + field.offset + field.size, with: value)
    try bytes.write(to: URL(filePath: path))
  }

  /// The content that is read from the log; nil if it is refused.
  private func read() throws -> [Content]? {
    do {
      return try EventLog.open(at: path, access: .readOnly, eventVersion: 1).contents()
    } catch is EventLogError {
      return nil
    }
  }

  /// Whether the damage is found, as by `verify`, before LMDB reads the file.
  private func isFound() throws -> Bool {
    do {
      return try !EventLog.pageDamage(at: path).isEmpty
    } catch is EventLogError {
      return true
    }
  }

  private func salvage() throws -> (texts: [[UInt8]], summary: SalvageSummary, notesAreWhole: Bool)
  {
    let salvage = try LogSalvage(path) { _, _ in true }
    var texts: [[UInt8]] = []
    let summary = try salvage.forEachRecord { texts.append($0.bytes) }
    return (texts, summary, salvage.notesAreWhole)
  }

  @Test(
    "Whatever a field of either page changes to, no older state is mistaken for the log",
    arguments: fields)
  func everyField(field: Field) throws {
    for page in [newer, older] {
      for value in changes(of: field, at: page) {
        try write(value, field, at: page)
        let what: Comment = "\(page == newer ? "newer" : "older") page, \(Array(value))"
        if let read = try read() { #expect(read == contents, what) }
        let isFound = try isFound()
        let (texts, summary, notesAreWhole) = try salvage()
        #expect(texts == contents.map(\.bytes), what)
        #expect(isFound || summary.endIsKnown, what)
        #expect(!summary.endIsKnown || summary.last == 40, what)
        if notesAreWhole {
          #expect(try LogSalvage(path) { _, _ in true }.connections.count == 5, what)
        }
      }
    }
  }

  @Test(
    "If the newer page cannot be read, its records are salvaged, and the end is unknown",
    arguments: ["flags", "magic", "version", "page size", "root of databases", "number"])
  func newerPage(name: String) throws {
    let field = try #require(Self.fields.first { $0.name == name })
    for value in changes(of: field, at: newer).suffix(6).prefix(2) {
      try write(value, field, at: newer)
      let read = try read()
      #expect(read == nil)
      // A log with one good meta page is damaged, not another kind of file.
      let error = #expect(throws: EventLogError.self) {
        try EventLog.open(at: path, access: .readOnly, eventVersion: 1)
      }
      #expect(
        error?.code == .damaged && error?.path != nil,
        "\(name), \(Array(value)): \(String(describing: error))")
      let (texts, summary, notesAreWhole) = try salvage()
      #expect(texts == contents.map(\.bytes))
      #expect(!summary.endIsKnown && !notesAreWhole)
      #expect(summary.whole == 40 && summary.lost.isEmpty && summary.unproven.isEmpty)
    }
  }

  @Test("A page whose number changed to that before the other's is found by its state")
  func numberOfTheStateBefore() throws {
    let field = try #require(Self.fields.first { $0.name == "number" })
    let number = sound[newer + 144]
    try write(Data([number - 2] + [UInt8](repeating: 0, count: 7)), field, at: newer)
    let read = try read()
    #expect(read == nil)
    #expect(try EventLog.pageDamage(at: path).map(\.database) == ["the meta pages"])
    #expect(try !salvage().summary.endIsKnown)
  }

  @Test("The second page is found if the first one gives a wrong page size", arguments: 12...16)
  func size(exponent: Int) throws {
    let size = 1 << exponent
    for other in MetaPage.sizes {
      var bytes = Data(count: 3 * size)
      for (page, said) in [(0, other), (1, size)] {
        var meta = Data(sound[page * 4096..<page * 4096 + 152])
        meta.replaceSubrange(40..<44, with: (0..<4).map { UInt8(said >> (8 * $0) & 0xFF) })
        meta.replaceSubrange(128..<136, with: [2, 0, 0, 0, 0, 0, 0, 0])
        bytes.replaceSubrange(page * size..<page * size + 152, with: meta)
      }
      bytes[2 * size] = 2
      try bytes.write(to: URL(filePath: path))
      #expect(try PageFile(path).pageSize == size, "not \(other)")
    }
  }

  @Test("A meta page from several transactions ago is not mistaken for a current one")
  func olderPage() throws {
    let log = try EventLog.create(at: folder.file("kept.rollcall"), eventVersion: 1)
    // LMDB reuses no page while a reader is open, so each state stays intact.
    let (hasBegun, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    Thread.detachNewThread {
      try? log.read { _ in
        hasBegun.signal()
        mayEnd.wait()
      }
    }
    defer { mayEnd.signal() }
    hasBegun.wait()
    var states: [Data] = []
    for number in 0..<8 {
      try log.append([draft("record \(number)")])
      states.append(try Data(contentsOf: URL(filePath: log.path)))
    }
    let last = try #require(states.last)
    let newer = last[144] > last[4096 + 144] ? 0 : 4096
    for state in states where state[newer + 144] + 2 < last[newer + 144] {
      var bytes = last
      bytes.replaceSubrange(newer..<newer + 152, with: state[newer..<newer + 152])
      try bytes.write(to: URL(filePath: path))
      #expect(try read() == nil)
      #expect(try isFound())
      #expect(try !salvage().summary.endIsKnown)
    }
  }

  @Test("Text in a record that looks like a meta page is not mistaken for one")
  func forged() throws {
    // With this wrong page size, the whole file would be misread.
    var meta = Array(sound[4096..<4096 + 152])
    meta.replaceSubrange(40..<44, with: [0, 2, 0, 0])
    var text = [UInt8](repeating: 32, count: 40 * 4096)
    let start = try bytes(ofLogWith: text).firstRange(of: Data(text))?.lowerBound
    let room = 4096 - (try #require(start)) % 4096
    for place in stride(from: room, to: text.count - 152, by: 4096) {
      text.replaceSubrange(place..<place + 152, with: meta)
    }
    let forged = try bytes(ofLogWith: text)
    // Offsets at which a file with larger pages has its second meta page.
    #expect([32768, 65536].contains { forged[$0..<$0 + 152].elementsEqual(meta) })
    for page in [0, 4096] {
      var bytes = forged
      bytes.replaceSubrange(page + 16..<page + 20, with: Data(count: 4))
      try bytes.write(to: URL(filePath: path))
      let (texts, summary, _) = try salvage()
      #expect(texts == [text] && !summary.endIsKnown)
    }
  }

  /// The bytes of a log's file with one record.
  private func bytes(ofLogWith text: [UInt8]) throws -> Data {
    let path = folder.file("forged.rollcall")
    defer { for end in ["", "-lock"] { try? FileManager.default.removeItem(atPath: path + end) } }
    let log = try EventLog.create(at: path, eventVersion: 1)
    try log.append([RecordDraft(time: nil, direction: .inbound, kind: stanza, bytes: text)])
    return try Data(contentsOf: URL(filePath: path))
  }
}
