import Foundation
import TestSupport
import Testing

/// tcpflow writes a file for each direction of each connection, named after both ends.
@Suite("Folders written by tcpflow") struct TCPFlowTests {
  private static let server = "010.000.000.001.05222"

  /// A folder with the connections of several captures, with file names like tcpflow's.
  private func flows(_ names: [String]) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    let flows = URL(filePath: folder.file("flows"))
    try FileManager.default.createDirectory(at: flows, withIntermediateDirectories: true)
    for (number, name) in names.enumerated() {
      let capture = try #require(CaptureCase.all.first { $0.name == name })
      let export = try Program(
        "export", capture.path, "--format", "xml", "-o", "x", in: folder.path)
      #expect(export.code == 0, "\(export.errors)")
      let client = "192.168.001.002.\(49_152 + number)"
      for (file, flow) in [
        ("x.out.xml", "\(client)-\(Self.server)"), ("x.in.xml", "\(Self.server)-\(client)"),
      ] {
        try FileManager.default.moveItem(
          at: URL(filePath: folder.file(file)), to: flows.appending(path: flow))
      }
    }
    return folder
  }

  @Test("The two directions of each connection are paired by their names")
  func pairs() throws {
    let names = ["slixmpp-add-accept", "slixmpp-delete"]
    let folder = try flows(names)
    for name in names {
      let capture = try #require(CaptureCase.all.first { $0.name == name })
      let state = try Program(
        "state", "flows", "--account", capture.account, "--json", in: folder.path)
      #expect(state.code == 0, "\(state.errors)")
      let items = try state.document["items"] as? [NSDictionary] ?? []
      #expect(
        Set(items.compactMap { $0["jid"] as? String }) == Set(capture.expected.items.map(\.jid)))
    }
    let undecided = try Program("state", "flows", in: folder.path)
    #expect(undecided.code == 2)
    #expect(undecided.errors.contains("--account"))
  }

  @Test("Streams of accounts that were not requested are skipped")
  func others() throws {
    let folder = try flows(["slixmpp-add-accept"])
    let capture = try #require(CaptureCase.all.first { $0.name == "slixmpp-add-accept" })
    let head =
      "<stream:stream to='a.test' xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>"
    let client = "192.168.001.002.49200"
    try Data("\(head)<presence/>".utf8).write(
      to: URL(filePath: folder.file("flows/\(client)-\(Self.server)")))
    try Data(head.replacing("to=", with: "id='1' from=").utf8).write(
      to: URL(filePath: folder.file("flows/\(Self.server)-\(client)")))
    let state = try Program(
      "state", "flows", "--account", capture.account, "--json", in: folder.path)
    #expect(state.code == 0, "\(state.errors)")
    #expect(state.errors.contains("skipped"))
    #expect((try state.document["connections"] as? [Any])?.count == 1)
  }
}
