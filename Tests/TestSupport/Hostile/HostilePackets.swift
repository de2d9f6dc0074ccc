import Foundation

// Streams as saved by Wireshark.
extension HostileCapture {
  static let packets: [HostileCapture] = [
    HostileCapture("packets", 1000) { size in
      yaml((0..<size).map { _ in Array("<presence from='b@example.test/x'/>".utf8) })
    },
    HostileCapture("packets of a byte", 5000) { size in
      yaml("<message><body>\(text("x", size))</body></message>".utf8.map { [$0] })
    },
    HostileCapture("a packet", 200_000) { size in
      yaml([Array("<message><body>\(text("x", size))</body></message>".utf8)])
    },
    HostileCapture("a WebSocket in packets of a byte", 5000) { size in
      yaml(socket("<message xmlns='jabber:client'><body>\(text("x", size))</body></message>"))
    },
    HostileCapture("frames without an end", 5000) { size in
      let frame = webSocketFrame("<a>", masked: false, isLast: false)
      return yaml(switched + (0..<size).map { _ in frame })
    },
    HostileCapture("a head of HTTP without an end", 50_000) { size in
      yaml("HTTP/1.1 101 \(text("x", size))".utf8.map { [$0] })
    },
    HostileCapture("streams", 500) { size in
      let lines = "# every stream of a capture of packets\n"
      let stream = yaml([Array("<presence from='b@example.test/x'/>".utf8)]) + [0x0A]
      return Array(lines.utf8) + (0..<size).flatMap { _ in stream }
    },
    HostileCapture("a dump of bytes", 200_000) { size in
      let bytes = Array((header + "<message><body>\(text("x", size))</body></message>").utf8)
      return stride(from: 0, to: bytes.count, by: 16).flatMap { offset in
        let digits = bytes[offset..<min(offset + 16, bytes.count)].map { hexadecimal($0) }
        return Array(
          "0000\(hexadecimal(0))\(hexadecimal(0))  \(digits.joined(separator: " "))\n".utf8)
      }
    },
  ]

  private static let switched = [Array("HTTP/1.1 101 x\r\nUpgrade: websocket\r\n\r\n".utf8)]

  /// A message in packets of one byte.
  private static func socket(_ text: String) -> [[UInt8]] {
    switched + webSocketFrame(text, masked: false).map { [$0] }
  }

  private static func hexadecimal(_ byte: UInt8) -> String {
    (byte < 16 ? "0" : "") + String(byte, radix: 16)
  }

  /// The packets of the server, after its header and the result of binding.
  private static func yaml(_ packets: [[UInt8]]) -> [UInt8] {
    var lines = ["peers:", "  - peer: 0", "packets:"]
    for (number, packet) in ([Array((header + bound("alice")).utf8)] + packets).enumerated() {
      lines += [
        "  - packet: \(number)", "    peer: 1", "    timestamp: \(1_795_259_645 + number).5",
        "    data: !!binary |", "      " + Data(packet).base64EncodedString(),
      ]
    }
    return Array(lines.joined(separator: "\n").utf8)
  }
}
