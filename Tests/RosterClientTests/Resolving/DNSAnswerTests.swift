import TestSupport
import Testing

import RosterClient

/// Answers of dnsmasq 2.90 to questions for services.
enum Answers {
  /// `_xmpp-client._tcp.example.test`: three servers.
  static let three = bytes(
    "0007858000010003000000000c5f786d70702d636c69656e74045f746370076578616d706c650474657374000021"
      + "0001c00c0021000100000000001a001400001495066261636b7570076578616d706c65036e657400c00c002100"
      + "0100000000001a0005003c146605786d707032076578616d706c65047465737400c00c0021000100000000001a"
      + "0005001e146605786d707031076578616d706c65047465737400")
  /// `_xmpps-client._tcp.example.test`: one.
  static let direct = bytes(
    "0007858000010001000000000d5f786d7070732d636c69656e74045f746370076578616d706c65047465737400"
      + "00210001c00c0021000100000000001a0005000a146705786d707031076578616d706c65047465737400")
  /// `_xmpp-client._tcp.none.test`: the root, because the service is not offered.
  static let root = bytes(
    "0007858000010001000000000c5f786d70702d636c69656e74045f746370046e6f6e6504746573740000210001"
      + "c00c0021000100000000000700000000000100")
  /// `_xmpp-client._tcp.alias.test`: a CNAME, and the three servers of its target.
  static let alias = bytes(
    "0007858000010004000000000c5f786d70702d636c69656e74045f74637005616c696173047465737400002100"
      + "01c00c000500010000000000200c5f786d70702d636c69656e74045f746370076578616d706c65047465737400"
      + "c03a0021000100000000001a0005003c146605786d707032076578616d706c65047465737400c03a0021000100"
      + "000000001a0005001e146605786d707031076578616d706c65047465737400c03a0021000100000000001a0014"
      + "00001495066261636b7570076578616d706c65036e657400")
  /// `_xmpp-client._tcp.jabber.org`, from a name server that did not know the name.
  static let unknown = bytes(
    "0007818300010000000000000c5f786d70702d636c69656e74045f746370066a6162626572036f726700002100"
      + "01")

  static func bytes(_ hex: String) -> [UInt8] {
    let digits = hex.compactMap { $0.hexDigitValue.map(UInt8.init) }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }

  static func server(
    _ target: String, port: UInt16 = 5222, priority: UInt16 = 5, weight: UInt16
  ) -> ServiceRecord {
    ServiceRecord(priority: priority, weight: weight, port: port, target: target)
  }
}

@Suite("DNS answers") struct DNSAnswerTests {
  static let servers = [
    Answers.server("xmpp2.example.test", weight: 60),
    Answers.server("xmpp1.example.test", weight: 30),
    Answers.server("backup.example.net", port: 5269, priority: 20, weight: 0),
  ]
  static let cases: [(answer: [UInt8], services: [ServiceRecord])] = [
    (Answers.three, [servers[2], servers[0], servers[1]]),
    (Answers.direct, [Answers.server("xmpp1.example.test", port: 5223, weight: 10)]),
    (Answers.root, [Answers.server("", port: 1, priority: 0, weight: 0)]),
    (Answers.alias, servers),
    (Answers.unknown, []),
  ]

  @Test("The services of real answers are read in order", arguments: cases.indices)
  func real(_ index: Int) throws {
    #expect(try DNSAnswer.services(in: Self.cases[index].answer) == Self.cases[index].services)
  }

  @Test("An answer that ends early is refused wherever it ends", arguments: cases.indices)
  func cut(_ index: Int) {
    let answer = Self.cases[index].answer
    // The header alone says that there is no such name.
    for length in 0..<(index == 4 ? 12 : answer.count) {
      #expect(throws: DNSProblem.short) { try DNSAnswer.services(in: Array(answer[..<length])) }
    }
  }

  @Test("Whatever bytes are flipped, an answer is read or refused", arguments: cases.indices)
  func flips(_ index: Int) {
    var generator = SeededGenerator(seed: UInt64(index))
    let answer = Self.cases[index].answer
    var refused = 0
    for _ in 0..<5000 {
      var flipped = answer
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let place = flipped.indices.randomElement(using: &generator) ?? 0
        flipped[place] = .random(in: .min ... .max, using: &generator)
      }
      do {
        for service in try DNSAnswer.services(in: flipped) {
          #expect(service.target.isEmpty || service.target.isHostName)
        }
      } catch {
        refused += 1
      }
    }
    #expect(refused > 0)
  }

  @Test("Arbitrary bytes are read or refused")
  func noise() {
    for seed in 0..<5000 {
      var generator = SeededGenerator(seed: UInt64(seed))
      // The header announces many records.
      let rest = (0..<Int.random(in: 0...300, using: &generator)).map { _ in
        // Many pointers and short labels.
        [UInt8(0), 0xC0, 1, 33, .random(in: .min ... .max, using: &generator)]
          .randomElement(using: &generator) ?? 0
      }
      _ = try? DNSAnswer.services(in: [0, 0, 0x80, 0, 0, 1, 0, 9, 0, 0, 0, 0] + rest)
    }
  }

  /// An answer with one service record, whose name and target are given.
  private func answer(name: [UInt8] = [0], target: [UInt8], length: Int? = nil) -> [UInt8] {
    [0, 0, 0x80, 0, 0, 0, 0, 1, 0, 0, 0, 0] + name
      + [0, 33, 0, 1, 0, 0, 0, 0, 0, UInt8(length ?? 6 + target.count), 0, 1, 0, 2, 0x14, 0x66]
      + target
  }

  @Test("A target may point to an earlier name")
  func compressed() throws {
    // The record's name `a.b` is at 12, its fields are at 17, its target is at 33.
    let bytes = answer(name: [1, 0x61, 1, 0x62, 0], target: [1, 0x78, 0xC0, 14])
    let expected = Answers.server("x.b", priority: 1, weight: 2)
    #expect(try DNSAnswer.services(in: bytes) == [expected])
  }

  static let circles: [(name: [UInt8], target: [UInt8])] = [
    // To itself, forward, and to a label that leads back to the pointer.
    ([0xC0, 12], [0]), ([0xC0, 14], [0]), ([1, 0x61, 0xC0, 12], [0]),
    ([0], [0xC0, 29]), ([0], [1, 0x61, 0xC0, 29]),
  ]

  @Test("A name with circular pointers is refused", arguments: circles.indices)
  func circle(_ index: Int) {
    let (name, target) = Self.circles[index]
    #expect(throws: DNSProblem.pointer) {
      try DNSAnswer.services(in: answer(name: name, target: target))
    }
  }

  @Test("A long chain of pointers is not followed")
  func pointers() {
    let hops = 400
    let data = 1 + 2 * hops
    // A record of another type, whose data is the root followed by pointers, each of which leads to
    // the one before it.
    var bytes: [UInt8] = [0, 0, 0x80, 0, 0, 0, 0, 2, 0, 0, 0, 0]
    bytes += [0, 0, 16, 0, 1, 0, 0, 0, 0] + Self.number(data)
    let root = bytes.count
    bytes += [0]
    for hop in 0..<hops { bytes += Self.number(0xC000 | (hop == 0 ? root : root + 2 * hop - 1)) }
    for (hops, expected) in [(100, []), (hops, nil)] as [(Int, [ServiceRecord]?)] {
      let name = Self.number(0xC000 | root + 2 * hops - 1)
      let whole = bytes + name + [0, 16, 0, 1, 0, 0, 0, 0, 0, 0]
      #expect((try? DNSAnswer.services(in: whole)) == expected)
    }
  }

  private static func number(_ value: Int) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 0xFF)] }

  static let refused: [(target: [UInt8], length: Int?, problem: DNSProblem)] = [
    // Undefined kinds of labels, and one that was abandoned.
    ([0x41, 0x61, 0], nil, .label), ([0x80, 0], nil, .label),
    // Longer or shorter than the record says.
    ([1, 0x61, 0], 8, .record), ([1, 0x61, 0], 10, .record),
    // Four labels of 63 bytes and their lengths are more than 255 bytes.
    (Array(repeating: [63] + Array(repeating: 0x61, count: 63), count: 4).joined() + [0], 7, .long),
    // Names that, as a string, would be cut off or become another name or an option.
    ([2, 0x61, 0, 0], nil, .host), ([3, 0x61, 0x2E, 0x62, 0], nil, .host),
    ([2, 0x61, 0x20, 0], nil, .host), ([2, 0xC3, 0xA9, 0], nil, .host),
  ]

  @Test("A malformed record is refused", arguments: refused.indices)
  func refusal(_ index: Int) {
    let (target, length, problem) = Self.refused[index]
    #expect(throws: problem) {
      try DNSAnswer.services(in: answer(target: target, length: length))
    }
  }

  @Test("A question, and an answer with an error code, are refused")
  func header() {
    let rest: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0]
    #expect(throws: DNSProblem.question) { try DNSAnswer.services(in: [0, 0, 1, 0] + rest) }
    for code: UInt8 in [1, 2, 4, 5, 15] {
      #expect(throws: DNSProblem.refused) { try DNSAnswer.services(in: [0, 0, 0x80, code] + rest) }
    }
  }
}
