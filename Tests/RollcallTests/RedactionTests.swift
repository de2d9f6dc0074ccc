import EventStore
import Foundation
import Rollcall
import RosterCore
import TestSupport
import Testing
import XMPPStanza

/// A redacted capture tells the same story about other people.
@Suite("Redacted exports") struct RedactionTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func log(of path: String, _ account: String?) throws -> EventLog {
    try importedLog(of: path, account, in: folder)
  }

  /// The letter by which these tests file names.
  private static func letter(_ name: String) -> Character {
    guard let first = name.first else { return "#" }
    if first.isASCII { return first.isLetter ? Character(first.uppercased()) : "#" }
    return first.isLetter ? "Z" : "#"
  }

  private func redact(_ log: EventLog) throws -> String {
    let path = folder.file("\(UUID()).jsonl")
    var bytes: [UInt8] = []
    _ = try LogExport(log).writeRedacted(letter: Self.letter) { bytes += $0 }
    try Data(bytes).write(to: URL(filePath: path))
    return path
  }

  /// What happened, with each contact as the number of its first appearance.
  private func history(_ log: EventLog) throws -> [[String]] {
    var numbers: [BareJID: Int] = [:]
    func number(_ jid: BareJID?) -> String {
      guard let jid else { return "-" }
      if numbers[jid] == nil { numbers[jid] = numbers.count }
      return "\(numbers[jid] ?? 0)"
    }
    var history: [[String]] = []
    try Timeline(log).replay(upTo: .head(minus: 0)) { moment, roster in
      let record = moment.stamp.record
      var lines: [String] = []
      for change in moment.outcome.changes {
        let word = String("\(change.kind)".prefix { $0 != "(" })
        let letter = change.contact.map { String(Self.letter(roster.displayName(of: $0))) } ?? ""
        lines.append("\(record) \(word) \(number(change.contact)) \(letter)")
      }
      for finding in moment.outcome.findings {
        let cause = finding.cause.map { "\($0)" } ?? "-"
        lines.append("\(record) \(finding.code.rawValue) \(cause) \(number(finding.contact))")
      }
      if !lines.isEmpty { history.append(lines) }
    }
    return history
  }

  @Test("The history and the findings are the same", arguments: CaptureCase.all)
  func history(_ test: CaptureCase) throws {
    let log = try log(of: test.path, test.account)
    let path = folder.file("plain.jsonl")
    var bytes: [UInt8] = []
    _ = try LogExport(log).writeNative { bytes += $0 }
    try Data(bytes).write(to: URL(filePath: path))
    let plain = try history(self.log(of: path, nil))
    #expect(try history(self.log(of: try redact(log), nil)) == plain)
    #expect(!plain.isEmpty)
  }

  @Test("Nothing of the original is left", arguments: CaptureCase.all)
  func nothingLeft(_ test: CaptureCase) throws {
    let log = try log(of: test.path, test.account)
    let text = try String(contentsOfFile: try redact(log), encoding: .utf8)
    var secrets: Set<String> = [test.account, "qing-chun-7", "example.test"]
    for item in test.expected.items {
      secrets.insert(item.jid)
      secrets.insert(String(item.jid.prefix { $0 != "@" }))
      secrets.formUnion(item.groups)
      if let name = item.name { secrets.insert(name) }
    }
    for secret in secrets { #expect(!text.contains(secret), "\(secret)") }
    let foreign = text.unicodeScalars.filter { $0.value > 0x7F }
    #expect(foreign.isEmpty, "stand-ins are ASCII: whatever is not was left")
  }

  @Test("What is written beside the roster is replaced as well, and what is malformed stays so")
  func odd() throws {
    let stanzas = [
      "<message from='bob@b.test/pc' id='secret1'><body>secret2</body>"
        + "<x xmlns='secret:ns'><y secret='secret3'>secret4</y></x></message>",
      "<presence from='bob@b.test/pc'><show>secret5</show><status>secret6</status></presence>",
      "<presence from='@secret7' type='subscribe'/>",
      "<presence from='bob@b.test' type='Secret8'/>",
      "<iq type='set' id='secret9'><query xmlns='jabber:iq:roster' ver='secret10'>"
        + "<item jid='secret11@x@y'/></query></iq>",
      "<iq type='set' id='a'><query xmlns='jabber:iq:roster' ver=''>"
        + "<item jid='BOB@b.test' name=' secret12 ' subscription='secret13'>"
        + "<group>secret14</group><group/></item></query></iq>",
    ]
    var text = #"{"rollcall-capture":1,"account":"secret@a.test/secret"}"# + "\n"
    for xml in stanzas { text += "{\"dir\":\"in\",\"xml\":\"\(xml)\"}\n" }
    let path = folder.file("odd.jsonl")
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    let log = try log(of: path, nil)
    let out = try redact(log)
    let redacted = try String(contentsOfFile: out, encoding: .utf8)
      .replacing("secret:ns", with: "").replacing(" secret=", with: "")
    #expect(!redacted.lowercased().contains("secret"), "\(redacted)")
    #expect(try history(self.log(of: out, nil)) == history(log))
  }
}
