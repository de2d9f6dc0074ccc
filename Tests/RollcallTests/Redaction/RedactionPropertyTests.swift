import Captures
import EventStore
import Foundation
import Rollcall
import RosterCore
import TestSupport
import Testing
import XMPPStanza

/// Properties of every redacted capture, random or real.
@Suite("Redacted captures of every kind") struct RedactionPropertyTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("A random capture has the same story about different people", arguments: UInt64(0)..<12)
  func random(_ seed: UInt64) throws {
    let scenario = randomScenario(seed: seed, lines: 90)
    var decorator = Decorator(seed: seed)
    let log = try EventLog.draft(
      for: folder.file("random.rollcall"), eventVersion: RecordReader.version)
    let drafts = scenario.wire.map { decorator.decorated(RecordDraft($0)) }
    // A header that ends at once is two records in a capture.
    try log.append(drafts.filter { $0.kind != .streamHeader })
    try RedactedPair(of: log, in: folder).expectSameStory()
  }

  /// Every capture of the fixtures, by its path.
  private static let files: [String] = {
    let paths = FileManager.default.subpaths(
      atPath: CaptureCase.fixtures.path(percentEncoded: false))
    return (paths ?? []).filter { path in
      let folder = path.split(separator: "/").first ?? ""
      let kind = path.split(separator: ".").last ?? ""
      return ["captures", "devices", "logs"].contains(folder) && !path.contains("/device-")
        && ["log", "jsonl", "xml", "txt", "yaml"].contains(kind)
    }.sorted()
  }()

  @Test("A real capture has the same story about different people", arguments: files)
  func real(_ path: String) throws {
    let log = try EventLog.draft(
      for: folder.file("real.rollcall"), eventVersion: RecordReader.version)
    var reading = CaptureImport(ImportOptions(account: try account(of: path), year: 2026))
    let file = CaptureCase.fixtures.appending(path: path)
    let summary = try reading.run(try FileHandle(forReadingFrom: file), into: log)
    // A log of line heads alone has no records.
    guard summary.records > 0 else { return }
    let pair = try RedactedPair(of: log, in: folder)
    try pair.expectSameStory()
    if path.hasPrefix("captures") { try pair.expectSafeTest() }
  }

  @Test("There are real captures") func captures() { #expect(Self.files.count > 50) }

  /// The account of the capture, according to the file next to it.
  private func account(of path: String) throws -> BareJID? {
    struct Meta: Decodable { let account: String }
    guard !path.hasPrefix("devices") else { return try BareJID(parsing: "alice@example.test") }
    let folder = CaptureCase.fixtures.appending(path: path).deletingLastPathComponent()
    let meta = try Data(contentsOf: folder.appending(path: "meta.json"))
    return try BareJID(parsing: JSONDecoder().decode(Meta.self, from: meta).account)
  }
}

/// Adds what people may have written to elements: unique words wherever XML allows them.
private struct Decorator {
  private var random: SeededGenerator
  private var count = 0
  private let reader = RecordReader()

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  mutating func decorated(_ draft: RecordDraft) -> RecordDraft {
    guard draft.kind == .element, let node = reader.element(draft.bytes) else { return draft }
    let bytes = decorated(node).serialized()
    return RecordDraft(
      time: draft.time, direction: draft.direction, kind: draft.kind,
      connection: draft.connection, bytes: bytes,
      decoded: reader.decode(draft.kind, draft.direction, bytes))
  }

  private static let names = [
    "Bob", "bob@example.test", "BOB@example.test", "张三", "曾国藩", "e\u{301}lan", "\u{e9}lan",
    "7 Zwerge", "12 Zwerge", "😀", "Ωmega", "Zoe", "zoe", "  ", "重庆", "重要", "x\u{200B}y",
  ]

  private mutating func decorated(_ node: XMPPElement) -> XMPPElement {
    var attributes = node.attributes.map { attribute in
      guard node.is("item", in: Namespace.roster), attribute.name.local == "name", chance(2) else {
        return attribute
      }
      return XMLAttribute(attribute.name, pick(Self.names))
    }
    if chance(6) { attributes.append(newAttribute()) }
    if chance(12), !attributes.contains(where: { $0.name.local == "approved" }),
      node.is("item", in: Namespace.roster)
    {
      attributes.append(XMLAttribute(XMLName("approved", in: ""), pick([" true ", "1", word()])))
    }
    var content = node.content.map { item -> XMPPElement.Content in
      switch item {
      case .element(let child): .element(decorated(child))
      case .text(let text): .text(changed(text, of: node))
      }
    }
    if chance(8) { content.append(.element(newElement())) }
    return XMPPElement(node.name, attributes: attributes, content: content)
  }

  private mutating func changed(_ text: String, of node: XMPPElement) -> String {
    guard chance(2) else { return text }
    switch (node.name.namespace, node.name.local) {
    case (Namespace.nick, "nick"), (Namespace.vCard, "FN"), (Namespace.roster, "group"):
      return pick(Self.names)
    case (Namespace.client, "status"): return word() + " " + word()
    default: return text
    }
  }

  private mutating func newAttribute() -> XMLAttribute {
    let xlink = "http://www.w3.org/1999/xlink"
    return switch Int.random(in: 0..<8, using: &random) {
    case 0: XMLAttribute(XMLName("lang", in: Namespace.xml), word())
    case 1: XMLAttribute(XMLName("base", in: Namespace.xml), "http://\(word()).test/\(word())")
    case 2: XMLAttribute(XMLName("id", in: Namespace.xml), word())
    case 3: XMLAttribute(XMLName("href", in: xlink), "http://\(word()).test/?\(word())=%41")
    case 4: XMLAttribute(XMLName(word(), in: "urn:\(word())"), word())
    case 5: XMLAttribute(XMLName("stamp", in: "urn:x"), "\(word()) 2026-11-20T10:00:00Z")
    case 6: XMLAttribute(XMLName("node", in: "urn:x"), "\(word())@\(word()).test/\(word())")
    default: XMLAttribute(XMLName(word(), in: ""), word() + "@" + word())
    }
  }

  private mutating func newElement() -> XMPPElement {
    func node(_ local: String, _ namespace: String, _ text: String) -> XMPPElement {
      XMPPElement(XMLName(local, in: namespace), content: [.text(text)])
    }
    switch Int.random(in: 0..<7, using: &random) {
    case 0:
      let stamps = [word(), "2026-11-20T10:00:00Z", "at noon, said \(word())"]
      let stamp = XMLAttribute(XMLName("stamp", in: ""), pick(stamps))
      return XMPPElement(XMLName("delay", in: Namespace.delay), attributes: [stamp])
    case 1: return node("nick", Namespace.nick, pick(Self.names))
    case 2:
      let text = node("text", Namespace.vCard4, pick(Self.names))
      let name = XMPPElement(XMLName("fn", in: Namespace.vCard4), content: [.element(text)])
      return XMPPElement(XMLName("vcard", in: Namespace.vCard4), content: [.element(name)])
    case 3: return node("status", Namespace.client, word())
    case 4: return node("jid", "urn:x", pick(["@\(word())", "\(word())@\(word()).test/x"]))
    case 5:
      let inner = node(word(), "urn:\(word())", word())
      let nick = XMLName("nick", in: Namespace.nick)
      return XMPPElement(nick, content: [.text(word()), .element(inner), .text(word())])
    default: return node(word(), "urn:\(word())", word())
    }
  }

  /// A unique word.
  private mutating func word() -> String {
    count += 1
    return "wq\(count)z" + pick(["", "é", "K", "e\u{301}"]) + "mlk"
  }

  private mutating func pick(_ texts: [String]) -> String {
    texts[Int.random(in: 0..<texts.count, using: &random)]
  }

  private mutating func chance(_ count: Int) -> Bool {
    Int.random(in: 0..<count, using: &random) == 0
  }
}
