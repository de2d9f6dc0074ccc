import TestSupport
import Testing

import RosterClient

@Suite("The choice of a server") struct ServiceChoiceTests {
  private typealias Offer = ServiceChoice.Offer

  private func addresses(
    of domain: String = "example.test", direct: ServiceAnswer, starting: ServiceAnswer,
    seed: UInt64 = 1
  ) throws(ResolvingFailure) -> [ServerAddress] {
    var generator = SeededGenerator(seed: seed)
    return try ServiceChoice.addresses(
      of: domain, direct: direct, starting: starting, using: &generator)
  }

  @Test("Servers of both services are in one list, the lowest priority first")
  func merged() throws {
    let direct = ServiceAnswer.servers([
      Answers.server("late", port: 5223, priority: 30, weight: 9),
      Answers.server("early", port: 443, priority: 10, weight: 0),
    ])
    let starting = ServiceAnswer.servers([
      Answers.server("middle", priority: 20, weight: 0),
      Answers.server("first", port: 5269, priority: 0, weight: 0),
    ])
    #expect(
      try addresses(direct: direct, starting: starting) == [
        ServerAddress(host: "first", port: 5269, isDirectTLS: false),
        ServerAddress(host: "early", port: 443, isDirectTLS: true),
        ServerAddress(host: "middle", port: 5222, isDirectTLS: false),
        ServerAddress(host: "late", port: 5223, isDirectTLS: true),
      ])
  }

  @Test("Without records the server is the domain's own host, in ASCII", arguments: [true, false])
  func fallback(isSilent: Bool) throws {
    let answer = isSilent ? ServiceAnswer.silence("nobody answers") : .nothing
    #expect(
      try addresses(of: "münchen.test", direct: .nothing, starting: answer) == [
        ServerAddress(host: "xn--mnchen-3ya.test", port: 5222, isDirectTLS: false)
      ])
  }

  @Test("A domain that names the root as its server is refused")
  func notOffered() {
    let refusal = ResolvingFailure.notOffered(domain: "example.test")
    for (direct, starting) in [
      (.notOffered, .notOffered), (.nothing, .notOffered), (.notOffered, .nothing),
    ] as [(ServiceAnswer, ServiceAnswer)] {
      #expect(throws: refusal) { try addresses(direct: direct, starting: starting) }
    }
    #expect(ServiceAnswer(Answers.root) == .notOffered)
    #expect("\(refusal)".contains("example.test"))
  }

  @Test("The root for one service keeps the servers of the other")
  func oneNotOffered() throws {
    let servers = ServiceAnswer(Answers.direct)
    let expected = [ServerAddress(host: "xmpp1.example.test", port: 5223, isDirectTLS: true)]
    #expect(try addresses(direct: servers, starting: .notOffered) == expected)
    #expect(try addresses(direct: servers, starting: .silence("nobody answers")) == expected)
  }

  @Test("The root for one service, and no answer about the other, counts as no answer")
  func halfKnown() {
    for isDirect in [true, false] {
      let silence = ServiceAnswer.silence("nobody answers")
      #expect(throws: ResolvingFailure.noAnswer(domain: "example.test", reason: "nobody answers")) {
        try addresses(
          direct: isDirect ? .notOffered : silence, starting: isDirect ? silence : .notOffered)
      }
    }
  }

  @Test("A record without a port, and the root beside servers, are left out")
  func leftOut() {
    // The port of the first record, which follows its priority and weight, is 5269.
    var bytes = Answers.three
    guard let port = bytes.indices.first(where: { bytes[$0...].starts(with: [0x14, 0x95]) }) else {
      Issue.record("the answer has no such port")
      return
    }
    bytes.replaceSubrange(port..<port + 2, with: [0, 0])
    #expect(ServiceAnswer(bytes) == .servers(Array(DNSAnswerTests.servers[..<2])))
  }

  @Test("An unreadable answer is no answer, and says why")
  func unreadable() {
    guard case .silence(let reason) = ServiceAnswer(Array(Answers.three.dropLast())) else {
      Issue.record("it was read")
      return
    }
    #expect(reason.contains("cut short"))
  }

  @Test("Within a priority, servers are drawn by their weights (RFC 2782)")
  func weights() {
    // 0, 10, 30 and 60: the sum is 100, and a number from 0 to 100 is drawn.
    let offers = [60, 0, 10, 30].map {
      Offer(record: Answers.server("w\($0)", weight: UInt16($0)), isDirectTLS: false)
    }
    var first: [String: Int] = [:]
    let draws = 20_200
    for seed in 0..<draws {
      var generator = SeededGenerator(seed: UInt64(seed))
      let order = ServiceChoice.ordered(offers, using: &generator)
      #expect(Set(order) == Set(offers) && order.count == offers.count, "seed \(seed)")
      first[order[0].record.target, default: 0] += 1
    }
    // Seeds are the same in every run, so the counts are, too: they are within a tenth of the
    // expected value, which for the smallest, 200 of 20,200, is 1.4 standard deviations.
    for (target, share) in [("w0", 1), ("w10", 10), ("w30", 30), ("w60", 60)] {
      let expected = draws * share / 101
      #expect(abs((first[target] ?? 0) - expected) <= max(expected / 10, 30), "\(target)")
    }
  }

  @Test("If none has weight, each may be first")
  func weightless() {
    let offers = (0..<3).map {
      Offer(record: Answers.server("s\($0)", weight: 0), isDirectTLS: false)
    }
    var generator = SeededGenerator(seed: 7)
    let order = ServiceChoice.ordered(offers, using: &generator)
    #expect(Set(order) == Set(offers) && order.count == 3)
  }

  @Test("The heaviest weights do not overflow")
  func heavy() {
    let offers = (0..<100).map {
      Offer(record: Answers.server("s\($0)", weight: .max), isDirectTLS: $0 % 2 == 0)
    }
    var generator = SeededGenerator(seed: 7)
    #expect(Set(ServiceChoice.ordered(offers, using: &generator)).count == 100)
  }

  @Test(
    "An IP address or localhost is not looked up",
    arguments: [
      ("127.0.0.1", "127.0.0.1"), ("[::1]", "::1"), ("[2001:db8::7]", "2001:db8::7"),
      ("localhost", "localhost"), ("chat.localhost", "chat.localhost"),
    ])
  func literal(domain: String, host: String) async throws {
    let found = try await Resolver.addresses(of: domain, using: SeededGenerator(seed: 1))
    #expect(found == [ServerAddress(host: host, port: 5222, isDirectTLS: false)])
  }

  @Test(
    "A domain that cannot be a DNS name is refused",
    arguments: [
      "a\\.b.test", "a b.test", "a..test", "[127.0.0.1]",
      String(repeating: "a", count: 64) + ".test",
      String(repeating: "ab.", count: 90) + "test", String(repeating: "中", count: 60) + ".test",
    ])
  func impossible(domain: String) async {
    await #expect(throws: ResolvingFailure.impossibleName(domain: domain)) {
      try await Resolver.addresses(of: domain, using: SeededGenerator(seed: 1))
    }
  }
}
