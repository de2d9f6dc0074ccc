import Foundation
import TestSupport
import Testing

/// A session of two devices, as lines of a native capture.
struct TwoDevices {
  private(set) var lines = [#"{"rollcall-capture":1,"account":"alice@example.test"}"#]
  private var time = 1_763_600_000_000

  /// Both log in and fetch the roster with Bob, the second one only if it asks for it.
  init(secondFetches: Bool = true) {
    for (number, name) in [(1, "phone"), (2, "pc")] {
      add(number, #""stream":"opened","jid":"alice@example.test/\#(name)","name":"\#(name)""#)
      if number == 1 || secondFetches { fetch(number, Self.bob("Bob")) }
    }
  }

  var text: String { lines.joined(separator: "\n") + "\n" }
  /// The number of the last record.
  var record: Int { lines.count }

  static func bob(_ name: String) -> String {
    "<item jid='bob@example.test' name='\(name)' subscription='both'/>"
  }

  static let removal = "<item jid='bob@example.test' subscription='remove'/>"

  private mutating func add(_ connection: Int, _ rest: String) {
    time += 1_000
    lines.append(#"{"t":\#(time),"c":\#(connection),\#(rest)}"#)
  }

  mutating func received(_ connection: Int, _ xml: String) {
    add(connection, #""dir":"in","xml":"\#(xml)""#)
  }

  mutating func sent(_ connection: Int, _ xml: String) {
    add(connection, #""dir":"out","xml":"\#(xml)""#)
  }

  mutating func fetch(_ connection: Int, _ items: String) {
    sent(connection, "<iq type='get' id='r\(record)'><query xmlns='jabber:iq:roster'/></iq>")
    received(
      connection,
      "<iq type='result' id='r\(record - 1)'><query xmlns='jabber:iq:roster'>\(items)</query></iq>")
  }

  /// A push to some of the connections, each of which acknowledges it.
  mutating func push(_ item: String, to connections: [Int] = [1, 2]) {
    let id = "p\(record)"
    for connection in connections {
      received(
        connection, "<iq type='set' id='\(id)'><query xmlns='jabber:iq:roster'>\(item)</query></iq>"
      )
      sent(connection, "<iq type='result' id='\(id)'/>")
    }
  }

  mutating func end(_ connection: Int) {
    sent(connection, "</stream:stream>")
    received(connection, "</stream:stream>")
    add(connection, #""stream":"closed""#)
  }

  /// The server has still something to say to both.
  mutating func presence() {
    for connection in 1...2 { received(connection, "<presence from='bob@example.test/x'/>") }
  }
}

@Suite("Differences between two connections") struct ConnectionDiffTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func diff(_ devices: TwoDevices, _ arguments: String...) throws -> Program {
    try Data(devices.text.utf8).write(to: URL(filePath: folder.file("two.jsonl")))
    return try Program(
      ["diff", "two.jsonl", "--connection", "phone,pc"] + arguments, in: folder.path)
  }

  /// The records of the pushes that only one received, and the contacts that differ.
  private func answer(_ devices: TwoDevices) throws -> (pushes: [Int], contacts: [String]) {
    let document = try diff(devices, "--json").document
    let pushes = try #require(document["pushes"] as? [[String: Any]])
    let differences = try #require(document["differences"] as? [[String: Any]])
    return (
      pushes.compactMap { $0["record"] as? Int },
      differences.compactMap { $0["contact"] as? String }
    )
  }

  @Test("A push that one of two received is listed, with what they know differently")
  func missed() throws {
    var devices = TwoDevices()
    devices.push(TwoDevices.bob("Robert"))
    devices.push(TwoDevices.bob("Bobby"), to: [1])
    let push = devices.record - 1
    devices.presence()
    #expect(try answer(devices) == ([push], ["bob@example.test"]))
    let run = try diff(devices)
    #expect(run.code == 1)
    #expect(run.output.contains("pc did not receive 1 push that phone received"))
    #expect(run.output.contains("#\(push) bob@example.test “Bobby” both"))
    #expect(!run.output.contains("phone did not receive"))
    // At an earlier moment nothing had been missed yet.
    let before = try diff(devices, "--at", "\(push - 1)")
    #expect(before.code == 0 && before.output.contains("no difference"))
  }

  @Test("Each connection is named with its own last record, and not the other's")
  func ownRecords() throws {
    var devices = TwoDevices()
    devices.push(TwoDevices.bob("Robert"))
    let own = devices.record
    devices.received(1, "<presence from='bob@example.test/x'/>")
    let run = try diff(devices)
    #expect(run.output.contains("phone up to #\(own + 1) → pc up to #\(own)"), "\(run.output)")
    #expect(run.output.contains("they agree after #\(own + 1) of phone and #\(own) of pc"))
    let agreed = try diff(devices, "--json").document["agreed"] as? [String: Int]
    #expect(agreed == ["first": own + 1, "second": own])
  }

  @Test("A removal that one of two received is listed, even if a later fetch shows it")
  func removal() throws {
    var devices = TwoDevices()
    devices.push(TwoDevices.removal, to: [2])
    let push = devices.record - 1
    devices.presence()
    devices.fetch(1, "")
    #expect(try answer(devices) == ([push], []))
    let run = try diff(devices)
    #expect(run.code == 1)
    #expect(run.output.contains("phone did not receive 1 push that pc received"))
    #expect(run.output.contains("bob@example.test is removed"))
  }

  @Test("Of the same push twice, the one that is missing is listed")
  func repeated() throws {
    var devices = TwoDevices()
    for name in ["Robert", "Bob", "Robert"] {
      devices.push(TwoDevices.bob(name), to: name == "Bob" ? [1] : [1, 2])
    }
    devices.presence()
    #expect(try answer(devices).pushes.count == 1)
  }

  @Test("Pushes of two sets at once, received in opposite orders, are missed by none")
  func crossing() throws {
    var devices = TwoDevices()
    for (connection, names) in [(1, ["Rob", "Bobby"]), (2, ["Bobby", "Rob"])] {
      for name in names { devices.push(TwoDevices.bob(name), to: [connection]) }
    }
    devices.presence()
    // What they show differs, because neither knows which of the two is the newer one.
    #expect(try answer(devices) == ([], ["bob@example.test"]))
    #expect(try !diff(devices).output.contains("did not receive"))

    var lost = TwoDevices()
    lost.push(TwoDevices.bob("Rob"), to: [1])
    let push = lost.record - 1
    for connection in 1...2 { lost.push(TwoDevices.bob("Bobby"), to: [connection]) }
    lost.presence()
    #expect(try answer(lost) == ([push], []))
  }

  @Test("What a connection cannot have received, it did not miss")
  func nearMisses() throws {
    var devices = TwoDevices()
    devices.push(TwoDevices.bob("Robert"))
    devices.presence()
    #expect(try answer(devices) == ([], []))
    #expect(try diff(devices).code == 0)

    // The log ends with the push: the other one may still receive it.
    var cut = TwoDevices()
    cut.push(TwoDevices.bob("Robert"), to: [1])
    #expect(try answer(cut).pushes.isEmpty)

    // It has ended its stream.
    var ended = TwoDevices()
    ended.end(2)
    ended.push(TwoDevices.bob("Robert"), to: [1])
    ended.received(1, "<presence from='bob@example.test/x'/>")
    #expect(try answer(ended).pushes.isEmpty)

    // It has not asked for the roster, and is not interested (RFC 6121 §2.2).
    var silent = TwoDevices(secondFetches: false)
    silent.push(TwoDevices.bob("Robert"), to: [1])
    silent.presence()
    #expect(try answer(silent).pushes.isEmpty)

    // Its own fetch had shown it before.
    var fetched = TwoDevices()
    fetched.fetch(2, TwoDevices.bob("Robert"))
    fetched.push(TwoDevices.bob("Robert"), to: [1])
    fetched.presence()
    #expect(try answer(fetched).pushes.isEmpty)

    // A push from a stranger is no push of either.
    var forged = TwoDevices()
    forged.received(
      1,
      "<iq type='set' id='f' from='eve@evil.test'><query xmlns='jabber:iq:roster'>"
        + TwoDevices.removal + "</query></iq>")
    forged.presence()
    #expect(try answer(forged).pushes.isEmpty)
  }

  @Test("Connections are named as elsewhere, and the usage is checked")
  func usage() throws {
    var devices = TwoDevices()
    devices.presence()
    try Data(devices.text.utf8).write(to: URL(filePath: folder.file("two.jsonl")))
    for (names, code, words) in [
      ("1,2", 0, ""), ("phone,2", 0, ""), ("phone,tablet", 2, "no connection “tablet”"),
      ("phone,1", 2, "one connection twice"),
    ] as [(String, Int32, String)] {
      let run = try Program("diff", "two.jsonl", "--connection", names, in: folder.path)
      #expect(run.code == code, "\(names): \(run.errors)")
      #expect(words.isEmpty || run.errors.contains(words), "\(run.errors)")
    }
    for arguments in [["--connection", "1,2", "--other-at", "3"], ["--connection", "1"], []] {
      let run = try Program(["diff", "two.jsonl"] + arguments, in: folder.path)
      #expect(run.code == 2, "\(arguments)")
    }
  }
}
