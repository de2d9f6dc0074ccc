import XMPPStanza

/// What stays in its order in an export that begins with the newest.
package enum TurnedUnit: Hashable, Sendable, CaseIterable {
  /// An entry: a line with a time, and those after it that have none.
  case entries
  /// All entries of one time.
  case times
  /// Each line of the file.
  case lines

  /// Where the parts are that stay in their order.
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

  /// The lines in the order of time.
  func turned(_ lines: [CarriedLine]) -> [CarriedLine] {
    parts(of: lines).reversed().flatMap { lines[$0] }
  }
}

/// Turns the entries of an export around that begins with the newest.
///
/// The first line is the last that is given, so all of them are held, up to a bound.
final class NewestFirstStep: LineStep {
  private let unit: TurnedUnit
  private var lines: [CarriedLine] = []
  private var bytes = 0

  /// What a log of many days of one account takes.
  private static let maximumBytes = 256 << 20

  init(_ unit: TurnedUnit) {
    self.unit = unit
  }

  func take(_ line: CarriedLine, _ give: Give) throws {
    // Each has an array of its own.
    bytes += line.bytes.count + MemoryLayout<CarriedLine>.stride + 32
    guard bytes <= Self.maximumBytes else {
      throw CaptureError.tooLongToTurnAround(line: line.number)
    }
    // A copy holds no more than the line itself.
    var copy = line
    copy.bytes = Array(line.bytes)[...]
    lines.append(copy)
  }

  func finish(_ give: Give) throws {
    for part in unit.parts(of: lines).reversed() {
      for line in lines[part] { try give(line) }
    }
    lines = []
  }
}

extension CarriedLine {
  /// When it was collected, or the time that it begins with.
  var stamp: LogTime? {
    if let time { return time }
    let head = bytes.prefix(64).prefix { $0 != UInt8(ascii: "<") }
    return LogTime.isoTime(in: head) ?? LogTime.monthTime(head)
      ?? LogTime.calendarTime(head.prefix(24))
  }
}

extension CarrierDetection {
  /// How often times have to go back, and never on, where no answer says what came first. The clock
  /// of a machine is set back once.
  private static let sufficientSteps = 3

  /// What is turned around in an export that begins with the newest; nil for any other log.
  static func newestFirst(_ lines: [CarriedLine], _ order: DateOrder?) -> TurnedUnit? {
    let answers = Answers(lines)
    guard isNewestFirst(lines, answers, order) else { return nil }
    // The one in which the fewest answers come before what they answer, and the most can be read.
    var parts: Set<[Range<Int>]> = []
    let units = TurnedUnit.allCases.filter { parts.insert($0.parts(of: lines)).inserted }
    let ranked = units.map { unit in
      let turned = unit.turned(lines)
      return (unit: unit, broken: Answers(turned).broken, score: score(turned.map(\.bytes)).value)
    }
    return ranked.min { ($0.broken, $1.score) < ($1.broken, $0.score) }?.unit
  }

  /// Whether answers stand before what they answer and have later times, or, where none is there to
  /// say so, the times of stanzas go back again and again, and never on.
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
    if steps.count(where: { $0 > $1 }) >= sufficientSteps { return true }
    // A query has put the entries of a collector or a table in order: a few show which.
    let all = timeOfLine.compactMap { $0 }
    return isCollected && steps.allSatisfy { $0 > $1 }
      && zip(all, all.dropFirst()).allSatisfy { $0 >= $1 }
  }

  /// On which lines stand the requests of a log and their answers, by their ids.
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

    /// How many answers come before what they answer.
    var broken: Int { pairs.count { $0.answer < $0.request } }
  }
}
