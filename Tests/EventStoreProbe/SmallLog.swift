import EventStore
import Rollcall
import RosterCore

/// A log with a little of everything: long and short records, events, contacts with long names, an
/// import, snapshots, and free pages.
enum SmallLog {
  private static let stanzas: [(RecordDirection, RecordKind, String)] = [
    (.none, .lifecycle, #"{"rollcall-capture":1,"account":"alice@example.test/phone"}"#),
    (.none, .lifecycle, #"{"stream":"opened","jid":"alice@example.test/phone"}"#),
    (.outbound, .element, "<iq type='get' id='r1'><query xmlns='jabber:iq:roster'/></iq>"),
    (
      .inbound, .element,
      "<iq type='result' id='r1'><query xmlns='jabber:iq:roster' ver='v1'>"
        + "<item jid='bob@example.test' name='Bob' subscription='both'><group>F</group></item>"
        + "<item jid='carol@example.test' subscription='to'/></query></iq>"
    ),
    (.inbound, .element, "<presence from='bob@example.test/x'><show>away</show></presence>"),
    (.inbound, .element, "<presence from='dave@example.test' type='subscribe'/>"),
    (.inbound, .element, "<message from='bob@example.test/x'><body>\(long)</body></message>"),
    (.inbound, .element, "<presence from='\(name)@example.test/x'/>"),
    (.outbound, .element, "<presence to='dave@example.test' type='subscribed'/>"),
    (.inbound, .element, "<message from='carol@example.test'><body>short</body></message>"),
  ]

  private static let long = String(repeating: "a long text ", count: 200)
  private static let name = String(repeating: "n", count: 600)

  static func make(_ path: String) throws {
    let log = try EventLog.create(at: path, eventVersion: RecordReader.version)
    let reader = RecordReader()
    let drafts = stanzas.enumerated().map { index, stanza in
      let (direction, kind, text) = stanza
      let bytes = Array(text.utf8)
      return RecordDraft(
        time: 1_763_600_000_000 + Int64(index) * 1000, direction: direction, kind: kind,
        bytes: bytes, decoded: reader.decode(kind, direction, bytes))
    }
    let source = ImportedSource(digest: "0123456789abcdef", name: "phone.log")
    try log.append(
      drafts.prefix(6), marks: LogMarks(account: "alice@example.test", imported: source))
    try log.append(drafts.dropFirst(6))
    let timeline = Timeline(log)
    try log.store(
      [4, 9].map { (number: UInt64) in
        let state = try timeline.state(at: .record(number))
        return SnapshotDraft(
          sequence: number, version: .current, state: state.roster.snapshot)
      })
  }
}
