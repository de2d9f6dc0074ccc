import XMPPStanza

// The counterparts that are expected of a contact's actions or ours.
extension DetailsOutput {
  mutating func write(_ expected: ExpectedCounterparts) {
    for list in [expected.stanzas, expected.pushes] {
      plain.write(UInt64(list.count))
      for expectation in list { write(expectation) }
    }
    plain.write(expected.lastEnding != nil)
    if let ending = expected.lastEnding { write(ending) }
  }

  private mutating func write(_ expectation: Expectation) {
    plain.write(tag: expectation.effect.code)
    plain.write(expectation.isOurs)
    write(expectation.stamp)
    plain.write(UInt64(expectation.connection.number))
    plain.write(expectation.device)
    plain.write(tag: expectation.before.code)
  }
}

extension DetailsInput {
  mutating func readExpected() throws(CodecError) -> ExpectedCounterparts {
    var expected = ExpectedCounterparts()
    expected.stanzas = try readExpectations()
    expected.pushes = try readExpectations()
    if try plain.readFlag() { expected.lastEnding = try readStamp() }
    guard !expected.isEmpty else { throw plain.invalid }
    return expected
  }

  /// Reads a list that has each effect once at most.
  private mutating func readExpectations() throws(CodecError) -> [Expectation] {
    var list: [Expectation] = []
    for _ in 0..<(try plain.readCount()) {
      let effect: SubscriptionEffect = try plain.readCode()
      guard !list.contains(where: { $0.effect == effect }) else { throw plain.invalid }
      let isOurs = try plain.readFlag()
      let stamp = try readStamp()
      guard let connection = UInt32(exactly: try plain.readNumber()) else { throw plain.invalid }
      list.append(
        Expectation(
          effect: effect, isOurs: isOurs, stamp: stamp,
          connection: ConnectionID(number: connection), device: try plain.readOptionalText(),
          before: try plain.readCode()))
    }
    return list
  }
}

extension SubscriptionEffect: StoredCode {
  var code: UInt8 {
    switch self {
    case .weSee: 0
    case .weNoLongerSee: 1
    case .itNoLongerSees: 2
    case .itSees: 3
    case .weAsk: 4
    case .weApprove: 5
    }
  }
}
