import CShims
import Rollcall

/// Finds the servers of a domain.
package enum Resolver {
  /// The servers of a domain, in the order in which to try them; never empty.
  ///
  /// An IP address and `localhost` (RFC 6761 §6.3) are their own servers. Other domains are looked
  /// up in DNS, which may take as long as its servers need, even if the task is cancelled.
  ///
  /// - Parameters:
  ///   - domain: The domain of an XMPP address, prepared.
  ///   - generator: Chooses between servers of the same priority.
  package static func addresses(
    of domain: String, using generator: some RandomNumberGenerator
  ) async throws(ResolvingFailure) -> [ServerAddress] {
    if let literal = domain.addressLiteral { return [.defaultServer(of: literal)] }
    let name = domain.inASCII
    guard name.isHostName else { throw .impossibleName(domain: domain) }
    if name == "localhost" || name.hasSuffix(".localhost") { return [.defaultServer(of: name)] }
    async let direct = answer(about: "_xmpps-client._tcp.\(name)")
    async let starting = answer(about: "_xmpp-client._tcp.\(name)")
    let (first, second) = await (direct, starting)
    var generator = generator
    return try ServiceChoice.addresses(
      of: domain, direct: first, starting: second, using: &generator)
  }

  /// Asks on a thread of its own, because the system's resolver blocks.
  private static func answer(about name: String) async -> ServiceAnswer {
    await withCheckedContinuation { waiter in
      if let thread = WorkerThread({ waiter.resume(returning: ask(name)) }) {
        thread.detach()
      } else {
        waiter.resume(returning: .silence("the system provides no thread to ask DNS"))
      }
    }
  }

  private static func ask(_ name: String) -> ServiceAnswer {
    var error: Int32 = 0
    // The maximum size of an answer.
    let bytes = [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
      let length = rollcall_resolve(
        name, Int32(DNSAnswer.serviceType), buffer.baseAddress, Int32(buffer.count), &error)
      count = max(0, min(Int(length), buffer.count))
    }
    guard bytes.isEmpty else { return ServiceAnswer(bytes) }
    return switch Int(error) {
    case ROLLCALL_NO_SUCH_NAME, ROLLCALL_NO_SUCH_RECORDS: .nothing
    case ROLLCALL_TRY_AGAIN: .silence("no name server answers")
    default: .silence("the system's resolver fails")
    }
  }
}
