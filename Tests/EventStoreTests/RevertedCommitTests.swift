import Foundation
import TestSupport
import Testing

@testable import EventStore

/// A commit whose meta page could not be written: LMDB gives that page its former number and end of
/// the file again, but not its former roots.
@Suite("Commits that LMDB took back") struct TakenBackTests {
  let folder: TemporaryFolder
  let path: String
  private var url: URL { URL(filePath: path) }

  init() throws {
    folder = try TemporaryFolder()
    path = folder.file("a.rollcall")
  }

  private func append(_ count: Int, _ letter: String, bytes: Int = 40) throws {
    let log = try EventLog.open(at: path, access: .readWrite, eventVersion: 1)
    try log.append(
      (0..<count).map { _ in
        draft(String(repeating: letter, count: bytes), event: [1], contacts: ["a@b", letter])
      })
  }

  @Test(
    "A log is sound, however far the next attempt came before it failed as well",
    arguments: [1, 60, 600], [1, 60, 600])
  func twice(first: Int, second: Int) throws {
    do { _ = try EventLog.create(at: path, eventVersion: 1) }
    for _ in 0..<6 { try append(30, "a", bytes: 300) }
    let contents = try EventLog.open(at: path, access: .readOnly, eventVersion: 1).contents()
    let sound = try Data(contentsOf: url)
    let older = sound[144] < sound[4096 + 144] ? 0 : 4096
    try append(first, "b")
    var takenBack = try Data(contentsOf: url)
    takenBack.replaceSubrange(older + 136..<older + 152, with: sound[older + 136..<older + 152])
    try takenBack.write(to: url)
    try append(second, "c")
    let written = try Data(contentsOf: url)
    // What is written goes to the file in the order of its pages.
    for end in stride(from: 8192, through: written.count, by: 4096) {
      var bytes = takenBack[..<8192] + written[8192..<end]
      if end < takenBack.count { bytes += takenBack[end...] }
      try bytes.write(to: url)
      #expect(try EventLog.pageDamage(at: path).isEmpty, "up to \(end)")
      do {
        let log = try EventLog.open(at: path, access: .readOnly, eventVersion: 1)
        #expect(try log.contents() == contents)
      }
      let salvage = try LogSalvage(path) { _, _ in true }
      var count = 0
      // Nobody knows whether the attempts were to be the end of the log.
      #expect(try !salvage.forEachRecord { _ in count += 1 }.endIsKnown)
      #expect(count >= contents.count)
    }
    try append(1, "d")
    #expect(try EventLog.pageDamage(at: path).isEmpty)
  }
}
