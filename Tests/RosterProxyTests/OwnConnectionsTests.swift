import NIOCore
@testable import RosterProxy
import Testing

@Suite("A proxy that connects to itself") struct OwnConnectionsTests {
  private func address(_ host: String, _ port: Int) throws -> SocketAddress {
    try SocketAddress(ipAddress: host, port: port)
  }

  @Test("Its connection is recognized whichever end is seen first", arguments: [false, true])
  func bothEnds(isAcceptedFirst: Bool) throws {
    var own = OwnConnections()
    let (client, listener) = (try address("127.0.0.1", 40_001), try address("127.0.0.1", 5222))
    let outer = try address("127.0.0.1", 40_000)
    #expect(own.accepted(1, from: outer, at: listener) == nil)
    if isAcceptedFirst {
      #expect(own.accepted(2, from: client, at: listener) == nil)
      #expect(own.connected(1, from: client, to: listener) == 2)
    } else {
      #expect(own.connected(1, from: client, to: listener) == nil)
      #expect(own.accepted(2, from: client, at: listener) == 1)
    }
    // Ended connections are forgotten.
    own.ended(1)
    own.ended(2)
    #expect(own.accepted(3, from: client, at: listener) == nil)
  }

  @Test("A client with the same port as a connection to another place is a client")
  func samePort() throws {
    var own = OwnConnections()
    let (port, listener) = (try address("127.0.0.1", 40_001), try address("127.0.0.1", 5222))
    #expect(own.connected(1, from: port, to: try address("127.0.0.1", 15_222)) == nil)
    #expect(own.accepted(2, from: port, at: listener) == nil)
    #expect(own.connected(3, from: try address("127.0.0.1", 40_002), to: listener) == nil)
  }

  @Test("An IPv4-mapped IPv6 address equals the IPv4 address")
  func mapped() throws {
    var own = OwnConnections()
    #expect(
      own.connected(
        1, from: try address("192.0.2.1", 40_001), to: try address("192.0.2.1", 5222)) == nil)
    #expect(
      own.accepted(
        2, from: try address("::ffff:192.0.2.1", 40_001), at: try address("::ffff:192.0.2.1", 5222))
        == 1)
    #expect(try address("::1", 1).endpoint?.isLoopback == true)
    #expect(try address("::ffff:127.0.0.1", 1).endpoint?.isLoopback == true)
    #expect(try address("::ffff:192.0.2.1", 1).endpoint?.isLoopback == false)
  }

  @Test("Both ends are informed, and the client in its stream")
  func told() {
    var first = ProxyTalk()
    _ = first.say(ProxyTalk.header(), .client)
    let done = first.happen { $0.ledToItself(by: "127.0.0.1:5222") }
    #expect(done.contains { $0.contains("<remote-connection-failed") })
    #expect(done.last == "over: \(ProxyFailure.ledToItself("127.0.0.1:5222"))")
    var second = ProxyTalk()
    #expect(
      second.happen { $0.ledToItself(by: "127.0.0.1:5222") }
        == ["over: \(ProxyFailure.ledToItself("127.0.0.1:5222"))"])
    var direct = ProxyTalk()
    _ = direct.happen { $0.helloReceived(for: "example.test") }
    #expect(direct.happen { $0.ledToItself(by: "127.0.0.1:5222") }.count == 1)
    // Data of its own may already be on its way.
    var begun = ProxyTalk()
    _ = begun.say(ProxyTalk.header(), .client)
    _ = begun.happen { $0.connected(to: "127.0.0.1:5222") }
    let late = begun.happen { $0.ledToItself(by: "127.0.0.1:5222") }
    #expect(late.contains { $0.contains("<remote-connection-failed") })
    #expect(late.last?.hasPrefix("over") == true)
  }
}
