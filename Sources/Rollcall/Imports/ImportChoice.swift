import EventStore

/// Decides what of some captures is appended to a log.
struct ImportChoice {
  private let target: LogMeta
  private let source: LogMeta
  /// The records in the log.
  private let logRecords: RecordFingerprints
  /// The records in the captures.
  private let captureRecords: RecordFingerprints
  /// For each record of the captures, whether the log contains it.
  private var isKnown: [Bool]
  private var captures: [Chosen] = []

  private struct Chosen {
    let capture: StagedCapture
    let match: KnownRecords?
    let numbers: [UInt32: UInt32]
    var outcome: ImportOutcome
  }

  /// The outcome for each capture.
  var outcomes: [ImportOutcome] { captures.map(\.outcome) }

  /// - Parameter target: The transaction that will append what is chosen.
  init(
    into target: borrowing WriteTransaction, from source: borrowing ReadTransaction
  ) throws {
    self.init(
      try target.meta, try source.meta, logRecords: try RecordFingerprints(of: target),
      captureRecords: try RecordFingerprints(of: source))
  }

  /// A choice for information only: nothing is appended, and other processes may append meanwhile.
  init(into target: EventLog, from source: EventLog) throws {
    self.init(
      try target.meta, try source.meta, logRecords: try RecordFingerprints(of: target),
      captureRecords: try RecordFingerprints(of: source))
  }

  private init(
    _ target: LogMeta, _ source: LogMeta, logRecords: RecordFingerprints,
    captureRecords: RecordFingerprints
  ) {
    self.target = target
    self.source = source
    self.logRecords = logRecords
    self.captureRecords = captureRecords
    isKnown = [Bool](repeating: false, count: Int(captureRecords.last) + 1)
  }

  /// Determines what is new in a capture.
  ///
  /// - Throws: `ImportError.overlapsInTime`.
  mutating func add(_ capture: StagedCapture, takingAll takesAll: Bool) throws {
    let records = records(of: capture)
    let match = takesAll ? nil : match(records, of: capture)
    var outcome = ImportOutcome()
    if let match {
      for record in match.known {
        outcome.known[captureRecords[record].direction, default: 0] += 1
        isKnown[Int(record)] = true
      }
    } else if !takesAll {
      try refuseOverlap(records)
      outcome.goesOnElsewhere = target.imports.contains { former in
        capture.prints.contains { $0.name == former.name }
      }
    }
    let numbers = try numbers(of: capture, after: match?.former)
    outcome.connections = (match?.former?.connections ?? [:])
      .merging(capture.connections.mapValues { numbers[$0] ?? $0 }) { _, new in new }
    captures.append(Chosen(capture: capture, match: match, numbers: numbers, outcome: outcome))
  }

  /// Leaves out the header lines of the captures if the log already notes its account.
  mutating func dropHeaders() {
    guard target.account != nil else { return }
    for record in 1..<(captureRecords.last + 1) where captureRecords[record].isHeader {
      isKnown[Int(record)] = true
    }
  }

  // MARK: What is known

  /// Whether the log contains any record of a capture.
  func holdsAny(of capture: StagedCapture) -> Bool {
    match(records(of: capture), of: capture) != nil
  }

  private func records(of capture: StagedCapture) -> [UInt64] {
    captureRecords.records([capture.records], of: Set(capture.connections.values))
  }

  private func match(_ records: [UInt64], of capture: StagedCapture) -> KnownRecords? {
    if let former = formerImport(of: capture) {
      let match = KnownRecords(
        records, of: captureRecords, beginningWith: former, in: logRecords,
        saysAccount: target.account != nil)
      // Another process may have imported a longer version of it since.
      let later = overlaps(of: records, with: target.imports.filter { $0.name == former.name })
        .max { $0.known.count < $1.known.count }
      return later.flatMap { $0.known.count > match.known.count ? $0 : nil } ?? match
    }
    if let beginning = beginning(records, of: capture) { return beginning }
    // A capture that begins after everything in the log cannot be known.
    if let own = captureRecords.span(of: records),
      let all = logRecords.span(of: 1..<(logRecords.last + 1)),
      own.lowerBound > all.upperBound
    {
      return nil
    }
    let single = overlaps(of: records, with: target.imports.reversed())
    let whole = KnownRecords(
      records, of: captureRecords, among: Array(1..<(logRecords.last + 1)), of: nil, in: logRecords)
    return (single + [whole].compactMap { $0 }).max { $0.known.count < $1.known.count }
  }

  /// What the log notes about the files of a capture that it has, as one import; nil if it has
  /// none. They may have been imported one by one, as a source is that is followed.
  private func formerImport(of capture: StagedCapture) -> ImportedSource? {
    let formers = capture.prints.compactMap { print in
      target.imports.filter(print.begins(with:)).max { $0.length < $1.length }
    }
    guard let longest = formers.max(by: { $0.length < $1.length }) else { return nil }
    guard formers.contains(where: { $0.records != longest.records }) else { return longest }
    // A recovered log does not know which records its captures contained.
    let isUnknown = formers.contains(where: \.records.isEmpty)
    return ImportedSource(
      digest: longest.digest, name: longest.name, length: longest.length,
      records: isUnknown ? [] : formers.flatMap(\.records).joinedRanges,
      connections: formers.reduce(into: longest.connections) { all, former in
        all.merge(former.connections) { first, _ in first }
      })
  }

  /// The records that earlier imports of overlapping captures contain.
  private func overlaps(
    of records: [UInt64], with imports: some Sequence<ImportedSource>
  ) -> [KnownRecords] {
    imports.compactMap { former in
      KnownRecords(
        records, of: captureRecords,
        among: logRecords.records(former.records, of: Set(former.connections.values)), of: former,
        in: logRecords)
    }
  }

  /// What is known about a capture that has only a header, now or when it was imported before.
  private func beginning(_ records: [UInt64], of capture: StagedCapture) -> KnownRecords? {
    let own = records.map { captureRecords[$0] }
    let former = target.imports.last { former in
      guard capture.prints.contains(where: { $0.name == former.name }) else { return false }
      let old = logRecords.records(former.records, of: Set(former.connections.values)).map {
        logRecords[$0]
      }
      return (own.allSatisfy(\.isHeader) || old.allSatisfy(\.isHeader))
        && !Set(own.filter(\.isHeader).map(\.bytes))
          .isDisjoint(with: old.filter(\.isHeader).map(\.bytes))
    }
    return former.map {
      KnownRecords(
        records, of: captureRecords, beginningWith: $0, in: logRecords,
        saysAccount: target.account != nil)
    }
  }

  /// Refuses a capture that shares no record with the log although the log covers the same time.
  private func refuseOverlap(_ records: [UInt64]) throws {
    guard let own = captureRecords.span(of: records) else { return }
    for group in groups {
      guard let span = logRecords.span(of: group.records), span.lowerBound < own.upperBound,
        own.lowerBound < span.upperBound
      else { continue }
      throw ImportError.overlapsInTime(
        captures: group.names, from: max(span.lowerBound, own.lowerBound),
        to: min(span.upperBound, own.upperBound))
    }
  }

  /// The records that were added to the log together.
  private var groups: [(names: [String], records: ClosedRange<UInt64>)] {
    guard logRecords.last > 0 else { return [] }
    var groups: [ClosedRange<UInt64>: [String]] = [:]
    for former in target.imports {
      for range in former.records where range.upperBound <= logRecords.last {
        groups[range, default: []].append(former.name)
      }
    }
    var sorted = groups.map { (names: $0.value, records: $0.key) }
      .sorted { $0.records.lowerBound < $1.records.lowerBound }
    // Records that were recorded rather than imported come in between.
    var next: UInt64 = 1
    for range in sorted.map(\.records) {
      if next < range.lowerBound { sorted.append(([], next...(range.lowerBound - 1))) }
      next = max(next, range.upperBound + 1)
    }
    if next <= logRecords.last { sorted.append(([], next...logRecords.last)) }
    return sorted
  }

  // MARK: What is appended

  /// What must be appended and noted for all added captures.
  mutating func finish() -> RecordSelection {
    var taken: [ClosedRange<UInt64>] = []
    for record in 1..<(captureRecords.last + 1) where !isKnown[Int(record)] {
      if let last = taken.last, last.upperBound + 1 == record {
        taken[taken.count - 1] = last.lowerBound...record
      } else {
        taken.append(record...record)
      }
    }
    var selection = RecordSelection(records: taken, marks: LogMarks(account: source.account))
    for place in captures.indices {
      let chosen = captures[place]
      let (capture, match, numbers) = (chosen.capture, chosen.match, chosen.numbers)
      selection.connections.merge(numbers) { first, _ in first }
      for (number, name) in source.connections {
        if let new = numbers[number] { selection.marks.connections[new] = name }
      }
      let appended = appended(of: capture, taken)
      captures[place].outcome.appended = appended
      captures[place].outcome.isRotated = appended != nil && match?.isRotated == true
      let records = (match?.ranges ?? []) + (appended.map { [$0] } ?? [])
      for print in capture.prints {
        let former = target.imports.last(where: print.begins(with:))
        let now = ImportedSource(
          print, records: records, connections: chosen.outcome.connections)
        if now != former { selection.imports.append((now, match == nil ? nil : former)) }
      }
    }
    return selection
  }

  /// The new numbers of what is taken from a capture; nil if nothing is.
  private func appended(
    of capture: StagedCapture, _ taken: [ClosedRange<UInt64>]
  ) -> ClosedRange<UInt64>? {
    var before = logRecords.last
    var range: ClosedRange<UInt64>?
    for part in taken {
      if part.overlaps(capture.records) {
        let own = part.clamped(to: capture.records)
        let first = before + (own.lowerBound - part.lowerBound) + 1
        let last = first + UInt64(own.count) - 1
        range = (range?.lowerBound ?? first)...last
      }
      before += UInt64(part.count)
    }
    return range
  }

  /// The numbers for a capture's connections. A connection keeps its number if the capture
  /// continues one in the log, or takes that of the same name. Connections without a name are one
  /// connection, however many captures continued it. All others get new numbers.
  ///
  /// - Throws: `ImportError.nowOverlaps` if captures that continued one connection one after the
  ///   other belong to two connections.
  private func numbers(
    of capture: StagedCapture, after former: ImportedSource?
  ) throws -> [UInt32: UInt32] {
    let connections = capture.connections.sorted { $0.value < $1.value }
    guard logRecords.last > 0 else {
      return Dictionary(connections.map { ($0.value, $0.value) }) { first, _ in first }
    }
    let named = Dictionary(target.connections.map { ($0.value, $0.key) }) { first, _ in first }
    var last = max(target.connections.keys.max() ?? 1, connections.last?.value ?? 1)
    last = captures.flatMap(\.numbers.values).reduce(last, max)
    var taken = Dictionary(captures.flatMap(\.numbers).map { ($0.value, $0.key) }) { $1 }
    var numbers: [UInt32: UInt32] = [:]
    for (key, number) in connections {
      let name = source.connections[number]
      let same = name.map { named[$0] } ?? (target.connections[number] == nil ? number : nil)
      if let known = former?.connections[key] {
        guard taken[known] ?? number == number else {
          throw ImportError.nowOverlaps(captures: captures.compactMap(\.match?.former?.name))
        }
        numbers[number] = known
      } else if let same, taken[same] ?? number == number {
        numbers[number] = same
      } else {
        last += 1
        numbers[number] = last
      }
      numbers[number].map { taken[$0] = number }
    }
    return numbers
  }
}

extension [ClosedRange<UInt64>] {
  /// The ranges in order, those that overlap or touch as one.
  fileprivate var joinedRanges: Self {
    sorted { $0.lowerBound < $1.lowerBound }.reduce(into: []) { joined, range in
      if let last = joined.last, range.lowerBound <= last.upperBound + 1 {
        joined[joined.count - 1] = last.lowerBound...Swift.max(last.upperBound, range.upperBound)
      } else {
        joined.append(range)
      }
    }
  }
}
