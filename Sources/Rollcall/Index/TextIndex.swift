import EventStore
import RawBytes
import RosterCore
import XMPPStanza

/// What the records of a log say in words, to find a text in it: clauses, effects, findings, names
/// and addresses, in lower case.
///
/// Is made when a text is looked for first, and extended as the log grows. Memory: the words.
package struct TextIndex: Sendable {
  /// The number of records that are read in one go.
  private static let slice: UInt64 = 4096
  /// The byte between the words of two records; no text of XML holds it.
  private static let separator: UInt8 = 0

  private var bytes: [UInt8] = []
  /// For each record the end of its words.
  private var ends: [Int] = []
  private var state = Timeline.State()

  package init() {}

  /// The last record whose words are known.
  package var last: UInt64 { UInt64(ends.count) }

  /// Extends the index to a record of the log.
  ///
  /// Complexity: linear in the new records, whose XML is parsed if they mean nothing to the roster.
  package mutating func extend(over timeline: Timeline, upTo last: UInt64) throws {
    let reader = RecordReader()
    while UInt64(ends.count) < last {
      let first = UInt64(ends.count) + 1
      let end = min(last, first + Self.slice - 1)
      var words: [UInt64: String] = [:]
      var state = self.state
      self.state = Timeline.State()
      try timeline.advance(&state, to: end) { words[$0.stamp.record] = $0.words(in: $1) }
      try timeline.log.forEachRecord(in: first...end) { header, span in
        append(
          words[header.sequence] ?? Self.words(of: header, [UInt8](span), reader, state.account))
      }
      self.state = state
    }
  }

  private static func words(
    of header: RecordHeader, _ bytes: [UInt8], _ reader: RecordReader, _ account: BareJID?
  ) -> String {
    let element = header.kind == .element ? reader.element(bytes) : nil
    return SubjectClause(header, bytes, element: element, account: account).full
  }

  private mutating func append(_ words: String) {
    bytes += words.lowercased().utf8
    bytes.append(Self.separator)
    ends.append(bytes.count)
  }

  /// The records from one on whose words contain a text, in whatever case, in order.
  ///
  /// Complexity: linear in the words of these records.
  package func records(containing text: String, from first: UInt64 = 1) -> [UInt64] {
    let wanted = Array(text.lowercased().utf8)
    guard let begin = wanted.first, !wanted.contains(Self.separator) else { return [] }
    var found: [UInt64] = []
    var record = Int(clamping: first) - 1
    var index = record == 0 ? 0 : record <= ends.count ? ends[record - 1] : bytes.count
    while index + wanted.count <= bytes.count {
      guard bytes[index] == begin, bytes[index..<index + wanted.count].elementsEqual(wanted) else {
        index += 1
        continue
      }
      while ends[record] <= index { record += 1 }
      found.append(UInt64(record) + 1)
      index = ends[record]
    }
    return found
  }
}

extension Timeline.Moment {
  /// How many contacts' names are among a record's words: a roster would repeat them all.
  private static let nameLimit = 8

  /// The clauses, changes and findings of the record, and the names of its contacts.
  fileprivate func words(in roster: Roster) -> String {
    var words = [clause] + outcome.changes.digest.map(\.clause)
    for finding in outcome.findings {
      words += [finding.code.rawValue, finding.code.title, finding.sentence]
    }
    var contacts = Set(
      outcome.changes.compactMap(\.contact) + outcome.findings.compactMap(\.contact))
    if let who = subjectClause.who { contacts.insert(who) }
    if contacts.count <= Self.nameLimit {
      words += contacts.sorted().map { roster.displayName(of: $0) }
    }
    return words.joined(separator: "\n")
  }
}
