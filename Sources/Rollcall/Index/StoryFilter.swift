import EventStore
import RawBytes
import RosterCore
import XMPPStanza

/// What the terms of a query that name people or devices stand for.
struct StoryScope: Hashable, Sendable {
  /// The most contacts whose records `who:` looks for, if many names contain its text.
  private static let contactLimit = 100

  /// For each term `who:` the contacts.
  fileprivate var contacts: [String: [BareJID]] = [:]
  /// For each term `on:` the connections.
  fileprivate var connections: [String: Set<UInt32>] = [:]

  init() {}

  init(_ query: StoryQuery, _ index: StoryIndex, _ labels: ConnectionLabels) {
    for term in query.terms {
      switch term.condition {
      case .who(let text): contacts[text] = Self.contacts(matching: text, index)
      case .on(let device): connections[device] = labels.connections(beginningWith: device)
      case .kind, .way, .property, .text: break
      }
    }
  }

  /// The contacts whose address or name contains a text, in whatever case.
  private static func contacts(matching text: String, _ index: StoryIndex) -> [BareJID] {
    let wanted = text.lowercased()
    var known = index.contacts.union(index.names.keys).filter { contact in
      contact.text.lowercased().contains(wanted)
        || index.names[contact]?.lowercased().contains(wanted) == true
    }
    if let address = try? BareJID(parsing: text) { known.insert(address) }
    return Array(known.sorted().prefix(contactLimit))
  }
}

/// A query with everything that it takes to answer it for some records of a log.
struct StoryFilter {
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

  /// - Parameter records: The records that it will be asked about.
  init(
    _ query: StoryQuery, _ scope: StoryScope, _ index: StoryIndex, _ texts: inout TextIndex,
    in records: ClosedRange<UInt64>, of timeline: Timeline
  ) throws {
    self.index = index
    for term in query.terms {
      let test: Test
      switch term.condition {
      case .kind(let content): test = .content(content)
      case .way(.in): test = .direction(.inbound)
      case .way(.out): test = .direction(.outbound)
      case .way(.none): test = .direction(.none)
      case .on(let device): test = .connections(scope.connections[device] ?? [])
      case .property(.lasting): test = .lasting
      case .property(.change): test = .telling
      case .property(.finding): test = .records(index.records(withFindingsOf: nil, in: records))
      case .property(.error):
        test = .records(index.records(withFindingsOf: .error, in: records))
      case .property(.warning):
        test = .records(index.records(withFindingsOf: .warning, in: records))
      case .property(.info): test = .records(index.records(withFindingsOf: .info, in: records))
      case .who(let text):
        var found: Set<UInt64> = []
        for contact in scope.contacts[text] ?? [] {
          found.formUnion(try timeline.records(concerning: contact, in: records))
        }
        test = .records(found)
      case .text(let text):
        try texts.extend(over: timeline, upTo: records.upperBound)
        test = .records(Set(texts.records(containing: text, from: records.lowerBound)))
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
  /// Those of some records that a list without a filter is of, unfolded, in order.
  func records(of show: StoryView.Show, in range: ClosedRange<UInt64>) -> [UInt64] {
    switch show {
    case .story: return range.filter(tells)
    case .records: return Array(range)
    case .findings:
      var records: [UInt64] = []
      for finding in findings(in: range) where records.last != finding.record {
        records.append(finding.record)
      }
      return records
    }
  }

  /// The records with findings of a severity; nil for any.
  fileprivate func records(
    withFindingsOf severity: Finding.Severity?, in range: ClosedRange<UInt64>
  ) -> Set<UInt64> {
    Set(
      findings(in: range).lazy.filter { severity == nil || $0.finding.severity == severity }
        .map(\.record))
  }

  /// The findings that some records reported.
  ///
  /// Complexity: O(log n), and linear in the findings.
  private func findings(in range: ClosedRange<UInt64>) -> ArraySlice<PlacedFinding> {
    findings[findings.partitioningIndex { $0.record >= range.lowerBound }...]
      .prefix { $0.record <= range.upperBound }
  }
}
