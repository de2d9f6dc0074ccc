import Foundation
import Rollcall
import TestSupport
import Testing

/// A file that is read while a program writes it and something rotates it.
@Suite("The tail of a file") struct TailTests {
  private typealias File = TailDecision.File

  /// The open file has inode 1; another file with its name has 2.
  private static func file(_ inode: UInt64, _ size: UInt64) -> TailDecision.File {
    File(device: 7, inode: inode, size: size)
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let open: TailDecision.File
    var position: UInt64 = 10
    var keepsRead = true
    let named: TailDecision.File?
    let decision: TailDecision
  }

  @Test(
    "The next step follows from the state of the files",
    arguments: [
      Case(testDescription: "all was read", open: file(1, 10), named: file(1, 10), decision: .wait),
      Case(testDescription: "more came", open: file(1, 11), named: file(1, 11), decision: .read),
      Case(
        testDescription: "it was emptied", open: file(1, 0), named: file(1, 0), decision: .readAnew),
      Case(
        testDescription: "emptied, and some of it written again", open: file(1, 9),
        named: file(1, 9), decision: .readAnew),
      Case(
        testDescription: "emptied, and more than it had written again", open: file(1, 20),
        keepsRead: false, named: file(1, 20), decision: .readAnew),
      Case(
        testDescription: "renamed, and its program still writes it", open: file(1, 12),
        named: file(2, 5), decision: .read),
      Case(
        testDescription: "renamed, and nobody writes the new one yet", open: file(1, 10),
        named: file(2, 0), decision: .wait),
      Case(
        testDescription: "renamed, and its program writes the new one", open: file(1, 10),
        named: file(2, 5), decision: .change),
      Case(
        testDescription: "renamed, and there is no new one", open: file(1, 10), named: nil,
        decision: .wait),
      Case(
        testDescription: "the same number on another device is another file", open: file(1, 10),
        named: File(device: 8, inode: 1, size: 5), decision: .change),
      Case(
        testDescription: "nothing was read yet", open: file(1, 0), position: 0, named: file(1, 0),
        decision: .wait),
    ])
  func decides(_ test: Case) {
    let decision = TailDecision(
      open: test.open, position: test.position, keepsRead: test.keepsRead, named: test.named)
    #expect(decision == test.decision)
  }

  /// Reads everything that is available; a `|` marks where the file begins anew.
  private func drain(_ tail: FileTail) throws -> String {
    var text = ""
    while true {
      switch try tail.next() {
      case .bytes(let bytes): text += String(decoding: bytes, as: UTF8.self)
      case .beginsAnew: text += "|"
      case .nothing: return text
      }
    }
  }

  private func append(_ text: String, to path: String) throws {
    if !FileManager.default.fileExists(atPath: path) { try Data().write(to: URL(filePath: path)) }
    let file = try #require(FileHandle(forWritingAtPath: path))
    try file.seekToEnd()
    try file.write(contentsOf: Data(text.utf8))
  }

  private func tail(_ path: String) throws -> FileTail {
    FileTail(try FileHandle(forReadingFrom: URL(filePath: path)), path: path)
  }

  @Test("A renamed file is read to its end, and then the new one with its name")
  func renamed() throws {
    let folder = try TemporaryFolder()
    let (path, old) = (folder.file("a.log"), folder.file("a.log.1"))
    try append("one ", to: path)
    let tail = try tail(path)
    #expect(try drain(tail) == "one ")
    #expect(try drain(tail).isEmpty)
    try FileManager.default.moveItem(atPath: path, toPath: old)
    #expect(try drain(tail).isEmpty)
    try append("", to: path)
    try append("two ", to: old)
    #expect(try drain(tail) == "two ")
    try append("three", to: path)
    #expect(try drain(tail) == "|three")
    try append("four", to: path)
    #expect(try drain(tail) == "four")
  }

  @Test(
    "A truncated file is read from its beginning, even if it is longer than what was read",
    arguments: ["two", "a longer text than there was"])
  func emptied(_ next: String) throws {
    let folder = try TemporaryFolder()
    let path = folder.file("a.log")
    try append("the first text", to: path)
    let tail = try tail(path)
    #expect(try drain(tail) == "the first text")
    #expect(truncate(path, 0) == 0)
    try append(next, to: path)
    #expect(try drain(tail) == "|" + next)
  }
}
