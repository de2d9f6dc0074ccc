import EventStore
import Foundation
import Rollcall
import RosterCore
import TestSupport
import Testing

@Suite("A report of a session") struct ReportTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A history of received stanzas, one second apart; the first two records are the header and the
  /// session.
  private func timeline(_ stanzas: [String]) throws -> Timeline {
    let text = stanzas.enumerated().map { number, xml in
      #"{"t":\#((number + 1) * 1000),"dir":"in","xml":"\#(xml)"}"#
    }
    return try timeline(
      capture: [
        #"{"rollcall-capture":1,"account":"alice@example.test/phone"}"#,
        #"{"t":0,"stream":"opened","jid":"alice@example.test/phone"}"#,
      ] + text)
  }

  private func timeline(capture lines: [String]) throws -> Timeline {
    let path = folder.file("\(UUID()).jsonl")
    try lines.joined(separator: "\n").write(toFile: path, atomically: true, encoding: .utf8)
    return Timeline(try importedLog(of: path, nil, in: folder))
  }

  private static func presence(_ number: Int) -> String {
    "<presence from='c\(number % 7)@example.test/pc'><status>\(number)</status></presence>"
  }

  private static func push(_ number: Int, from: String = "") -> String {
    "<iq type='set' id='p\(number)'\(from)><query xmlns='jabber:iq:roster'>"
      + "<item jid='bob@example.test' name='N\(number)' subscription='both'/></query></iq>"
  }

  private static let forged = push(0, from: " from='eve@example.org/x'")

  // MARK: The two ends

  @Test("With the log of a contact it says where the two ends parted, and what would repair it")
  func ends() throws {
    var pair = TwoAccounts()
    pair.login()
    pair.request(10)
    pair.acceptance(20, arrives: false)
    pair.alive(120)
    let timeline = try timeline(
      capture: pair.alice.text.split(separator: "\n").map(String.init))
    let page = try ReportPage(of: timeline, ends: pair.ends(in: folder))
    #expect(page.ids.contains("ends") && page.links.contains("#ends"))
    let titles = page.elements(named: "h3").map(\.text)
    #expect(titles.contains("Does alice@example.test see the presence of bob@example.org?"))
    #expect(titles.contains("Does bob@example.org see the presence of alice@example.test?"))
    let repairs = page.elements(named: "dd").map(\.text)
    #expect(repairs.contains { $0.contains("type='subscribe'") })
    let alone = try ReportPage(of: timeline)
    #expect(!alone.ids.contains("ends") && !alone.links.contains("#ends"))
  }

  // MARK: Random sessions

  @Test(
    "It is well formed and complete, and its links have targets",
    arguments: 0..<UInt64(12))
  func random(seed: UInt64) throws {
    let timeline = Timeline(try log(of: randomScenario(seed: seed, lines: 300), in: folder))
    let page = try ReportPage(of: timeline)
    let ids = page.ids
    #expect(Set(ids).count == ids.count, "seed \(seed): an id twice")
    #expect(page.links.filter { !ids.contains(String($0.dropFirst())) } == [], "seed \(seed)")
    var (told, odd, findings): (Set<UInt64>, Set<UInt64>, Int) = ([], [], 0)
    try timeline.replay(upTo: .head(minus: 0)) { moment, _ in
      guard moment.tells else { return }
      told.insert(moment.stamp.record)
      findings += moment.outcome.findings.count
      if !moment.outcome.findings.isEmpty { odd.insert(moment.stamp.record) }
    }
    let entries = page.elements(ofClass: "entry")
    let folded = page.elements(ofClass: "burst").compactMap { burst in
      burst.text.firstMatch(of: /· (\d+) records/).flatMap { Int($0.output.1) }
    }
    #expect(
      entries.count - folded.count + folded.reduce(0, +) == told.count, "seed \(seed)")
    let oddIDs = page.elements(ofClass: "odd").compactMap { $0.attributes["id"] }
    #expect(Set(oddIDs) == Set(odd.map { "r\($0)" }), "seed \(seed)")
    #expect(page.elements(ofClass: "told").count == findings, "seed \(seed)")
  }

  @Test("Each record of an entry has its XML, which agrees with the record")
  func xml() throws {
    let timeline = try timeline([Self.push(1), Self.forged])
    let page = try ReportPage(of: timeline)
    let texts = page.elements(named: "pre").map(\.text)
    #expect(texts.count == 4)
    let reader = RecordReader()
    for (number, text) in zip(UInt64(3)..., texts.dropFirst(2)) {
      let stored = try #require(try timeline.log.read { try $0.record(at: number) })
      let lines = text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      #expect(reader.element(Array(lines.joined().utf8)) == reader.element(stored.bytes))
    }
  }

  // MARK: Findings

  @Test("A finding is explained, and listed with its first records")
  func findings() throws {
    let count = ReportSurvey.listLimit + 5
    let page = try ReportPage(of: timeline((0..<count).map { _ in Self.forged }))
    let finding = try #require(page.elements(ofClass: "finding").first)
    let guide = Finding.Code.foreignPush.guide
    for text in [guide.rule, guide.causes, guide.remedy, "30 times", "5 more"] {
      #expect(finding.text.contains(text), "\(text)")
    }
    let places = page.elements(ofClass: "places").map { $0.text.components(separatedBy: "#").count }
    #expect(places.map { $0 - 1 }.reduce(0, +) == ReportSurvey.listLimit)
    #expect(page.elements(ofClass: "count").map(\.text).suffix(2) == ["30", "0"])
  }

  @Test("An empty session has a page that says so")
  func nothing() throws {
    let page = try ReportPage(of: timeline(capture: [#"{"rollcall-capture":1}"#]), name: nil)
    #expect(page.text.contains("There are no findings."))
    #expect(page.text.contains("account unknown"))
  }

  // MARK: Size

  @Test("A burst of presence takes the same space, however long it is")
  func bursts() throws {
    let short = try ReportPage(of: timeline((0..<300).map(Self.presence)))
    let long = try ReportPage(of: timeline((0..<3000).map(Self.presence)))
    #expect(long.elements(ofClass: "burst").count == 1)
    #expect(long.elements(named: "pre").count == PresenceBurst.sampled + 2)
    let told = long.elements(ofClass: "burst").first?.text
    #expect(told?.contains("\(3000 - PresenceBurst.sampled) more are not in this page") == true)
    #expect(told?.contains("rollcall log capture.log --range 3-3002") == true)
    // Only the picture and the numbers differ.
    #expect(long.source.utf8.count - short.source.utf8.count < 4000)
  }

  @Test("Of a long record, the beginning is shown, with the way to see the rest")
  func longRecord() throws {
    let items = (0..<2000).map { "<item jid='c\($0)@example.test' subscription='both'/>" }.joined()
    let page = try ReportPage(
      of: timeline([
        "<iq type='set' id='1' from='e@e.test'><query xmlns='jabber:iq:roster'>\(items)</query></iq>"
      ]))
    let text = try #require(page.elements(named: "pre").last?.text)
    #expect((10 << 10...14 << 10).contains(text.utf8.count))
    #expect(page.text.contains("rollcall show capture.log 3 shows all."))
    #expect(page.source.utf8.count < 60 << 10)
  }

  @Test("Of a story that is too long, the end is shown, and the findings of the beginning")
  func longStory() throws {
    let names = (1...1000).map { number in
      "<message from='bob@example.test'><event xmlns='http://jabber.org/protocol/pubsub#event'>"
        + "<items node='http://jabber.org/protocol/nick'><item><nick "
        + "xmlns='http://jabber.org/protocol/nick'>N\(number)</nick></item></items></event></message>"
    }
    let odd = Array(repeating: Self.forged, count: 4)
    let timeline = try timeline(names.prefix(10) + odd + names.dropFirst(10))
    var limits = Report.Limits()
    (limits.entries, limits.odd) = (700, 3)
    let page = try ReportPage(of: timeline, limits: limits)
    let ids = page.elements(ofClass: "entry").compactMap { $0.attributes["id"] }
    #expect(ids == ["r13", "r14", "r15"] + (307...1006).map { "r\($0)" })
    #expect(
      page.elements(ofClass: "note").contains { $0.text.contains("Of the first 306 entries") })
    // It is written as it is read.
    #expect(page.pieces.max().map { $0 < 64 << 10 } == true)
  }

  // MARK: Redaction

  @Test("A redacted report identifies no one, and has the same findings")
  func redaction() throws {
    var told = 0
    for test in CaptureCase.all.filter({ $0.name.hasPrefix("slixmpp-") }) {
      let log = try importedLog(of: test.path, nil, in: folder)
      let timeline = Timeline(log)
      let redacted = try timeline.redacted(
        upTo: .head(minus: 0), in: URL(filePath: folder.path))
      let plain = try ReportPage(of: timeline)
      let page = try ReportPage(of: redacted, name: nil)
      #expect(
        plain.elements(ofClass: "finding").map { $0.attributes["id"] }
          == page.elements(ofClass: "finding").map { $0.attributes["id"] }, "\(test.name)")
      let roster = try timeline.state(at: .head(minus: 0)).roster
      for item in roster.sortedItems {
        for word in [item.jid.text, item.name].compactMap({ $0 }) + item.groups {
          if plain.source.contains(word) { told += 1 }
          #expect(!page.source.contains(word), "\(test.name)")
        }
      }
      #expect(!page.source.contains("example.test"), "\(test.name)")
    }
    #expect(told > 20, "the words that were looked for")
  }

  @Test("A redacted history ends at the given point")
  func redactedPoint() throws {
    let timeline = try timeline((1...9).map { Self.push($0) })
    let redacted = try timeline.redacted(upTo: .record(5), in: URL(filePath: folder.path))
    #expect(try redacted.state(at: .head(minus: 0)).roster.position == 5)
    #expect(try folder.names.filter { $0.hasPrefix("rollcall-") } == [])
  }

  // MARK: Reading it

  /// WCAG 2.2, 1.4.3 and 1.4.11.
  @Test("Every color has enough contrast with its background, in light and in dark")
  func contrast() throws {
    for palette in [ReportPalette.light, .dark] {
      let colours = Dictionary(
        palette.colors.map { ($0.key, Self.luminance($0.value)) }, uniquingKeysWith: { a, _ in a })
      func contrast(_ a: String, _ b: String) throws -> Double {
        let values = try [a, b].map { try #require(colours[$0]) }.sorted()
        return (values[1] + 0.05) / (values[0] + 0.05)
      }
      for (text, ground) in ReportPalette.texts {
        #expect(try contrast(text, ground) >= 4.5, "\(text) on \(ground)")
      }
      for shape in ReportPalette.shapes {
        #expect(try contrast(shape, "paper") >= 3, "\(shape)")
      }
    }
  }

  private static func luminance(_ colour: String) -> Double {
    let value = Int(colour.dropFirst(), radix: 16) ?? 0
    let parts = [value >> 16, value >> 8 & 255, value & 255].map { part in
      let part = Double(part) / 255
      return part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
    }
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
  }

  @Test("Headings are in order, and pictures have descriptions")
  func structure() throws {
    let page = try ReportPage(of: timeline([Self.forged]))
    let levels = page.elements.compactMap { element in
      element.name.wholeMatch(of: /h([1-6])/).flatMap { Int($0.output.1) }
    }
    #expect(levels.first == 1 && levels.count { $0 == 1 } == 1)
    for (before, after) in zip(levels, levels.dropFirst()) { #expect(after <= before + 1) }
    for name in ["main", "nav", "footer"] { #expect(page.elements(named: name).count == 1) }
    for svg in page.elements(named: "svg") where svg.attributes["aria-hidden"] != "true" {
      let title = try #require(svg.attributes["aria-labelledby"])
      #expect(page.elements.contains { $0.attributes["id"] == title && $0.name == "title" })
    }
    for part in page.elements(named: "section") {
      guard let title = part.attributes["aria-labelledby"] else { continue }
      #expect(page.ids.contains(title))
    }
  }
}
