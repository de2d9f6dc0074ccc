import Captures
import ContactSections
import EventStore
import Foundation
import Rollcall
import RosterCore
import TestSupport
import Testing
import XMPPStanza

/// A log restored from its export, and one from its redacted export, compared record by record.
struct RedactedPair {
  let plain: EventLog
  let redacted: EventLog
  /// The redacted capture.
  let capture: [UInt8]

  /// - Parameter folder: The folder for the logs.
  init(of log: EventLog, in folder: TemporaryFolder) throws {
    var plain: [UInt8] = []
    _ = try LogExport(log).writeNative { plain += $0 }
    var redacted: [UInt8] = []
    _ = try LogExport(log).writeRedacted { redacted += $0 }
    self.plain = try Self.log(of: plain, in: folder)
    self.redacted = try Self.log(of: redacted, in: folder)
    capture = redacted
  }

  /// All records of a native capture, of any account.
  static func log(of capture: [UInt8], in folder: TemporaryFolder) throws -> EventLog {
    let log = try EventLog.draft(
      for: folder.file("\(UUID()).rollcall"), eventVersion: RecordReader.version)
    var drafts: [RecordDraft] = []
    var problems: [String] = []
    let native = try #require(CaptureFormat.named("native"))
    var reader = CaptureReader(format: native, options: ReaderOptions())
    let take = { (output: CaptureOutput) in
      guard case .record(let record) = output else {
        return problems.append("\(output)")
      }
      drafts.append(RecordDraft(record, on: record.connectionNumber ?? 1))
    }
    try reader.read(capture, take)
    try reader.finish(take)
    #expect(problems == [])
    try log.append(drafts)
    return log
  }

  /// Expects that both have the same story about different people, and that none of the original's
  /// words are left.
  func expectSameStory(_ sourceLocation: SourceLocation = #_sourceLocation) throws {
    let match = try Match(plain, redacted)
    #expect(match.faults == [], sourceLocation: sourceLocation)
    let stories = try (story(of: plain, by: match.contacts), story(of: redacted, by: [:]))
    #expect(stories.0 == stories.1, sourceLocation: sourceLocation)
    let last = try plain.read { try $0.lastSequence }
    for point in [last / 2, last] {
      let screens = try (
        screens(of: plain, at: point, by: match), screens(of: redacted, at: point, by: nil)
      )
      #expect(screens.0 == screens.1, "at \(point)", sourceLocation: sourceLocation)
    }
    #expect(match.leaks(in: capture) == [], sourceLocation: sourceLocation)
  }

  /// Expects that none of the original's words are left in a test generated from it.
  func expectSafeTest(_ sourceLocation: SourceLocation = #_sourceLocation) throws {
    let match = try Match(plain, redacted)
    let test = try GeneratedTest(
      of: Timeline(plain), upTo: .head(minus: 0), name: "x", redacts: true,
      in: FileManager.default.temporaryDirectory)
    for (name, file) in test.files {
      // Sentences about findings are English, and times are those of the records.
      let text = String(decoding: file, as: UTF8.self)
        .replacing(/"(sentence|time)":"(\\.|[^"\\])*"/, with: "")
      guard !name.hasSuffix(".swift") else { continue }
      let leaks = match.leaks(in: Array(text.utf8))
      #expect(leaks == [], "\(name)", sourceLocation: sourceLocation)
    }
  }

  // MARK: What happened

  /// The effect of each record, in an order that does not depend on addresses.
  private func story(of log: EventLog, by names: [BareJID: BareJID]) throws -> [[String]] {
    var story: [[String]] = []
    try Timeline(log).replay(upTo: .head(minus: 0)) { moment, roster in
      func name(_ contact: BareJID?) -> String {
        contact.map { (names[$0] ?? $0).text } ?? "-"
      }
      var lines = ["#\(moment.stamp.record)"]
      for change in moment.outcome.changes {
        let word = "\(change.values)".prefix { $0 != "(" }
        let letter = change.contact.map {
          PinyinReader.section(of: roster.displayName(of: $0)).title
        }
        lines.append("\(word) \(name(change.contact)) \(letter ?? "-")")
      }
      for finding in moment.outcome.findings {
        let cause = finding.cause.map { "\($0)" } ?? "-"
        lines.append("\(finding.code.rawValue) \(cause) \(name(finding.contact))")
      }
      if lines.count > 1 { story.append(lines.sorted()) }
    }
    return story
  }

  /// The contacts screens at a point: the letters, the groups, their members, and the order of the
  /// named contacts.
  private func screens(
    of log: EventLog, at point: UInt64, by match: Match?
  ) throws -> [[String]] {
    let roster = try Timeline(log).state(at: .record(point)).roster
    return SectionPolicy.Grouping.allCases.map { grouping in
      let policy = SectionPolicy(friends: .all, grouping: grouping)
      let index = RosterSections(roster, policy: policy).index
      return (0..<index.sectionCount).flatMap { number -> [String] in
        let section = index.section(number)
        var title = section.title
        if case .group(let group, let letter) = section {
          let stands = match?.groups[Array(group.name.utf8)].map {
            String(decoding: $0, as: UTF8.self)
          }
          title = (stands ?? group.name) + " " + (letter?.title ?? "")
        }
        var (named, nameless): ([String], [String]) = ([], [])
        for case .contact(let contact) in index.rows(inSection: number) {
          guard let jid = try? BareJID(parsing: contact.id) else { continue }
          let id = (match?.contacts[jid] ?? jid).text
          let isNamed = contact.displayName != jid.local ?? jid.domain
          if isNamed { named.append(id) } else { nameless.append(id) }
        }
        return [title] + named + ["-"] + nameless.sorted()
      }
    }
  }
}

/// The mapping from originals to stand-ins, found by comparing both logs, and the errors in it.
struct Match {
  /// The original of each stand-in address.
  private(set) var contacts: [BareJID: BareJID] = [:]
  private(set) var groups: [[UInt8]: [UInt8]] = [:]
  private(set) var faults: [String] = []
  private var standIns: [String: [[UInt8]: [UInt8]]] = [:]
  private var originals: [String: [[UInt8]: [UInt8]]] = [:]
  /// The words of the original that identify people or that they wrote.
  private var words: Set<String> = []
  private var times: Set<String> = []
  private var noted: Set<String> = []

  init(_ plain: EventLog, _ redacted: EventLog) throws {
    let (before, after) = try (Self.records(plain), Self.records(redacted))
    guard before.count == after.count else {
      faults.append("\(before.count) records, then \(after.count)")
      return
    }
    let reader = RecordReader()
    for (one, other) in zip(before, after) {
      guard one.header == other.header else {
        faults.append("\(one.header), then \(other.header)")
        continue
      }
      switch one.header.kind {
      case .element:
        guard let a = reader.element(one.bytes), let b = reader.element(other.bytes) else {
          faults.append("\(one.header) cannot be read")
          continue
        }
        compare(a, b, in: nil)
      case .lifecycle: compare(Lifecycle(one.bytes)?.jid, Lifecycle(other.bytes)?.jid)
      case .annotation: compare(AnnotationLine(one.bytes), AnnotationLine(other.bytes))
      default: break
      }
    }
    groups = standIns["group"] ?? [:]
    words.subtract(times)
  }

  private static func records(
    _ log: EventLog
  ) throws -> [(header: RecordHeader, bytes: [UInt8])] {
    try log.read { transaction in
      var records: [(RecordHeader, [UInt8])] = []
      try transaction.forEachRecord(in: 1...UInt64.max) { header, bytes in
        records.append((header, bytes.withUnsafeBytes { Array($0) }))
      }
      return records
    }
  }

  private mutating func compare(_ a: AnnotationLine?, _ b: AnnotationLine?) {
    for (mine, theirs) in zip(a?.contacts ?? [], b?.contacts ?? []) {
      compare(JID(prepared: mine, resource: nil), JID(prepared: theirs, resource: nil))
      note(wordsOf: mine.text)
    }
    switch (a, b) {
    case (.bookmark(let mine, _), .bookmark(let theirs, _)): pair("bookmark", mine, theirs)
    case (.starred(_, let mine), .starred(_, let theirs)) where mine == theirs: break
    case (.reading(_, let mine), .reading(_, let theirs)):
      pair("name", mine ?? "", theirs ?? "")
    case (.note(_, let mine), .note(_, let theirs)): pair("text", mine ?? "", theirs ?? "")
    case (.requestsSeen(let mine), .requestsSeen(let theirs)) where mine.count == theirs.count:
      break
    default: faults.append("\(String(describing: a)) is \(String(describing: b))")
    }
  }

  private mutating func compare(_ a: XMPPElement, _ b: XMPPElement, in parent: XMPPElement?) {
    pair("namespace", a.name.namespace, b.name.namespace)
    pair("element", a.name.local, b.name.local)
    guard a.attributes.count == b.attributes.count,
      a.children.reduce(0, { n, _ in n + 1 }) == b.children.reduce(0, { n, _ in n + 1 })
    else {
      faults.append("\(a) is \(b)")
      return
    }
    for (mine, theirs) in zip(a.attributes, b.attributes) {
      pair("namespace", mine.name.namespace, theirs.name.namespace)
      pair("attribute", mine.name.local, theirs.name.local)
      if mine.name.namespace.isEmpty, ["from", "to", "jid", "by"].contains(mine.name.local) {
        pairAddresses(mine.value, theirs.value)
      } else if a.is("item", in: Namespace.roster), mine.name.local == "name" {
        pair("name", mine.value.trimmedOfXMLSpace, theirs.value.trimmedOfXMLSpace)
      } else if mine.name.local == "approved" {
        pair("approval", mine.value.trimmedOfXMLSpace, theirs.value.trimmedOfXMLSpace)
      } else {
        pair("value of \(mine.name.local)", mine.value, theirs.value)
        let isLanguage = mine.name == XMLName("lang", in: Namespace.xml)
        if mine.value != theirs.value, !isLanguage { pair("value", mine.value, theirs.value) }
      }
    }
    pairTexts(a, b, in: parent)
    for (mine, theirs) in zip(a.children, b.children) { compare(mine, theirs, in: a) }
  }

  private mutating func pairTexts(_ a: XMPPElement, _ b: XMPPElement, in parent: XMPPElement?) {
    let (mine, theirs) = (a.text.trimmedOfXMLSpace, b.text.trimmedOfXMLSpace)
    let isName =
      a.is("nick", in: Namespace.nick) || a.is("FN", in: Namespace.vCard)
      || a.is("NICKNAME", in: Namespace.vCard)
      || a.is("text", in: Namespace.vCard4)
        && (parent?.is("fn", in: Namespace.vCard4) == true
          || parent?.is("nickname", in: Namespace.vCard4) == true)
    if isName {
      pair("name", mine, theirs)
    } else if a.is("group", in: Namespace.roster) {
      pair("group", mine, theirs)
    } else if a.name.local == "jid" {
      pairAddresses(mine, theirs)
    } else {
      pair("text", a.text, b.text)
    }
  }

  private mutating func pairAddresses(_ a: String, _ b: String) {
    let (mine, theirs) = (try? JID(parsing: a), try? JID(parsing: b))
    if mine == nil, theirs == nil { return pair("malformed", a, b) }
    note(wordsOf: a)
    compare(mine, theirs)
  }

  private mutating func compare(_ mine: JID?, _ theirs: JID?) {
    switch (mine, theirs) {
    case (nil, nil): return
    case (let mine?, let theirs?):
      pair("address", mine.description, theirs.description)
      pair("bare address", mine.bare.text, theirs.bare.text)
      contacts[mine.bare] = theirs.bare
    default: faults.append("an address is one no more, or is one now")
    }
  }

  /// Notes that one stands for the other, which must not stand for anything else.
  private mutating func pair(_ role: String, _ a: String, _ b: String) {
    note(wordsOf: a)
    let (mine, theirs) = (Array(a.utf8), Array(b.utf8))
    let known = standIns[role, default: [:]][mine] ?? theirs
    let origin = originals[role, default: [:]][theirs] ?? mine
    if known != theirs { faults.append("\(role) “\(a)” is “\(b)”, and something else before") }
    if origin != mine { faults.append("\(role) “\(b)” stands for “\(a)”, and for another") }
    standIns[role, default: [:]][mine] = theirs
    originals[role, default: [:]][theirs] = mine
  }

  // MARK: Remaining words

  private mutating func note(wordsOf text: String) {
    guard noted.insert(text).inserted else { return }
    // A time reveals no more than that of its record.
    guard Timestamp.parse(text) == nil, text.wholeMatch(of: /\d{8}T[\d:]{8}/) == nil else {
      return times.formUnion(Self.words(text))
    }
    words.formUnion(Self.words(text).filter { $0.count >= 4 && !Self.common.contains($0) })
  }

  private static func words(_ text: String) -> [String] {
    text.split { !($0.isLetter || $0.isNumber) }.map(String.init)
  }

  /// The words of the protocol, of a native capture and its documents, and of the stand-ins.
  private static let common: Set<String> = {
    let all =
      ProtocolVocabulary.all + [
        "user server example name group text value resource element attribute namespace lang",
        "rollcall capture account stream opened closed resumed true false null stamp bookmark",
        "starred reading note requestsSeen annotations unseen seen",
        "items requests incoming unconfirmed outgoing presence blocked blockedKnown complete",
      ]
    return Set(all.flatMap(words))
  }()

  private static let allCommon = Data(common.joined(separator: " ").utf8)

  /// The words of the original in an output: as they are, in Base64, and percent-encoded.
  func leaks(in output: [UInt8]) -> [String] {
    let text = String(decoding: output, as: UTF8.self)
    var texts = [text, text.removingPercentEncoding ?? ""]
    for run in output.split(whereSeparator: { !Self.base64.contains($0) }) where run.count >= 8 {
      let padding = Array(repeating: UInt8(ascii: "="), count: -run.count & 3)
      if let data = Data(base64Encoded: Data(run + padding)) {
        texts.append(String(decoding: data, as: UTF8.self))
      }
    }
    var leaks = Set(texts.flatMap(Self.words)).intersection(words)
    // A part of a longer word.
    let bytes = Data(texts.joined(separator: "\n").utf8)
    for word in words where word.count >= 6 && !leaks.contains(word) {
      guard Self.allCommon.range(of: Data(word.utf8)) == nil else { continue }
      if bytes.range(of: Data(word.utf8)) != nil { leaks.insert(word) }
    }
    let foreign = text.unicodeScalars.first { !$0.isASCII }
    return leaks.sorted() + (foreign.map { ["U+\(String($0.value, radix: 16))"] } ?? [])
  }

  private static let base64 = Set(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
}
