import Foundation
import TestSupport
import Testing

/// The modules without their servers: what they write of elements, and how they bound their work.
@Suite("The modules for servers, alone") struct TapModuleTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Prosody's own libraries, and the interpreter for which they were built.
  private static let lua: String? = {
    let files = FileManager.default
    guard files.fileExists(atPath: "/usr/lib/prosody/util/stanza.lua"),
      let program = try? String(contentsOfFile: "/usr/bin/prosody", encoding: .utf8),
      let name = program.prefix(while: { $0 != "\n" }).split(separator: " ").last
    else { return nil }
    return String(name)
  }()

  private static let hasErlang = ["/usr/bin/escript", "/usr/bin/erlc", "/usr/sbin/ejabberdctl"]
    .allSatisfy(FileManager.default.isExecutableFile)

  private static let probes = CaptureCase.fixtures.appending(path: "taps")
    .path(percentEncoded: false)

  /// Runs the module that the program prints with arguments for the script that plays the server.
  private func run(_ server: String, _ arguments: String) throws -> Program {
    try? FileManager.default.removeItem(atPath: folder.file("spool"))
    let line =
      server == "prosody"
      ? "\(Self.lua ?? "lua") '\(Self.probes)/prosody.lua' m.lua spool \(arguments)"
      : "erlc mod_rollcall_tap.erl >erlc.txt && "
        + "escript '\(Self.probes)/ejabberd.escript' . spool \(arguments)"
    let module = server == "prosody" ? "m.lua" : "mod_rollcall_tap.erl"
    return try Program(
      shell: "\"$ROLLCALL\" fleet tap \(server) >\(module) && \(line)", in: folder.path)
  }

  /// The lines of the spool.
  private func spool() throws -> [NSDictionary] {
    let path = folder.file("spool")
    return try FileManager.default.contentsOfDirectory(atPath: path).sorted().flatMap { name in
      try String(contentsOfFile: "\(path)/\(name)", encoding: .utf8).split(separator: "\n").map {
        try JSONSerialization.jsonObject(with: Data($0.utf8)) as? NSDictionary ?? [:]
      }
    }
  }

  /// What the module writes of elements that a client sends, if it writes the roster only and if it
  /// writes all.
  private func written(_ server: String, _ elements: [String]) throws -> [[String]] {
    try elements.map { $0 + "\n" }.joined()
      .write(toFile: folder.file("elements.txt"), atomically: true, encoding: .utf8)
    guard server == "prosody" else {
      let run = try run(server, "elements elements.txt")
      #expect(run.code == 0, "\(run.errors)")
      let lines = try spool()
      return ["roster", "all"].map { what in
        lines.filter { $0["a"] as? String == "alice@\(what).test" }
          .compactMap { $0["xml"] as? String }
      }
    }
    return try ["roster", "all"].map { what in
      let run = try run(server, "\(what) elements elements.txt")
      #expect(run.code == 0, "\(run.errors)")
      return try spool().compactMap { $0["xml"] as? String }
    }
  }

  private static func removed(_ kind: String) -> String {
    "<removed xmlns='urn:rollcall:removed:0' kind='\(kind)'/>"
  }

  /// An element, what is written of it with the roster only, and what with all.
  private static let table: [(String, String, String)] = [
    same(
      "<presence><show>away</show><status>back at 5</status></presence>",
      "<presence><show>away</show><status>back at 5</status></presence>"),
    same(
      """
      <presence to='room@muc.test/ann'><x xmlns='http://jabber.org/protocol/muc'>\
      <password>S3CRET</password></x></presence>
      """,
      """
      <presence to='room@muc.test/ann'><x xmlns='http://jabber.org/protocol/muc'>\
      <password>\(removed("password"))</password></x></presence>
      """),
    same(
      """
      <presence type='subscribe' to='ben@a.test'><preauth xmlns='urn:xmpp:pars:0' token='S3CRET'/>\
      </presence>
      """,
      """
      <presence type='subscribe' to='ben@a.test'><preauth xmlns='urn:xmpp:pars:0' \
      token='urn:rollcall:removed:0'/></presence>
      """),
    same(
      "<presence><status>see aesgcm://a.test/b?c#S3CRET and #d</status></presence>",
      "<presence><status>see aesgcm://a.test/b?c#removed and #d</status></presence>"),
    (
      "<message to='ben@a.test' type='chat' id='7'><body>hello</body></message>",
      "<message>\(removed("message"))</message>",
      "<message to='ben@a.test' type='chat' id='7'><body>hello</body></message>"
    ),
    (
      "<message from='ben@a.test' type='error'><body>hello</body><error type='cancel'/></message>",
      "<message>\(removed("message"))</message>",
      "<message from='ben@a.test' type='error'><body>hello</body><error type='cancel'/></message>"
    ),
    (
      "<message><encrypted xmlns='urn:xmpp:esfs:0'><key>S3CRET</key></encrypted></message>",
      "<message>\(removed("message"))</message>",
      """
      <message><encrypted xmlns='urn:xmpp:esfs:0'><key>\(removed("key"))</key></encrypted></message>
      """
    ),
    same(
      "<iq type='get' id='7'><query xmlns='jabber:iq:roster' ver='8'/></iq>",
      "<iq type='get' id='7'><query xmlns='jabber:iq:roster' ver='8'/></iq>"),
    (
      "<iq type='get' id='7' to='a.test'><query xmlns='urn:example:0' node='n'/></iq>",
      "<iq type='get' id='7' to='a.test'>\(removed("urn:example:0"))</iq>",
      "<iq type='get' id='7' to='a.test'><query xmlns='urn:example:0' node='n'/></iq>"
    ),
    same(
      """
      <iq type='error' id='7'><query xmlns='jabber:iq:register'><password>S3CRET</password></query>\
      <error type='cancel'><conflict xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></iq>
      """,
      """
      <iq type='error' id='7'>\(removed("jabber:iq:register"))<error type='cancel'>\
      <conflict xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></iq>
      """),
    same(
      """
      <iq type='result' id='7'><slot xmlns='urn:xmpp:http:upload:0'><put url='https://a.test/S3CRET'>\
      <header name='Authorization'>S3CRET</header></put></slot></iq>
      """,
      "<iq type='result' id='7'>\(removed("urn:xmpp:http:upload:0"))</iq>"),
    (
      "<x xmlns='urn:example:0' a='b'>c</x>",
      "<x xmlns='urn:example:0'>\(removed("urn:example:0"))</x>",
      "<x xmlns='urn:example:0' a='b'>c</x>"
    ),
    same(
      """
      <authenticate xmlns='urn:xmpp:sasl:2' mechanism='PLAIN'>\
      <initial-response>S3CRET</initial-response></authenticate>
      """,
      "<authenticate xmlns='urn:xmpp:sasl:2'>\(removed("sasl"))</authenticate>"),
    // The digest is that of the eight first bytes of the SHA-256 of the id.
    same(
      "<resume xmlns='urn:xmpp:sm:3' previd='some-id' h='1'/>",
      "<resume xmlns='urn:xmpp:sm:3' previd='urn:rollcall:removed:0#9aaebbbd3f8fe651' h='1'/>"),
    same(
      "<enabled xmlns='urn:xmpp:sm:3' id='some-id' resume='true' location='a.test:5222'/>",
      "<enabled xmlns='urn:xmpp:sm:3' id='urn:rollcall:removed:0#9aaebbbd3f8fe651' resume='true'/>"),
    same("<r xmlns='urn:xmpp:sm:3'/>", "<r xmlns='urn:xmpp:sm:3'/>"),
  ]

  /// A row whose element is written in the same way in both cases.
  private static func same(_ element: String, _ written: String) -> (String, String, String) {
    (element, written, written)
  }

  /// An element with the attributes of each tag in one order.
  private static func ordered(_ xml: String) -> String {
    xml.replacing(/<([^\s\/>]+)((?: [^\s=]+='[^']*')+)/) { tag in
      let attributes = tag.2.matches(of: #/ [^\s=]+='[^']*'/#).map { String($0.0) }.sorted()
      return "<\(tag.1)\(attributes.joined())"
    }
  }

  private func checkElements(_ server: String) throws {
    let written = try written(server, Self.table.map(\.0))
    let expected = [Self.table.map(\.1), Self.table.map(\.2)]
    for (written, expected) in zip(written, expected) {
      #expect(
        written.map(Self.ordered)
          == expected.map(Self.ordered))
    }
  }

  private func checkSecrets(_ server: String) throws {
    let elements = SecretPlaces.elements.map {
      $0.replacing("<!--keep-->", with: "").replacing("\n", with: " ")
    }
    for written in try written(server, elements) {
      #expect(written.count == elements.count)
      for (element, text) in zip(elements, written) {
        #expect(!text.contains("S3CRET"), "\(element)")
      }
    }
  }

  @Test(
    "Prosody's module writes what it should of an element",
    .enabled(if: lua != nil, "Prosody is needed"))
  func elementsInProsody() throws { try checkElements("prosody") }

  @Test(
    "ejabberd's module writes what it should of an element, by the option of each host",
    .enabled(if: hasErlang, "ejabberd is needed"))
  func elementsInEjabberd() throws { try checkElements("ejabberd") }

  @Test(
    "Prosody's module leaves out every secret, at any depth",
    .enabled(if: lua != nil, "Prosody is needed"))
  func secretsInProsody() throws { try checkSecrets("prosody") }

  @Test(
    "ejabberd's module leaves out every secret, at any depth",
    .enabled(if: hasErlang, "ejabberd is needed"))
  func secretsInEjabberd() throws { try checkSecrets("ejabberd") }

  @Test(
    "A subscription without an address, and a number in a stanza, do not disturb Prosody's module",
    .enabled(if: lua != nil, "Prosody is needed"))
  func unusual() throws {
    let run = try run("prosody", "roster unusual")
    #expect(run.code == 0 && run.errors.isEmpty, "\(run.errors)")
    let lines = try spool()
    #expect(!lines.contains { $0["gap"] != nil })
    #expect(lines.contains { ($0["xml"] as? String)?.contains(" ver='7'") == true })
  }

  @Test(
    "Prosody's module reads stored rosters for five milliseconds at a time",
    .enabled(if: lua != nil, "Prosody is needed"))
  func slices() throws {
    let run = try run("prosody", "roster rosters 23")
    #expect(run.code == 0, "\(run.errors)")
    // Each takes a millisecond.
    #expect(run.output == "5\n5\n5\n5\n3\n")
    #expect(try spool().count { $0["stored"] as? String == "all" } == 23)
  }

  @Test(
    "What waits in ejabberd's module is bounded, and what is lost is counted",
    .enabled(if: hasErlang, "ejabberd is needed"))
  func flood() throws {
    let run = try run("ejabberd", "flood")
    #expect(run.code == 0, "\(run.errors)")
    // The last of 64 megabytes of lines would exceed the bound with its head. One line is alive.
    #expect(run.output == "lines 64 changes 10000 processes 0\n")
    let gaps = try spool().compactMap { $0["gap"] as? Int }
    #expect(gaps.reduce(0, +) == 37 + 2000)
  }

  @Test(
    "ejabberd's module gives up looking for accounts that cannot be listed",
    .enabled(if: hasErlang, "ejabberd is needed"))
  func missingAccounts() throws {
    let run = try run("ejabberd", "missing")
    #expect(run.output == "1\nnone\n", "\(run.errors)")
    #expect(try spool().compactMap { $0["gap"] as? Int } == [1])
  }
}
