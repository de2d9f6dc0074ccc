import EventStore
import RosterCore
import XMPPStanza

/// Which records of a log a list shows, as entries that can be counted and taken by number.
package struct StoryView: Sendable {
  /// What a list is of.
  package enum Show: String, Hashable, Sendable, CaseIterable {
    /// The records that tell something; those that change only presence are folded.
    case story
    /// All records.
    case records
    /// The records with findings.
    case findings
  }

  package let show: Show
  package let query: StoryQuery
  /// The selected records; nil if they are those of `show`, folded as in the plain story.
  private var selected: [UInt64]?
  /// The record up to which the records are selected.
  package private(set) var upTo: UInt64 = 0

  package init(_ show: Show, _ query: StoryQuery) {
    self.show = show
    self.query = query
    selected = query.terms.isEmpty && show != .findings ? nil : []
  }

  /// Selects again if the log has grown.
  ///
  /// - Parameter labels: What the connections are called.
  package mutating func update(
    _ index: StoryIndex, _ texts: inout TextIndex, _ labels: ConnectionLabels, of timeline: Timeline
  ) throws {
    guard upTo < index.head else { return }
    if selected != nil {
      let filter = try StoryFilter(query, index, &texts, labels, of: timeline)
      var records = index.records(of: show)
      records.removeAll { !filter.includes($0) }
      selected = records
    }
    upTo = index.head
  }

  /// The number of entries.
  package func count(in index: StoryIndex) -> Int {
    selected?.count ?? (show == .records ? Int(index.head) : index.entryCount)
  }

  /// An entry.
  package func entry(_ number: Int, in index: StoryIndex) -> StoryIndex.Entry {
    if selected == nil, show == .story { return index.entry(number) }
    return index.entry(of: selected?[number] ?? UInt64(number) + 1)
  }

  /// The last entry that begins at or before a record; nil if none does.
  ///
  /// Complexity: O(log n).
  package func entry(atOrBefore record: UInt64, in index: StoryIndex) -> Int? {
    var (low, high) = (0, count(in: index))
    while low < high {
      let middle = low + (high - low) / 2
      if entry(middle, in: index).first <= record { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? low - 1 : nil
  }
}

extension StoryIndex {
  /// The records that a list without a filter is of, unfolded, in order.
  fileprivate func records(of show: StoryView.Show) -> [UInt64] {
    guard head > 0 else { return [] }
    switch show {
    case .story: return (1...head).filter(tells)
    case .records: return Array(1...head)
    case .findings:
      var records: [UInt64] = []
      for finding in findings where records.last != finding.record {
        records.append(finding.record)
      }
      return records
    }
  }
}

/// A query with everything that it takes to answer it for one state of a log.
private struct StoryFilter {
  private enum Test {
    case content(RecordContent)
    case direction(RecordDirection)
    case connections(Set<UInt32>)
    case records(Set<UInt64>)
    case lasting
    case telling
  }

  private let index: StoryIndex
  private var tests: [(test: Test, isNegated: Bool)] = []

  init(
    _ query: StoryQuery, _ index: StoryIndex, _ texts: inout TextIndex, _ labels: ConnectionLabels,
    of timeline: Timeline
  ) throws {
    self.index = index
    for term in query.terms {
      let test: Test
      switch term.condition {
      case .kind(let content): test = .content(content)
      case .way(.in): test = .direction(.inbound)
      case .way(.out): test = .direction(.outbound)
      case .way(.none): test = .direction(.none)
      case .on(let device): test = .connections(labels.connections(beginningWith: device))
      case .property(.lasting): test = .lasting
      case .property(.change): test = .telling
      case .property(.finding): test = .records(index.records(withFindingsOf: nil))
      case .property(.error): test = .records(index.records(withFindingsOf: .error))
      case .property(.warning): test = .records(index.records(withFindingsOf: .warning))
      case .property(.info): test = .records(index.records(withFindingsOf: .info))
      case .who(let text): test = .records(try index.records(concerning: text, in: timeline))
      case .text(let text):
        try texts.extend(over: timeline, upTo: index.head)
        test = .records(Set(texts.records(containing: text)))
      }
      tests.append((test, term.isNegated))
    }
  }

  func includes(_ record: UInt64) -> Bool {
    tests.allSatisfy { holds($0.test, record) != $0.isNegated }
  }

  private func holds(_ test: Test, _ record: UInt64) -> Bool {
    switch test {
    case .content(let content): index.flags[record].content == content
    case .direction(let direction): index.flags[record].direction == direction
    case .connections(let connections): connections.contains(index.flags.connection(of: record))
    case .records(let records): records.contains(record)
    case .lasting: index.flags[record].isLasting
    case .telling: index.tells(record)
    }
  }
}

extension StoryIndex {
  /// The most contacts whose records `who:` looks for, if many names contain its text.
  private static let contactLimit = 100

  /// The records with findings of a severity; nil for any.
  fileprivate func records(withFindingsOf severity: Finding.Severity?) -> Set<UInt64> {
    Set(
      findings.lazy.filter { severity == nil || $0.finding.severity == severity }.map(\.record))
  }

  /// The records that concern a contact whose address or name contains a text, in whatever case.
  fileprivate func records(
    concerning text: String, in timeline: Timeline
  ) throws -> Set<UInt64> {
    guard head > 0 else { return [] }
    let wanted = text.lowercased()
    var known = contacts.union(names.keys).filter { contact in
      contact.text.lowercased().contains(wanted)
        || names[contact]?.lowercased().contains(wanted) == true
    }
    if let address = try? BareJID(parsing: text) { known.insert(address) }
    var records: Set<UInt64> = []
    for contact in known.sorted().prefix(Self.contactLimit) {
      records.formUnion(try timeline.records(concerning: contact, in: 1...head))
    }
    return records
  }
}

/// What the connections of a log are called: the resource that was bound last, or else the source's
/// name, or else the number.
package struct ConnectionLabels: Hashable, Sendable {
  private struct Known: Hashable, Sendable {
    var name: String?
    var resource: String?
  }

  private var known: [UInt32: Known] = [:]

  /// - Parameters:
  ///   - names: What the log calls the connections, by number.
  ///   - sessions: The sessions, which name resources.
  package init(_ names: [UInt32: String], _ sessions: SessionSpans) {
    for (number, name) in names { known[number, default: Known()].name = name }
    for span in sessions.all {
      known[span.connection.number, default: Known()].resource = span.resource
    }
  }

  /// What a connection is called.
  package subscript(number: UInt32) -> String {
    let connection = known[number]
    return connection?.resource ?? connection?.name ?? "connection \(number)"
  }

  /// The connections whose label, name or number is a text, or begins with it.
  fileprivate func connections(beginningWith text: String) -> Set<UInt32> {
    Set(
      known.keys.filter { number in
        self[number].lowercased().hasPrefix(text.lowercased())
          || known[number]?.name?.lowercased().hasPrefix(text.lowercased()) == true
          || text == "\(number)"
      })
  }
}
