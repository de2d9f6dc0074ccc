package import RosterCore
import XMPPStanza

/// The picture of a session: its connections as lanes over time, the findings and requests in them,
/// and the density of records.
///
/// Memory: a bounded number of lanes and of positions in each, whatever the session's length.
package struct ReportPicture: Sendable {
  /// A period in which a connection was open.
  package struct Stretch: Hashable, Sendable {
    package var start: Double
    package var end: Double
  }

  /// The kinds of marks in a lane, each with its own shape.
  package enum Sign: String, Hashable, Sendable, CaseIterable {
    case error, warning, info, request
  }

  /// One occurrence, or several that are too close together to be distinguished.
  package struct Mark: Hashable, Sendable {
    package let first: UInt64
    package let place: Double
    package fileprivate(set) var sign: Sign
    package fileprivate(set) var count = 1
    /// The description of the first occurrence of the highest importance.
    package fileprivate(set) var words: String
  }

  /// A device: the connections of one resource.
  package struct Lane: Sendable {
    package let name: String
    package fileprivate(set) var connections: Set<ConnectionID> = []
    package fileprivate(set) var stretches: [Stretch] = []
    fileprivate var findings: [Int: Mark] = [:]
    fileprivate var requests: [Int: Mark] = [:]

    /// The findings, from left to right.
    package var findingMarks: [Mark] { findings.sorted { $0.key < $1.key }.map(\.value) }
    /// The requests, from left to right.
    package var requestMarks: [Mark] { requests.sorted { $0.key < $1.key }.map(\.value) }
  }

  /// The maximum number of lanes; the last one is then for all others.
  package static let mostLanes = 12
  /// The number of marks that fit next to each other.
  package static let marks = 80
  /// The number of columns of the density.
  package static let columns = 160
  /// Periods that are closer together than this are joined.
  private static let nearest = 1.0 / 500

  package private(set) var axis: ReportAxis
  package private(set) var lanes: [Lane] = []
  /// The number of records in each column: those that changed only presence, and those that changed
  /// more.
  package private(set) var presence = [Int](repeating: 0, count: columns)
  package private(set) var others = [Int](repeating: 0, count: columns)
  private let names: [ConnectionID: String]
  private var laneOf: [ConnectionID: Int] = [:]
  private var laneNamed: [String: Int] = [:]
  /// Since when each connection has been open.
  private var open: [ConnectionID: Double] = [:]

  /// - Parameter connections: All connections of the log.
  package init(_ connections: [ConnectionStory], _ axis: ReportAxis) {
    self.axis = axis
    names = Dictionary(
      connections.map { ($0.id, $0.label) }, uniquingKeysWith: { first, _ in first })
  }

  /// Adds the next record.
  ///
  /// - Parameter roster: The state after it.
  package mutating func take(_ moment: Timeline.Moment, _ roster: Roster) {
    let place = axis.place(of: moment.stamp)
    if opensOrCloses(moment) { follow(roster, place) }
    guard moment.tells else { return }
    let column = min(Int(place * Double(Self.columns)), Self.columns - 1)
    if moment.isFleeting { presence[column] += 1 } else { others[column] += 1 }
    for finding in moment.outcome.findings {
      mark(moment, place, Sign(finding.severity), finding.code.rawValue, \.findings)
    }
    for change in moment.outcome.changes {
      guard let words = change.asking else { continue }
      mark(moment, place, .request, words, \.requests)
    }
  }

  private func opensOrCloses(_ moment: Timeline.Moment) -> Bool {
    if case .session = moment.event { return true }
    return moment.outcome.changes.contains { $0.field == .connections }
  }

  private mutating func follow(_ roster: Roster, _ place: Double) {
    let now = Set(roster.connections.filter(\.isOpen).map(\.id))
    for (id, start) in open where !now.contains(id) {
      open[id] = nil
      add(Stretch(start: start, end: place), id)
    }
    for id in now where open[id] == nil { open[id] = place }
  }

  /// Ends the periods that are still open.
  package mutating func finish() {
    for (id, start) in open.sorted(by: { $0.key < $1.key }) {
      add(Stretch(start: start, end: 1), id)
    }
    open = [:]
    for lane in lanes.indices { lanes[lane].stretches = lanes[lane].stretches.joined(Self.nearest) }
  }

  private mutating func add(_ stretch: Stretch, _ id: ConnectionID) {
    let lane = lane(of: id)
    lanes[lane].stretches.append(stretch)
    if lanes[lane].stretches.count > 2000 {
      lanes[lane].stretches = lanes[lane].stretches.joined(Self.nearest)
    }
  }

  private mutating func mark(
    _ moment: Timeline.Moment, _ place: Double, _ sign: Sign, _ words: String,
    _ marks: WritableKeyPath<Lane, [Int: Mark]>
  ) {
    let lane = lane(of: moment.connection)
    let cell = min(Int(place * Double(Self.marks)), Self.marks - 1)
    guard var known = lanes[lane][keyPath: marks][cell] else {
      lanes[lane][keyPath: marks][cell] = Mark(
        first: moment.stamp.record, place: (Double(cell) + 0.5) / Double(Self.marks), sign: sign,
        words: words)
      return
    }
    known.count += 1
    if sign.weight > known.sign.weight { (known.sign, known.words) = (sign, words) }
    lanes[lane][keyPath: marks][cell] = known
  }

  private mutating func lane(of id: ConnectionID) -> Int {
    if let known = laneOf[id] { return known }
    var name = names[id] ?? "connection \(id.number)"
    if laneNamed[name] == nil, lanes.count >= Self.mostLanes - 1 { name = "others" }
    let lane = laneNamed[name] ?? lanes.count
    if lane == lanes.count { lanes.append(Lane(name: name)) }
    lanes[lane].connections.insert(id)
    (laneOf[id], laneNamed[name]) = (lane, lane)
    return lane
  }
}

extension ReportPicture.Sign {
  init(_ severity: Finding.Severity) {
    self =
      switch severity {
      case .error: .error
      case .warning: .warning
      case .info: .info
      }
  }

  fileprivate var weight: Int {
    switch self {
    case .error: 3
    case .warning: 2
    case .info: 1
    case .request: 0
    }
  }
}

extension RosterChange {
  /// A description of the request if the change begins or ends one.
  fileprivate var asking: String? {
    (field == .request || field == .outgoing) && mark != "~" ? clause : nil
  }
}

extension [ReportPicture.Stretch] {
  /// The periods from left to right; those that overlap or are too close together are joined.
  fileprivate func joined(_ nearest: Double) -> Self {
    var joined: Self = []
    for stretch in sorted(by: { $0.start < $1.start }) {
      if let last = joined.last, stretch.start - last.end < nearest {
        joined[joined.count - 1].end = Swift.max(last.end, stretch.end)
      } else {
        joined.append(stretch)
      }
    }
    return joined
  }
}
