import Captures
import Foundation
import Testing
import TestSupport
import XMPPStanza

@testable import Captures

@Suite("WebSocket connections among packets")
struct WebSocketTests {
  private static let secret = "s3cr3t-cookie"
  private static let upgrade = """
    GET /ws?token=\(secret) HTTP/1.1\r\nHost: a.test\r\nCookie: id=\(secret)\r\n\
    Upgrade: websocket\r\nConnection: Upgrade\r\n\r\n
    """
  private static let switched = """
    HTTP/1.1 101 Switching Protocols\r\nSet-Cookie: id=\(secret)\r\nUpgrade: WebSocket\r\n\r\n
    """
  private static let framing = "xmlns='urn:ietf:params:xml:ns:xmpp-framing'"

  private struct Packet {
    let isClient: Bool
    let bytes: [UInt8]
  }

  /// Streams as tshark writes them.
  private static func yaml(_ streams: [[Packet]], isWhole: Bool = true) -> [UInt8] {
    var lines = isWhole ? [CaptureFormat.beginningOfStreams] : []
    for (place, packets) in streams.enumerated() {
      lines += ["peers:", "  - peer: 0", "    host: 10.0.0.1", "packets:"]
      for (number, packet) in packets.enumerated() {
        lines += [
          "  - packet: \(number + 1)", "    peer: \(packet.isClient ? 0 : 1)",
          "    timestamp: \(1_795_259_645 + number).\(place)00000000", "    data: !!binary |",
          "      " + Data(packet.bytes).base64EncodedString(),
        ]
      }
    }
    return Array((lines.joined(separator: "\n") + "\n").utf8)
  }

  private static func frame(_ text: String, _ isClient: Bool) -> Packet {
    Packet(isClient: isClient, bytes: webSocketFrame(text, masked: isClient))
  }

  private static func session(_ user: String) -> [Packet] {
    let long = String(repeating: "长", count: 30_000)
    return [
      Packet(isClient: true, bytes: Array(upgrade.utf8)),
      Packet(isClient: false, bytes: Array(switched.utf8)),
      frame("<open \(framing) to='a.test'/>", true),
      frame("<open \(framing) from='a.test' id='1'/>", false),
      frame(
        "<iq xmlns='jabber:client' type='result' id='b'>"
          + "<bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'><jid>\(user)@a.test/w</jid></bind></iq>",
        false),
      frame("<presence xmlns='jabber:client'/>", true),
      frame("<message xmlns='jabber:client' from='b@a.test'><body>\(long)</body></message>", false),
      frame("<close \(framing)/>", false),
    ]
  }

  @Test("Messages are unmasked, and the HTTP before them is dropped", arguments: [true, false])
  func messages(isWhole: Bool) throws {
    let bytes = Self.yaml([Self.session("alice")], isWhole: isWhole)
    #expect(CaptureFormat.detect(Array(bytes.prefix(64 << 10)))?.id == "wireshark")
    let reading = try read(bytes, "wireshark")
    #expect(reading.problems.isEmpty)
    #expect(reading.elements.map(\.first) == [">", "<", "<", ">", "<"])
    #expect(reading.elements.last?.utf8.count ?? 0 > 90_000)
    #expect(!String(describing: reading.outputs).contains(Self.secret))
    #expect(!String(describing: reading.outputs).contains("10.0.0.1"))
  }

  @Test("A frame in packets of one byte, and a message in frames, are complete")
  func pieces() throws {
    var packets = Array(Self.session("alice").prefix(5))
    let parts = [("<presence xmlns='jabber:", 1), ("client", 0), ("' to='b@a.test'/>", 0)]
    let split = parts.enumerated().flatMap { place, part in
      webSocketFrame(
        part.0, masked: true, opcode: UInt8(part.1), isLast: place == parts.count - 1)
        // A ping may come between the frames of a message.
        + (place == 0 ? webSocketFrame("x", masked: true, opcode: 9) : [])
    }
    packets.append(Packet(isClient: true, bytes: split))
    let cut = packets.flatMap { packet in
      packet.bytes.map { Packet(isClient: packet.isClient, bytes: [$0]) }
    }
    let reading = try read(Self.yaml([cut]), "wireshark")
    #expect(reading.problems.isEmpty)
    #expect(reading.elements.map(\.first) == [">", "<", "<", ">"])
    #expect(reading.elements.last?.contains("b@a.test") == true)
  }

  @Test("Streams are separate connections sorted by time, and others are left out")
  func severalStreams() throws {
    let other = [
      Packet(isClient: true, bytes: Array("SSH-2.0-x\r\n<a/><b>".utf8)),
      Packet(isClient: true, bytes: Array("GET / HTTP/1.1\r\nCookie: \(Self.secret)\r\n\r\n".utf8)),
    ]
    let reading = try read(
      Self.yaml([other, Self.session("alice"), other, Self.session("bob")]), "wireshark")
    #expect(reading.problems.isEmpty)
    #expect(Set(reading.records.map(\.connection)) == ["stream 1", "stream 2"])
    let times = reading.records.compactMap(\.time)
    #expect(times == times.sorted())
    #expect(times.count == 12)
    #expect(!String(describing: reading.outputs).contains(Self.secret))
  }

  @Test("Compressed messages and those without an end are reported")
  func unreadable() throws {
    var packets = Array(Self.session("alice").prefix(5))
    packets.append(
      Packet(isClient: true, bytes: webSocketFrame("xx", masked: true, compressed: true)))
    packets.append(Packet(isClient: false, bytes: [0x81, 127] + Array(repeating: 0xFF, count: 8)))
    packets.append(Packet(isClient: false, bytes: Array(repeating: 0x3C, count: 100_000)))
    let reading = try read(Self.yaml([packets]), "wireshark")
    #expect(reading.elements.count == 3)
    #expect(reading.problems.count == 1)
    #expect(reading.problems.first?.message.contains("compressed") == true)
  }
}
