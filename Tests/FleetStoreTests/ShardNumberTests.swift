import FleetStore
import Testing
import XMPPStanza

@Suite("The shard of an account") struct ShardNumberTests {
  // printf %s ADDRESS | sha256sum | cut -c1-2
  @Test(
    "It is the first byte of the digest of the address",
    arguments: [("alice@example.test", 0x69), ("bob@example.test", 0x25)])
  func digest(_ address: String, _ expected: UInt8) throws {
    #expect(ShardNumber(of: try BareJID(parsing: address)) == ShardNumber(expected))
  }
}
