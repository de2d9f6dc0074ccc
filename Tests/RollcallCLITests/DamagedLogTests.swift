import Foundation
import TestSupport
import Testing

/// The answers of commands that read a damaged log.
@Suite("Damaged logs") struct DamagedLogTests {
  private let folder: TemporaryFolder
  private let bytes: Data
  private static let commands = [
    ["state", "a.rollcall", "--json"], ["replay", "a.rollcall"],
    ["diff", "a.rollcall", "3", "head", "--json"], ["sections", "a.rollcall", "--at", "17"],
    ["export", "a.rollcall"], ["log", "a.rollcall", "--json"], ["bookmark", "a.rollcall"],
  ]

  init() throws {
    folder = try TemporaryFolder()
    let capture = CaptureCase.fixtures.appending(path: "captures/raw-presence-first/capture.log")
      .path(percentEncoded: false)
    let run = try Program("import", capture, "-o", "a.rollcall", in: folder.path)
    #expect(run.code == 0)
    #expect(try Program("bookmark", "a.rollcall", "here", "3", in: folder.path).code == 0)
    bytes = try Data(contentsOf: URL(filePath: folder.file("a.rollcall")))
  }

  private func write(_ bytes: Data) throws {
    try? FileManager.default.removeItem(atPath: folder.file("a.rollcall-lock"))
    try bytes.write(to: URL(filePath: folder.file("a.rollcall")))
  }

  private func answers() throws -> [Program] {
    try Self.commands.map { try Program($0, in: folder.path) }
  }

  /// Expects the right answer or a refusal with advice; never a signal, and never another answer.
  private func check(_ right: [Program], _ what: Comment) throws {
    for (right, now) in zip(right, try answers()) {
      if now.code == right.code {
        #expect(now.output == right.output, what)
      } else {
        #expect(now.code == 2, what)
        // Without its first pages, a log looks like any file or any database.
        let says = ["rollcall verify", "not a Rollcall log"]
        #expect(says.contains(where: now.errors.contains), "\(what): \(now.errors)")
      }
    }
  }

  @Test(
    "Whatever bit changes, the answer is right or refused", arguments: 1...4 as ClosedRange<UInt64>)
  func flipped(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let right = try answers()
    #expect(right.allSatisfy { $0.code < 2 && !$0.output.isEmpty })
    for _ in 0..<6 {
      // Half of the changes are in the data that LMDB itself uses.
      let page = Int.random(in: 0..<bytes.count / 4096, using: &generator) * 4096
      let offset =
        page + Int.random(in: 0..<(Bool.random(using: &generator) ? 160 : 4096), using: &generator)
      let bit = UInt8(1) << UInt8.random(in: 0..<8, using: &generator)
      var changed = bytes
      changed[offset] ^= bit
      try write(changed)
      try check(right, "seed \(seed): bit \(bit) at \(offset)")
    }
  }

  @Test("Pages that are swapped, copied, emptied or cut off", arguments: 0..<4)
  func pages(kind: Int) throws {
    var generator = SeededGenerator(seed: UInt64(kind))
    let right = try answers()
    func page(_ number: Int) -> Range<Int> { number * 4096..<(number + 1) * 4096 }
    let count = bytes.count / 4096
    for _ in 0..<4 {
      let one = page(Int.random(in: 0..<count, using: &generator))
      let other = page(Int.random(in: 0..<count, using: &generator))
      var changed = bytes
      switch kind {
      case 0:
        changed.replaceSubrange(one, with: bytes[other])
        changed.replaceSubrange(other, with: bytes[one])
      case 1: changed.replaceSubrange(one, with: bytes[other])
      case 2: changed.replaceSubrange(one, with: Data(count: 4096))
      default:
        changed = changed.prefix(
          max(4096, one.lowerBound + Int.random(in: 0..<4096, using: &generator)))
      }
      try write(changed)
      try check(right, "kind \(kind): pages at \(one.lowerBound) and \(other.lowerBound)")
    }
  }

  @Test(
    "A signal that ends the reading process becomes a refusal", arguments: ["SEGV", "BUS", "ILL"])
  func signal(name: String) throws {
    // The parent of the shell is the reading process.
    let run = try Program(
      "bisect", "a.rollcall", "--run", "kill -\(name) $PPID", in: folder.path)
    #expect(run.code == 2)
    #expect(run.errors.contains("reading it ended by signal"), "\(run.errors)")
    #expect(run.errors.contains("rollcall verify"))
  }

  @Test("Nothing is added to a log whose pages are damaged")
  func writing() throws {
    // The root of the list of free pages, from which LMDB allocates pages.
    var changed = bytes
    changed[4096 + 16 + 24 + 40] ^= 4
    changed[16 + 24 + 40] ^= 4
    try write(changed)
    let run = try Program("bookmark", "a.rollcall", "here", "3", in: folder.path)
    #expect(run.code == 2)
    #expect(run.errors.contains("rollcall verify"), "\(run.errors)")
    #expect(try Data(contentsOf: URL(filePath: folder.file("a.rollcall"))) == changed)
  }
}
