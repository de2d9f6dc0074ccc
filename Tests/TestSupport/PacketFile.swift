package import Foundation

/// A small packet capture, written byte by byte: IPv4 and TCP between a client and a server.
package struct PacketFile {
  private var packets: [(time: UInt64, bytes: [UInt8])] = []
  /// The number of bytes that each side of a stream has sent.
  private var sent: [Int: (client: UInt32, server: UInt32)] = [:]
  /// The time in microseconds since 1970.
  private var time: UInt64 = 1_795_257_987_000_000

  package init() {}

  /// Adds bytes that one side of a stream sends.
  ///
  /// - Parameter stream: The number of the stream, which determines the client's port.
  package mutating func send(_ bytes: [UInt8], from isClient: Bool, on stream: Int = 0) {
    if sent[stream] == nil {
      sent[stream] = (1000, 5000)
      add([], true, stream, flags: 0x02)
      sent[stream]?.client += 1
      add([], false, stream, flags: 0x12)
      sent[stream]?.server += 1
    }
    add(bytes, isClient, stream, flags: 0x18)
    if isClient {
      sent[stream]?.client += UInt32(bytes.count)
    } else {
      sent[stream]?.server += UInt32(bytes.count)
    }
  }

  /// Adds a text that one side of a stream sends.
  package mutating func send(_ text: String, from isClient: Bool, on stream: Int = 0) {
    send(Array(text.utf8), from: isClient, on: stream)
  }

  private mutating func add(_ bytes: [UInt8], _ isClient: Bool, _ stream: Int, flags: UInt8) {
    let (client, server) = sent[stream] ?? (0, 0)
    let ports: [UInt16] = [UInt16(49_200 + stream), 5222]
    let hosts: [[UInt8]] = [[192, 168, 1, 2], [10, 0, 0, 1]]
    let order = isClient ? [0, 1] : [1, 0]
    let numbers = isClient ? [client, server] : [server, client]
    let tcp =
      order.flatMap { Self.big(ports[$0]) } + numbers.flatMap(Self.big)
      + [0x50, flags] + Self.big(UInt16.max) + [0, 0, 0, 0]
    let ip =
      [0x45, 0] + Self.big(UInt16(40 + bytes.count)) + [0, 0, 0, 0, 64, 6, 0, 0]
      + order.flatMap { hosts[$0] }
    time += 50_000
    packets.append((time, ip + tcp + bytes))
  }

  /// The packets in the format of tcpdump.
  package var pcap: Data {
    let head: [UInt32] = [0xA1B2_C3D4, 0x0004_0002, 0, 0, 65_535, 101]
    return Data(head.flatMap(Self.little))
      + packets.reduce(into: Data()) { file, packet in
        let count = UInt32(packet.bytes.count)
        let stamp = [UInt32(packet.time / 1_000_000), UInt32(packet.time % 1_000_000)]
        file += (stamp + [count, count]).flatMap(Self.little) + packet.bytes
      }
  }

  /// The packets in the format of Wireshark.
  package var pcapng: Data {
    func block(_ kind: UInt32, _ body: [UInt8]) -> [UInt8] {
      let padded = body + Array(repeating: 0, count: (4 - body.count % 4) % 4)
      let length = Self.little(UInt32(padded.count + 12))
      return Self.little(kind) + length + padded + length
    }
    let section = [0x1A2B_3C4D, 1, 0xFFFF_FFFF, 0xFFFF_FFFF].flatMap(Self.little)
    let file = Data(block(0x0A0D_0D0A, section) + block(1, [101, 65_535].flatMap(Self.little)))
    return packets.reduce(into: file) { file, packet in
      let count = UInt32(packet.bytes.count)
      let stamp = [UInt32(packet.time >> 32), UInt32(truncatingIfNeeded: packet.time)]
      file += Data(block(6, ([0] + stamp + [count, count]).flatMap(Self.little) + packet.bytes))
    }
  }

  private static func big(_ number: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { Array($0) }
  }

  private static func little(_ number: UInt32) -> [UInt8] {
    withUnsafeBytes(of: number.littleEndian) { Array($0) }
  }
}

/// A frame of a WebSocket (RFC 6455 §5.2), masked if the client sends it.
package func webSocketFrame(
  _ text: String, masked: Bool, opcode: UInt8 = 1, isLast: Bool = true, compressed: Bool = false
) -> [UInt8] {
  let bytes = Array(text.utf8)
  let first = opcode | (isLast ? 0x80 : 0) | (compressed ? 0x40 : 0)
  let bit: UInt8 = masked ? 0x80 : 0
  let length: [UInt8] =
    bytes.count < 126
    ? [bit | UInt8(bytes.count)]
    : bytes.count < 1 << 16
      ? [bit | 126, UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)]
      : [bit | 127] + (0..<8).map { UInt8(truncatingIfNeeded: bytes.count >> (56 - 8 * $0)) }
  guard masked else { return [first] + length + bytes }
  let mask: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]
  return [first] + length + mask + bytes.enumerated().map { $1 ^ mask[$0 % 4] }
}
