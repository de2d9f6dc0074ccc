import Captures
import EventStore
import Foundation
import Rollcall
import RosterCore
import TestSupport
import Testing
import XMPPStanza
import XMPPStream

/// A capture in the native format is stored like its source.
struct NativeReadingTests {
  /// Every captured session and log in the fixtures.
  static let files: [String] = {
    let folders = ["captures", "logs"].map { CaptureCase.fixtures.appending(path: $0) }
    return folders.flatMap { folder in
      let names = try? FileManager.default.subpathsOfDirectory(
        atPath: folder.path(percentEncoded: false))
      return (names ?? []).sorted().map { folder.appending(path: $0).path(percentEncoded: false) }
    }.filter { !$0.hasSuffix(".json") && !$0.hasSuffix(".md") && isFile($0) }
  }()

  private static func isFile(_ path: String) -> Bool {
    var isFolder: ObjCBool = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
      && !isFolder.boolValue
  }

  private func records(
    _ bytes: [UInt8], _ format: CaptureFormat
  ) throws -> [CapturedRecord] {
    var found: [CapturedRecord] = []
    var reader = CaptureReader(format: format)
    func take(_ output: CaptureOutput) {
      if case .record(let record) = output { found.append(record) }
    }
    try reader.read(bytes, take)
    try reader.finish(take)
    return found
  }

  @Test("Errors of the system are reported in its words")
  func unreadableFile() throws {
    let folder = try TemporaryFolder()
    let handle = try FileHandle(forReadingFrom: URL(filePath: folder.path))
    let error = #expect(throws: ImportError.self) { try CaptureImport.head(of: handle) }
    #expect(error == .cannotBeRead(EISDIR))
    #expect(error?.description == "Is a directory")
  }

  @Test("The head of a pipe is complete however little arrives at a time")
  func pipeInPieces() throws {
    let pipe = Pipe()
    let bytes = (0..<700).map { UInt8(truncatingIfNeeded: $0) }
    let writer = Thread {
      for byte in bytes { pipe.fileHandleForWriting.write(Data([byte])) }
      try? pipe.fileHandleForWriting.close()
    }
    writer.start()
    #expect(try CaptureImport.head(of: pipe.fileHandleForReading) == bytes)
  }

  @Test("There are files to compare") func thereAreFiles() {
    #expect(Self.files.count > 30)
  }

  @Test("The records of a file equal those of its native capture", arguments: files)
  func storesTheSame(_ path: String) throws {
    let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
    guard let format = CaptureFormat.detect(Array(bytes.prefix(64 << 10))) else { return }
    var lines = Array("{\"rollcall-capture\":1}\n".utf8)
    var written: [CapturedRecord.Content] = []
    for record in try records(bytes, format) {
      written.append(record.content)
      let draft = RecordDraft(record)
      let bytes = draft.bytes.span.bytes
      let connection = NativeConnection(number: 1)
      if let direction = Direction(draft.direction) {
        NativeWriter.append(time: record.time, on: connection, direction, xml: bytes, to: &lines)
      } else {
        NativeWriter.append(time: record.time, on: connection, object: bytes, to: &lines)
      }
    }
    let native = try #require(CaptureFormat.named("native"))
    let again = try records(lines, native).dropFirst().map(\.content)
    #expect(again.count == written.count)
    for (one, other) in zip(again, written) { #expect(one == other) }
  }

  @Test(
    "Credentials are removed, wherever they are",
    arguments: [
      "<iq><x xmlns='urn:x'><y password='S3CRET'/></x></iq>",
      "<iq><x xmlns='urn:x'/><b><c><password>S3CRET</password></c></b></iq>",
      "<message><body>keep</body><x xmlns='urn:x'><field xmlns='jabber:x:data' type='text-private'>"
        + "<value>S3CRET</value></field></x></message>",
      "<iq type='set'><query xmlns='jabber:iq:register'><username>keep</username><pin>S3CRET</pin>"
        + "</query></iq>",
      "<iq type='set'><query xmlns='jabber:iq:auth'><digest>S3CRET</digest></query></iq>",
      "<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='PLAIN'>S3CRET</auth>",
      "<authenticate xmlns='urn:xmpp:sasl:2'><initial-response>S3CRET</initial-response>"
        + "<x xmlns='urn:x'>keep</x></authenticate>",
      "<success xmlns='urn:xmpp:sasl:2'><authorization-identifier>a@b.test/c</authorization-identifier>"
        + "<token xmlns='urn:xmpp:fast:0' token='S3CRET'/></success>",
      "<handshake xmlns='jabber:component:accept'>S3CRET</handshake>",
      "<handshake>S3CRET</handshake>",
      "<iq><slot xmlns='urn:xmpp:http:upload:0'><put><header name='Cookie'>S3CRET</header></put>"
        + "</slot></iq>",
      "<iq><upgrade xmlns='urn:x'><hash xmlns='urn:xmpp:scram-upgrade:0'>S3CRET</hash></upgrade></iq>",
    ])
  func noSecretIsStored(_ xml: String) throws {
    var lines = Array("{\"rollcall-capture\":1}\n".utf8)
    NativeWriter.append(
      time: 1, on: NativeConnection(number: 1), .outbound, xml: Array(xml.utf8).span.bytes,
      to: &lines)
    let native = try #require(CaptureFormat.named("native"))
    let stored = try #require(try records(lines, native).map { RecordDraft($0) }.last)
    #expect(!String(decoding: stored.bytes, as: UTF8.self).contains("S3CRET"))
    let kept = xml.components(separatedBy: "keep").count
    #expect(
      String(decoding: stored.bytes, as: UTF8.self).components(separatedBy: "keep").count == kept)
  }
}
