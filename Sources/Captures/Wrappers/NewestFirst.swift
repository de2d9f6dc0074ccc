import XMPPStanza

/// The unit that keeps its own order in an export with the newest entries first.
package enum ReversalUnit: Hashable, Sendable, CaseIterable {
  /// An entry: a line with a time, and the lines after it without one.
  case entries
  /// All entries with the same time.
  case times
  /// Each line of the file.
  case lines

  /// The ranges of lines that keep their order.
  func parts(of lines: [CarriedLine]) -> [Range<Int>] {
    var parts: [Range<Int>] = []
    var start = 0
    var time: LogTime?
    for (index, line) in lines.enumerated() where !line.isContinuation {
      let stamp = self == .lines ? nil : line.stamp
      let begins: Bool
      switch self {
      case .lines: begins = true
      case .entries: begins = stamp != nil
      case .times: begins = stamp != nil && stamp != time
      }
      guard begins else { continue }
      if index > start { parts.append(start..<index) }
      (start, time) = (index, stamp)
    }
    if start < lines.count { parts.append(start..<lines.count) }
    return parts
  }

  /// The lines in chronological order.
  func chronological(_ lines: [CarriedLine]) -> [CarriedLine] {
    parts(of: lines).reversed().flatMap { lines[$0] }
  }
}

/// Reverses the entries of an export with the newest first.
///
/// The first line is emitted last, so all lines are held in memory, up to a limit.
final class NewestFirstStep: LineStep {
  private let unit: ReversalUnit
  private var lines: [CarriedLine] = []
  private var bytes = 0

  /// Enough for a log of one account over many days.
  private static let maximumBytes = 256 << 20

  init(_ unit: ReversalUnit) {
    self.unit = unit
  }

  func process(_ line: CarriedLine, _ emit: Emit) throws {
    // Each line has its own array.
    bytes += line.bytes.count + MemoryLayout<CarriedLine>.stride + 32
    guard bytes <= Self.maximumBytes else {
      throw CaptureError.tooLongToReverse(line: line.number)
    }
    // A copy keeps only the bytes of the line in memory.
    var copy = line
    copy.bytes = Array(line.bytes)[...]
    lines.append(copy)
  }

  func finish(_ emit: Emit) throws {
    for part in unit.parts(of: lines).reversed() {
      for line in lines[part] { try emit(line) }
    }
    lines = []
  }
}

extension CarriedLine {
  /// When the line was collected, or the time at its beginning.
  var stamp: LogTime? {
    if let time { return time }
    let head = bytes.prefix(64).prefix { $0 != UInt8(ascii: "<") }
    return LogTime.isoTime(in: head) ?? LogTime.monthTime(head)
      ?? LogTime.calendarTime(head.prefix(24))
  }
}

extension CarrierDetection {
  /// The minimum number of times that are earlier than the one before, with none later, if no
  /// answer shows the order. A machine's clock is set back only once.
  private static let minimumSteps = 3

  /// The unit of an export with the newest entries first; nil for any other log.
  static func newestFirst(_ lines: [CarriedLine], _ order: DateOrder?) -> ReversalUnit? {
    let answers = Answers(lines)
    guard isNewestFirst(lines, answers, order) else { return nil }
    // The unit with the fewest answers before their requests, and then with the best score.
    var parts: Set<[Range<Int>]> = []
    let units = ReversalUnit.allCases.filter { parts.insert($0.parts(of: lines)).inserted }
    let ranked = units.map { unit in
      let reordered = unit.chronological(lines)
      let misplaced = Answers(reordered).misplacedCount
      return (unit: unit, misplaced: misplaced, score: score(reordered.map(\.bytes)).value)
    }
    return ranked.min { ($0.misplaced, $1.score) < ($1.misplaced, $0.score) }?.unit
  }

  /// Whether answers come before their requests and have later times. If there are no answers,
  /// whether the times of stanzas decrease several times and never increase.
  private static func isNewestFirst(
    _ lines: [CarriedLine], _ answers: Answers, _ order: DateOrder?
  ) -> Bool {
    var options = ReaderOptions(year: 2000)
    options.carrier.dateOrder = order
    var clock = LogClock(options)
    var time: Int64?
    var times: [Int64] = []
    var timeOfLine: [Int64?] = []
    var isCollected = true
    for line in lines {
      time = clock.milliseconds(line.stamp) ?? time
      timeOfLine.append(time)
      guard let time, holdsStanza(line.bytes) else { continue }
      times.append(time)
      isCollected = isCollected && line.time != nil
    }
    guard let first = times.first, let last = times.last, first > last else { return false }
    var (newestFirst, oldestFirst) = (0, 0)
    for (request, answer) in answers.pairs {
      guard let asked = timeOfLine[request], let answered = timeOfLine[answer], asked != answered
      else { continue }
      if request < answer { oldestFirst += 1 } else if answered > asked { newestFirst += 1 }
    }
    guard newestFirst == 0, oldestFirst == 0 else { return newestFirst > oldestFirst }
    let steps = zip(times, times.dropFirst())
    guard steps.allSatisfy({ $0 >= $1 }) else { return false }
    if steps.count(where: { $0 > $1 }) >= minimumSteps { return true }
    // The entries of a collector or a table were sorted by a query, so a few are enough.
    let all = timeOfLine.compactMap { $0 }
    return isCollected && steps.allSatisfy { $0 > $1 }
      && zip(all, all.dropFirst()).allSatisfy { $0 >= $1 }
  }

  /// The lines of a log's requests and answers, by their ids.
  private struct Answers {
    private var requests: [[UInt8]: Int] = [:]
    private var answers: [[UInt8]: Int] = [:]

    init(_ lines: [CarriedLine]) {
      for (index, line) in lines.enumerated() {
        var rest = line.bytes
        while let start = rest.position(of: Array("<iq".utf8)) {
          let tag = rest[start...].prefix { $0 != UInt8(ascii: ">") }
          rest = rest[tag.endIndex...]
          guard let id = TopLevel.attribute("id", in: tag),
            let type = TopLevel.attribute("type", in: tag)
          else { continue }
          if type.elementsEqual("get".utf8) || type.elementsEqual("set".utf8) {
            requests[Array(id)] = requests[Array(id)] ?? index
          } else {
            answers[Array(id)] = answers[Array(id)] ?? index
          }
        }
      }
    }

    var pairs: [(request: Int, answer: Int)] {
      requests.compactMap { id, request in answers[id].map { (request, $0) } }
    }

    /// The number of answers before their requests.
    var misplacedCount: Int { pairs.count { $0.answer < $0.request } }
  }
}
