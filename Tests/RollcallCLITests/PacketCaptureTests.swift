import Foundation
import TestSupport
import Testing

@Suite("Packet captures read by tshark") struct PacketCaptureTests {
  static let hasTool = ["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"].contains {
    FileManager.default.isExecutableFile(atPath: "\($0)/tshark")
  }
  /// The value that is planted wherever a secret can be.
  private static let secret = "tr0ub4dor"
  private static let header = """
    <?xml version='1.0'?><stream:stream xmlns='jabber:client' \
    xmlns:stream='http://etherx.jabber.org/streams' version='1.0'
    """
  private static let fixtures = CaptureCase.fixtures.appending(path: "packets")

  /// The stanzas of both sides, from the login to the roster.
  private static func session(_ user: String) -> [(isClient: Bool, xml: String)] {
    let sasl = "xmlns='urn:ietf:params:xml:ns:xmpp-sasl'"
    let plain = Data("\0\(user)\0\(secret)".utf8).base64EncodedString()
    return [
      (true, "<auth \(sasl) mechanism='PLAIN'>\(plain)</auth>"), (false, "<success \(sasl)/>"),
      (true, "<iq type='set' id='b'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/></iq>"),
      (
        false,
        "<iq type='result' id='b'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'>"
          + "<jid>\(user)@a.test/pc</jid></bind></iq>"
      ),
      (true, "<iq type='get' id='r'><query xmlns='jabber:iq:roster'/></iq>"),
      (
        false,
        "<iq type='result' id='r' to='\(user)@a.test/pc'><query xmlns='jabber:iq:roster'>"
          + "<item jid='friend-of-\(user)@a.test' name='好友' subscription='both'/></query></iq>"
      ),
      (true, "<presence/>"),
    ]
  }

  private static func plain(_ users: [String]) -> PacketFile {
    var file = PacketFile()
    for (stream, user) in users.enumerated() {
      file.send("\(header) to='a.test'>", from: true, on: stream)
      file.send("\(header) from='a.test' id='\(stream)'>", from: false, on: stream)
      for (isClient, xml) in session(user) {
        // A stanza may be cut anywhere.
        let bytes = Array(xml.utf8)
        let middle = bytes.count * 2 / 3
        file.send(Array(bytes[..<middle]), from: isClient, on: stream)
        file.send(Array(bytes[middle...]), from: isClient, on: stream)
      }
    }
    return file
  }

  private static func webSocket(_ user: String) -> PacketFile {
    var file = PacketFile()
    let cookie = "Cookie: id=\(secret)\r\nAuthorization: Bearer \(secret)"
    file.send(
      "GET /ws?token=\(secret) HTTP/1.1\r\nHost: a.test\r\n\(cookie)\r\nUpgrade: websocket\r\n"
        + "Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        + "Sec-WebSocket-Protocol: xmpp\r\nSec-WebSocket-Version: 13\r\n\r\n", from: true)
    file.send(
      "HTTP/1.1 101 Switching Protocols\r\nSet-Cookie: id=\(secret)\r\nUpgrade: websocket\r\n"
        + "Connection: Upgrade\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"
        + "Sec-WebSocket-Protocol: xmpp\r\n\r\n", from: false)
    let framing = "xmlns='urn:ietf:params:xml:ns:xmpp-framing'"
    let opening = [
      (isClient: true, xml: "<open \(framing) to='a.test'/>"),
      (isClient: false, xml: "<open \(framing) from='a.test' id='1'/>"),
    ]
    for (isClient, xml) in opening + session(user) {
      let end = xml.firstIndex { " />".contains($0) } ?? xml.endIndex
      let named =
        xml.contains(framing) || xml.contains("sasl'")
        ? xml : xml[..<end] + " xmlns='jabber:client'" + xml[end...]
      file.send(webSocketFrame(String(named), masked: isClient), from: isClient)
    }
    return file
  }

  private func folder(_ files: [String: Data]) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    for (name, data) in files { try data.write(to: URL(filePath: folder.file(name))) }
    return folder
  }

  private func items(_ document: NSDictionary) -> [String] {
    (document["items"] as? [NSDictionary] ?? []).compactMap { $0["jid"] as? String }
  }

  @Test(
    "A session gives its roster, from pcap and pcapng, over TCP and WebSocket",
    .enabled(if: hasTool))
  func sessions() throws {
    let files = [Self.plain(["alice"]), Self.webSocket("alice")]
    let data = files.flatMap { [$0.pcap, $0.pcapng] }
    for bytes in data {
      let folder = try folder(["x y.pcap": bytes])
      let state = try Program("state", "x y.pcap", "--json", in: folder.path)
      #expect(state.code == 0, "\(state.errors)")
      #expect(try state.document["account"] as? String == "alice@a.test")
      #expect(try items(state.document) == ["friend-of-alice@a.test"])
      let log = try Program("log", "x y.pcap", "--jsonl", in: folder.path)
      #expect(log.output.contains("2026-11-21T"), "\(log.output)")
    }
  }

  @Test("All streams are read, and the account selects among them", .enabled(if: hasTool))
  func severalStreams() throws {
    let folder = try folder(["x.pcap": Self.plain(["alice", "bob", "carol"]).pcap])
    let undecided = try Program("state", "x.pcap", in: folder.path)
    #expect(undecided.code == 2)
    #expect(undecided.errors.contains("--account"))
    let state = try Program("state", "x.pcap", "--account", "bob@a.test", "--json", in: folder.path)
    #expect(try items(state.document) == ["friend-of-bob@a.test"])
    #expect(try (state.document["connections"] as? [Any])?.count == 1)
  }

  @Test(
    "Encrypted streams are read with their keys, and reported without", .enabled(if: hasTool),
    arguments: ["starttls", "direct"])
  func encrypted(_ name: String) throws {
    let path = Self.fixtures.appending(path: "\(name).pcap").path
    let keys = Self.fixtures.appending(path: "\(name).keys").path
    let folder = try folder([:])
    let state = try Program("state", path, "--keylog", keys, "--json", in: folder.path)
    #expect(state.code == 0, "\(state.errors)")
    #expect(try items(state.document) == ["bob@example.test"])
    let refused = try Program("state", path, in: folder.path)
    #expect(refused.code == 2 && refused.output.isEmpty)
    #expect(refused.errors.contains("--keylog"), "\(refused.errors)")
    let absent = try Program("state", path, "--keylog", "no-such.keys", in: folder.path)
    #expect(absent.code == 2)
    #expect(absent.errors.contains("no-such.keys"), "\(absent.errors)")
  }

  @Test("No secret of the carrier or the session is stored or printed", .enabled(if: hasTool))
  func secrets() throws {
    let folder = try folder([
      "plain.pcap": Self.plain(["alice"]).pcap, "socket.pcap": Self.webSocket("alice").pcap,
      "tls.pcap": try Data(contentsOf: Self.fixtures.appending(path: "starttls.pcap")),
    ])
    let keys = Self.fixtures.appending(path: "starttls.keys")
    let keyLog = try String(contentsOf: keys, encoding: .utf8)
    // The password and its Base64, and each key.
    let planted =
      [Self.secret, "dHIwdWI0ZG9y", "10.0.0.1", "192.168.1.2"]
      + keyLog.split(whereSeparator: \.isWhitespace).filter { $0.count > 40 }.map(String.init)
    for name in ["plain", "socket", "tls"] {
      let imported = try Program(
        "import", "\(name).pcap", "--keylog", keys.path, "-o", "\(name).rollcall", in: folder.path)
      #expect(imported.code == 0, "\(imported.errors)")
      let log = try Data(contentsOf: URL(filePath: folder.file("\(name).rollcall")))
      let printed = try ["state", "log", "replay", "connections", "export"].map { command in
        let answer = try Program(command, "\(name).rollcall", in: folder.path)
        return answer.output + answer.errors
      }
      for secret in planted {
        #expect(log.range(of: Data(secret.utf8)) == nil, "\(name): \(secret)")
        #expect(!(printed + [imported.output, imported.errors]).joined().contains(secret))
      }
    }
  }

  @Test("Without tshark, the error says what to do")
  func missing() throws {
    let folder = try folder(["x.pcap": Self.plain(["alice"]).pcap])
    let refused = try Program(
      shell: "printf '#!/bin/sh\nexit 0\n' > tshark; chmod +x tshark; "
        + "PATH=.:/nonexistent \"$ROLLCALL\" state x.pcap", in: folder.path)
    #expect(refused.code == 2)
    for part in ["install the package tshark", "tshark -q -r FILE -z follow,tcp,yaml,0"] {
      #expect(refused.errors.contains(part), "\(refused.errors)")
    }
  }

  @Test("A truncated file is read as far as possible, with a note", .enabled(if: hasTool))
  func cut() throws {
    let whole = Self.plain(["alice"]).pcap
    let folder = try folder(["x.pcap": whole.dropLast(10), "noise.pcap": whole.prefix(30)])
    let state = try Program("state", "x.pcap", "--json", in: folder.path)
    #expect(state.code == 0)
    #expect(state.errors.contains("cut short"), "\(state.errors)")
    #expect(try items(state.document) == ["friend-of-alice@a.test"])
    let noise = try Program("state", "noise.pcap", in: folder.path)
    #expect(noise.code == 2)
    let pipe = try Program(shell: "cat x.pcap | \"$ROLLCALL\" state -", in: folder.path)
    #expect(pipe.code == 2)
    #expect(pipe.errors.contains("name its file"), "\(pipe.errors)")
  }

  @Test("A tool that never ends is killed with its reader, however much it writes")
  func endless() throws {
    let folder = try folder(["x.pcap": Self.plain(["alice"]).pcap])
    // Lists one stream, then writes endless bytes that are not a stream.
    let script = """
      #!/bin/sh
      case "$*" in *fields*) printf '0\\tip:tcp:xmpp\\n'; exit 0;; esac
      echo $$ > \(folder.file("pid"))
      exec cat /dev/zero

      """
    try FileManager.default.createDirectory(
      atPath: folder.file("bin"), withIntermediateDirectories: true)
    try script.write(toFile: folder.file("bin/tshark"), atomically: true, encoding: .utf8)
    let refused = try Program(
      shell: "chmod +x bin/tshark; PATH=$PWD/bin:$PATH; \"$ROLLCALL\" log x.pcap | head -c 10; "
        + "sleep 1; kill -0 $(cat pid) 2> /dev/null && echo runs", in: folder.path)
    #expect(!refused.output.contains("runs"), "\(refused.output)")
  }
}
