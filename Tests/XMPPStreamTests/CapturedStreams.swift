import Foundation
import Testing
import XMPPStanza
import XMPPStream

/// The bytes of the captured sessions, extracted from their logs in the simplest way.
struct CapturedStreams {
  let name: String
  let root: StreamRoot
  var bytes: [UInt8]

  /// Two streams for each connection that was recorded from the wire, and for each text log the
  /// lines of each direction, one after another.
  static func all() throws -> [CapturedStreams] {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Fixtures/captures")
    let names = try FileManager.default.contentsOfDirectory(
      atPath: folder.path(percentEncoded: false)
    ).sorted()
    var streams: [CapturedStreams] = []
    for name in names where !name.hasSuffix(".md") {
      let log = try Data(contentsOf: folder.appending(path: "\(name)/capture.log"))
      streams += try name.hasPrefix("raw") ? wire(name, log) : lines(name, log)
    }
    return streams
  }

  private static func wire(_ name: String, _ log: Data) throws -> [CapturedStreams] {
    struct Line: Decodable {
      let conn: Int
      let dir: String?
      let data: String?
      let data_b64: Data?
    }
    var streams: [String: CapturedStreams] = [:]
    var opened: [Int: Int] = [:]
    for text in log.split(separator: UInt8(ascii: "\n")) {
      let line = try JSONDecoder().decode(Line.self, from: text)
      guard let dir = line.dir else {
        opened[line.conn, default: 0] += 1
        continue
      }
      let key = "\(name) \(line.conn).\(opened[line.conn] ?? 0) \(dir)"
      let bytes = line.data_b64.map { [UInt8]($0) } ?? Array((line.data ?? "").utf8)
      streams[key, default: CapturedStreams(name: key, root: .wire, bytes: [])].bytes += bytes
    }
    return streams.values.sorted { $0.name < $1.name }
  }

  private static func lines(_ name: String, _ log: Data) throws -> [CapturedStreams] {
    let heads = ["RECV: <", "SEND: <", "SENT: <"]
    return heads.compactMap { head in
      var stream = CapturedStreams(name: "\(name) \(head)", root: .records, bytes: [])
      var isOpen = false
      for line in String(decoding: log, as: UTF8.self).split(
        separator: "\n", omittingEmptySubsequences: false)
      {
        if let range = line.range(of: head), !line.hasPrefix("2026-01-01"),
          !line.contains("<stream:stream:")
        {
          stream.bytes += "<".utf8
          stream.bytes += line[range.upperBound...].utf8
          isOpen = !line.hasSuffix(">")
        } else if isOpen {
          stream.bytes += line.utf8
          isOpen = !line.hasSuffix(">")
        } else {
          continue
        }
        stream.bytes += "\n".utf8
      }
      return stream.bytes.isEmpty ? nil : stream
    }
  }
}
