import EventStore
import RawBytes
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

  /// The sums of a run of entries, from which a page knows their height before it has them.
  package struct Block: Hashable, Sendable {
    /// The first record of the first entry, and the last one of the last entry.
    package let first, last: UInt64
    package let lines: Int
    package let findings: Int
  }

  package let show: Show
  package let query: StoryQuery
  /// The selected records; nil if they are those of `show`, folded as in the plain story.
  private var selected: [UInt64]?
  /// The record up to which the records are selected.
  package private(set) var upTo: UInt64 = 0
  /// What the terms about people and devices stood for when the records were selected.
  private var scope = StoryScope()
  /// How often the records were selected from the beginning: after that, any entry may be another.
  package private(set) var selection = 0
  /// The full blocks of entries that no later record changes.
  private var settled: [Block] = []

  package init(_ show: Show, _ query: StoryQuery) {
    self.show = show
    self.query = query
    selected = query.terms.isEmpty && show != .findings ? nil : []
  }

  /// Selects among the records that the log has grown by, or among all if a term now stands for
  /// other people or devices: a name that became known belongs to earlier records, too.
  ///
  /// - Parameter labels: What the connections are called.
  ///
  /// Complexity: linear in the new records.
  package mutating func update(
    _ index: StoryIndex, _ texts: inout TextIndex, _ labels: ConnectionLabels, of timeline: Timeline
  ) throws {
    guard upTo < index.head else { return }
    if var records = selected {
      let scope = StoryScope(query, index, labels)
      if scope != self.scope {
        (records, settled, upTo) = ([], [], 0)
        selection += 1
        self.scope = scope
      }
      // Held once, it is changed in place.
      selected = []
      let new = upTo + 1...index.head
      do {
        let filter = try StoryFilter(query, scope, index, &texts, in: new, of: timeline)
        records += index.records(of: show, in: new).filter(filter.includes)
      } catch {
        (settled, upTo) = ([], 0)
        selection += 1
        throw error
      }
      selected = records
    }
    upTo = index.head
    settle(index)
  }

  // MARK: Blocks

  /// Sums up the full blocks that later records leave as they are.
  private mutating func settle(_ index: StoryIndex) {
    let count = selected == nil && show == .story ? index.settledCount : count(in: index)
    while (settled.count + 1) * StoryIndex.blockSize <= count {
      settled.append(sum(of: settled.count, in: index))
    }
  }

  private func sum(of block: Int, in index: StoryIndex) -> Block {
    let start = block * StoryIndex.blockSize
    let end = min(count(in: index), start + StoryIndex.blockSize)
    var (lines, findings) = (0, 0)
    for number in start..<end {
      let entry = entry(number, in: index)
      lines += entry.lines
      findings += entry.findings
    }
    return Block(
      first: entry(start, in: index).first, last: entry(end - 1, in: index).last, lines: lines,
      findings: findings)
  }

  /// The blocks from one on, the last of which may not be full.
  ///
  /// Complexity: linear in these blocks, and in the entries that are still open.
  package func blocks(from first: Int, in index: StoryIndex) -> [Block] {
    let count = (count(in: index) + StoryIndex.blockSize - 1) / StoryIndex.blockSize
    guard first < count else { return [] }
    return (first..<count).map { $0 < settled.count ? settled[$0] : sum(of: $0, in: index) }
  }

  // MARK: Entries

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
    let later = (0..<count(in: index)).partitioningIndex { entry($0, in: index).first > record }
    return later > 0 ? later - 1 : nil
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
  func connections(beginningWith text: String) -> Set<UInt32> {
    Set(
      known.keys.filter { number in
        self[number].lowercased().hasPrefix(text.lowercased())
          || known[number]?.name?.lowercased().hasPrefix(text.lowercased()) == true
          || text == "\(number)"
      })
  }
}
