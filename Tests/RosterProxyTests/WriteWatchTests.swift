@testable import RosterProxy
import TestSupport
import Testing

@Suite("Delays of the disk") struct WriteWatchTests {
  @Test("Data recorded while the disk is busy is waited for next")
  func more() {
    var watch = WriteWatch()
    #expect(!watch.isOverdue(at: 1000))
    let asked = [1000, 1010, 1020].map { watch.dataRecorded(at: $0) }
    #expect(asked == [true, false, false])
    let first = watch.written(at: 1030)
    #expect(first.delay == 30 && first.isMore)
    // The oldest of the remaining data was recorded at 1010.
    #expect(!watch.isOverdue(at: 1060))
    #expect(watch.isOverdue(at: 1061))
    let second = watch.written(at: 1070)
    #expect(second.delay == 60 && !second.isMore)
    #expect(!watch.isOverdue(at: 5000))
    let again = watch.dataRecorded(at: 5000)
    #expect(again)
  }

  @Test("All data is waited for, and none is added while any is older than 50 ms")
  func sequences() {
    for seed in 0..<500 {
      var random = SeededGenerator(seed: UInt64(seed))
      var watch = WriteWatch()
      var (now, isWaiting) = (Int64(0), false)
      // The times of the data that is not on disk yet; those after `awaited` come next.
      var waiting: [Int64] = []
      var awaited = 0
      for _ in 0..<60 {
        now += Int64.random(in: 0..<30, using: &random)
        let isOverdue = waiting.first.map { now - $0 > 50 } ?? false
        #expect(watch.isOverdue(at: now) == isOverdue, "seed \(seed)")
        if Bool.random(using: &random), !isOverdue {
          waiting.append(now)
          let asks = watch.dataRecorded(at: now)
          #expect(asks == !isWaiting, "seed \(seed)")
          if !isWaiting { (isWaiting, awaited) = (true, waiting.count) }
        } else if isWaiting, Bool.random(using: &random) {
          let written = watch.written(at: now)
          #expect(written.delay == now - waiting[0], "seed \(seed)")
          waiting.removeFirst(awaited)
          awaited = waiting.count
          isWaiting = !waiting.isEmpty
          #expect(written.isMore == isWaiting, "seed \(seed)")
        }
      }
    }
  }

  /// The time, the delay added then, and the delay shown after it.
  typealias MeterStep = (at: Int64, added: Int64?, shown: Int64?)

  private func expect(_ steps: [MeterStep]) {
    var meter = DelayMeter()
    for step in steps {
      if let delay = step.added { meter.add(delay, at: step.at) }
      let shown = meter.delay(at: step.at)
      #expect(shown == step.shown, "\(step)")
    }
  }

  @Test("A delay that a person would notice is shown until two seconds pass without a long one")
  func noticeableDelay() {
    expect([
      (0, nil, nil), (10_000, 250, nil), (10_500, 251, 251), (10_600, 70, 251), (11_999, 60, 251),
      (12_000, nil, 60), (12_500, 50, 60), (13_000, nil, nil), (13_100, 249, nil),
      (30_000, 300, 300), (60_000, nil, nil),
    ])
  }

  @Test("Delays above the limit are shown once they last for five seconds in a row")
  func lastingDelay() {
    // 56 ms, once, is no slow disk; nor are four seconds in a row, or five with a gap.
    expect([(0, 56, nil), (900, 56, nil), (1_000, nil, nil)])
    expect([(0, 56, nil), (1_000, 60, nil), (2_000, 60, nil), (3_000, 60, nil), (4_000, 50, nil)])
    expect([
      (0, 60, nil), (1_000, 60, nil), (2_000, 60, nil), (3_000, 60, nil), (5_000, 60, nil),
      (6_000, 60, nil),
    ])
    expect([
      (0, 60, nil), (1_000, 70, nil), (2_999, 80, nil), (3_500, 60, nil), (4_000, 51, 60),
      (5_000, 90, 90), (6_100, 60, 90), (7_000, 40, 60), (8_000, nil, nil),
    ])
  }
}
