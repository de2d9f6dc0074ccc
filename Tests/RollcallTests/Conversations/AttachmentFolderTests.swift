import ConversationCore
import Foundation
import TestSupport
import Testing

@testable import Rollcall

@Suite("Writing the pictures and recordings of a log into a folder")
struct AttachmentFolderTests {
  private let media = MediaBytes(Array("GIF89a\u{1}\0\u{1}\0".utf8))

  private func names(in folder: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false)).sorted()
  }

  private func mode(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  @Test("A file has its digest as its name, and only its owner can read it")
  func writing() throws {
    let temporary = try TemporaryFolder()
    let path = temporary.file("new")
    let folder = try AttachmentFolder(path)
    #expect(try folder.add(media) == .written)
    let file = "\(path)/\(media.sha256).gif"
    #expect(folder.path(of: media) == file)
    #expect(try Data(contentsOf: URL(filePath: file)).elementsEqual(media.bytes))
    #expect(try mode(file) == 0o600)
    #expect(try mode(path) == 0o700)
  }

  @Test("A file that is there already is kept")
  func present() throws {
    let temporary = try TemporaryFolder()
    let path = temporary.path
    #expect(try AttachmentFolder(path).add(media) == .written)
    #expect(try AttachmentFolder(path + "//").add(media) == .present)
    #expect(try temporary.names == [media.fileName])
  }

  @Test(
    "Another file of the name is left as it is", arguments: ["", "other", "GIF89b\u{1}\0\u{1}\0"])
  func other(content: String) throws {
    let temporary = try TemporaryFolder()
    let url = URL(filePath: temporary.path).appending(path: media.fileName)
    try Data(content.utf8).write(to: url)
    let folder = try AttachmentFolder(temporary.path)
    #expect(throws: AttachmentFolderError.other(folder.path(of: media))) { try folder.add(media) }
    #expect(try Data(contentsOf: url) == Data(content.utf8))
  }

  @Test(
    "A link of the name is not followed, whether its target exists or not",
    arguments: [true, false])
  func link(exists: Bool) throws {
    let temporary = try TemporaryFolder()
    let target = URL(filePath: temporary.path).appending(path: "target")
    if exists { try Data(media.bytes).write(to: target) }
    let inside = URL(filePath: temporary.path).appending(path: "inside")
    try FileManager.default.createDirectory(at: inside, withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(
      at: inside.appending(path: media.fileName), withDestinationURL: target)
    let folder = try AttachmentFolder(inside.path(percentEncoded: false))
    #expect(throws: AttachmentFolderError.other(folder.path(of: media))) { try folder.add(media) }
    #expect(FileManager.default.fileExists(atPath: target.path(percentEncoded: false)) == exists)
  }

  @Test("A pipe of the name does not make the program wait")
  func pipe() throws {
    let temporary = try TemporaryFolder()
    let path = temporary.path
    let folder = try AttachmentFolder(path)
    #expect(mkfifo(folder.path(of: media), 0o600) == 0)
    #expect(throws: AttachmentFolderError.other(folder.path(of: media))) { try folder.add(media) }
  }

  @Test("A link to a folder is refused, with a slash or not", arguments: ["", "/", "//"])
  func linkedFolder(slashes: String) throws {
    let temporary = try TemporaryFolder()
    let inside = URL(filePath: temporary.path).appending(path: "inside")
    try FileManager.default.createDirectory(at: inside, withIntermediateDirectories: false)
    let link = URL(filePath: temporary.path).appending(path: "link")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: inside)
    let path = link.path(percentEncoded: false)
    #expect(throws: AttachmentFolderError.link(path)) { try AttachmentFolder(path + slashes) }
    #expect(try names(in: inside).isEmpty)
  }

  @Test("A file in the place of the folder is refused, and so is a missing parent")
  func noFolder() throws {
    let temporary = try TemporaryFolder()
    let file = URL(filePath: temporary.path).appending(path: "file")
    try Data().write(to: file)
    for path in ["file", "missing/folder"] {
      let url = URL(filePath: temporary.path).appending(path: path)
      #expect(throws: AttachmentFolderError.self) {
        try AttachmentFolder(url.path(percentEncoded: false))
      }
    }
  }
}
