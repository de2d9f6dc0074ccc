import XMPPStanza

/// Turns the entries of an export around that begins with the newest.
///
/// The first line is the last that is given, so all of them are held, up to a bound.
final class NewestFirstStep: LineStep {
  private var lines: [CarriedLine] = []
  private var bytes = 0

  /// What a log of many days of one account takes.
  private static let maximumBytes = 256 << 20

  func take(_ line: CarriedLine, _ give: Give) throws {
    bytes += line.bytes.count + 64
    guard bytes <= Self.maximumBytes else {
      throw CaptureError.tooLongToTurnAround(line: line.number)
    }
    // A copy holds no more than the line itself.
    lines.append(CarriedLine(bytes: Array(line.bytes)[...], number: line.number, time: line.time))
  }

  /// The lines of one entry stay in their order.
  func finish(_ give: Give) throws {
    var end = lines.count
    while end > 0 {
      let number = lines[end - 1].number
      let start = (lines[..<end].lastIndex { $0.number != number } ?? -1) + 1
      for line in lines[start..<end] { try give(line) }
      end = start
    }
    lines = []
  }
}

extension CarrierDetection {
  /// How many stanzas with times say in which order a log is.
  private static let sufficientTimes = 3

  /// Whether the times of the stanzas go back, and never on.
  static func isNewestFirst(_ lines: [ArraySlice<UInt8>], within layers: [Carrier.Layer]) -> Bool {
    var clock = LogClock(ReaderOptions(year: 2000))
    var times: [Int64] = []
    let unloading = Unloading(layers, maximumBytes: .max)
    let note = { (line: CarriedLine) in
      guard holdsStanza(line.bytes) else { return }
      let head = line.bytes.prefix(64)
      let stamp = line.time ?? LogTime.isoTime(in: head) ?? LogTime.monthTime(head)
      if let time = clock.milliseconds(stamp) { times.append(time) }
    }
    for (number, line) in lines.enumerated() {
      try? unloading.take(CarriedLine(bytes: line, number: number + 1), note)
    }
    try? unloading.finish(note)
    guard times.count >= sufficientTimes, let first = times.first, let last = times.last else {
      return false
    }
    return first > last && zip(times, times.dropFirst()).allSatisfy { $0 >= $1 }
  }
}
