import Foundation
import TestSupport
import Testing

@testable import EventStore

/// Commits whose meta page could not be written: LMDB restores the page's former number and file
/// end, but not its former roots.
@Suite("Commits that LMDB reverted") struct RevertedCommitTests {
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
    "A log is sound, however far the next commit got before it failed as well",
    arguments: [1, 60, 600], [1, 60, 600])
  func twice(first: Int, second: Int) throws {
    do { _ = try EventLog.create(at: path, eventVersion: 1) }
    for _ in 0..<6 { try append(30, "a", bytes: 300) }
    let contents = try EventLog.open(at: path, access: .readOnly, eventVersion: 1).contents()
    let sound = try Data(contentsOf: url)
    let older = sound[144] < sound[4096 + 144] ? 0 : 4096
    try append(first, "b")
    var reverted = try Data(contentsOf: url)
    reverted.replaceSubrange(older + 136..<older + 152, with: sound[older + 136..<older + 152])
    try reverted.write(to: url)
    try append(second, "c")
    let written = try Data(contentsOf: url)
    // LMDB writes the pages in their order.
    for end in stride(from: 8192, through: written.count, by: 4096) {
      var bytes = reverted[..<8192] + written[8192..<end]
      if end < reverted.count { bytes += reverted[end...] }
      try bytes.write(to: url)
      #expect(try EventLog.pageDamage(at: path).isEmpty, "up to \(end)")
      do {
        let log = try EventLog.open(at: path, access: .readOnly, eventVersion: 1)
        #expect(try log.contents() == contents)
      }
      let salvage = try LogSalvage(path) { _, _ in true }
      var count = 0
      // The attempts may have been meant as the end of the log.
      #expect(try !salvage.forEachRecord { _ in count += 1 }.endIsKnown)
      #expect(count >= contents.count)
    }
    try append(1, "d")
    #expect(try EventLog.pageDamage(at: path).isEmpty)
  }
}
