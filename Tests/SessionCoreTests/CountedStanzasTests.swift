import SessionCore
import TestSupport
import Testing

/// What the server acknowledges after ten stanzas of ours, all of which were kept.
struct AcknowledgementCase: Sendable {
  let handled: UInt32
  /// The numbers of the stanzas that it covers, and of those that remain.
  let covered: ClosedRange<Int>?
  let remaining: ClosedRange<Int>?
}

@Suite("What the server has acknowledged (XEP-0198 §4)")
struct CountedStanzasTests {
  /// Ten stanzas with their numbers, the first of which counts as `first`.
  private func ten(first: UInt32 = 1) -> CountedStanzas<Int> {
    var sent = CountedStanzas<Int>()
    sent.beginCounting()
    if first > 1 { sent.resumed(handled: first - 1) }
    for number in 1...10 {
      sent.stanzaPassed()
      sent.keep(number)
    }
    return sent
  }

  static let cases = [
    AcknowledgementCase(handled: 0, covered: nil, remaining: 1...10),
    AcknowledgementCase(handled: 1, covered: 1...1, remaining: 2...10),
    AcknowledgementCase(handled: 9, covered: 1...9, remaining: 10...10),
    AcknowledgementCase(handled: 10, covered: 1...10, remaining: nil),
    // More than was sent: the log has not all of it.
    AcknowledgementCase(handled: 11, covered: 1...10, remaining: nil),
  ]

  @Test("A count covers what was sent before it", arguments: cases)
  func acknowledged(_ test: AcknowledgementCase) {
    var sent = ten()
    #expect(sent.acknowledged(test.handled) == test.covered.map(Array.init) ?? [])
    #expect(sent.items == test.remaining.map(Array.init) ?? [])
    #expect(sent.acknowledged(test.handled).isEmpty)
  }

  @Test("Counts wrap around at 2³²", arguments: cases)
  func wrapped(_ test: AcknowledgementCase) {
    let before = UInt32.max - 4
    var sent = ten(first: before &+ 1)
    #expect(sent.acknowledged(before &+ test.handled) == test.covered.map(Array.init) ?? [])
    #expect(sent.items == test.remaining.map(Array.init) ?? [])
  }

  @Test("Nothing is kept or counted before stream management is enabled")
  func notCounting() {
    var sent = CountedStanzas<Int>()
    sent.stanzaPassed()
    sent.keep(1)
    #expect(sent.items.isEmpty && !sent.isCounting)
    sent.beginCounting()
    sent.stanzaPassed()
    sent.keep(2)
    #expect(sent.items == [2])
    #expect(sent.acknowledged(1) == [2])
  }

  @Test("Stanzas that are not kept count")
  func others() {
    var sent = CountedStanzas<Int>()
    sent.beginCounting()
    sent.stanzaPassed()
    sent.keep(1)
    sent.stanzaPassed()
    sent.stanzaPassed()
    sent.keep(3)
    #expect(sent.acknowledged(2) == [1])
    #expect(sent.items == [3])
  }

  @Test("A resumed session counts on from what the server has handled (§5)")
  func resumed() {
    var sent = ten()
    #expect(sent.acknowledged(6) == Array(1...6))
    sent.resumed(handled: 6)
    #expect(sent.items.isEmpty && sent.isCounting)
    // The client sends what was not handled again.
    for number in 7...10 {
      sent.stanzaPassed()
      sent.keep(number)
    }
    #expect(sent.acknowledged(8) == [7, 8])
    #expect(sent.items == [9, 10])
  }

  @Test("Without the server's count, a resumed session counts on from its own")
  func resumedWithoutCount() {
    var sent = ten()
    sent.resumed(handled: nil)
    sent.stanzaPassed()
    sent.keep(11)
    #expect(sent.acknowledged(10).isEmpty)
    #expect(sent.acknowledged(11) == [11])
  }

  @Test("Enabling stream management again begins anew")
  func beginsAgain() {
    var sent = ten()
    sent.beginCounting()
    #expect(sent.items.isEmpty)
    sent.stanzaPassed()
    sent.keep(1)
    #expect(sent.acknowledged(1) == [1])
  }

  @Test("Any acknowledgements in order cover each stanza once, in order", arguments: 0..<50)
  func property(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var sent = CountedStanzas<Int>()
    sent.beginCounting()
    let offset = UInt32.random(in: 0...UInt32.max, using: &random)
    sent.resumed(handled: offset)
    var (written, handled, covered) = (0, 0, [Int]())
    for _ in 0..<200 {
      if Bool.random(using: &random) {
        written += 1
        sent.stanzaPassed()
        sent.keep(written)
      } else {
        handled = Int.random(in: handled...written, using: &random)
        covered += sent.acknowledged(offset &+ UInt32(handled))
        #expect(covered == Array(1..<(handled + 1)), "seed \(seed)")
        #expect(sent.items == Array((handled + 1)..<(written + 1)), "seed \(seed)")
      }
    }
  }
}
