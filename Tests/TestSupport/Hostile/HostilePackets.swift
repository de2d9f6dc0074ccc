import Foundation

// Streams as Wireshark saves them.
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
    HostileCapture("a dump of bytes", 200_000) { size in
      let bytes = Array((header + "<message><body>\(text("x", size))</body></message>").utf8)
      return stride(from: 0, to: bytes.count, by: 16).flatMap { place in
        let digits = bytes[place..<min(place + 16, bytes.count)].map { hexadecimal($0) }
        return Array(
          "0000\(hexadecimal(0))\(hexadecimal(0))  \(digits.joined(separator: " "))\n".utf8)
      }
    },
  ]

  private static func hexadecimal(_ byte: UInt8) -> String {
    (byte < 16 ? "0" : "") + String(byte, radix: 16)
  }

  /// What the server sent, after its header and the bind result.
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
