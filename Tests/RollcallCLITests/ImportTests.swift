import Foundation
import TestSupport
import Testing

@Suite("The command import") struct ImportTests {
  private let header = #"{"rollcall-capture":1,"account":"alice@example.test/phone"}"#
  private func push(_ name: String) -> String {
    "{\"dir\":\"in\",\"xml\":\"<iq type='set' id='\(name)'><query xmlns='jabber:iq:roster'>"
      + "<item jid='\(name)@example.test'/></query></iq>\"}"
  }

  private func folder(_ files: [String: String]) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    for (name, text) in files {
      try text.write(toFile: folder.file(name), atomically: true, encoding: .utf8)
    }
    return folder
  }

  private func count(_ log: String, _ folder: TemporaryFolder) throws -> Int? {
    (try Program("log", log, "--json", in: folder.path).document["records"] as? [Any])?.count
  }

  private func jids(_ log: String, _ folder: TemporaryFolder) throws -> [String] {
    let items = try Program("state", log, "--json", in: folder.path).document["items"]
    return (items as? [NSDictionary] ?? []).compactMap { $0["jid"] as? String }
  }

  @Test("A note says which new records are older than the log's end")
  func earlier() throws {
    func presence(_ time: Int) -> String {
      #"{"t":\#(time),"dir":"in","xml":"<presence from='b@example.test/\#(time)'/>"}"#
    }
    let folder = try folder([
      "late": "\(header)\n\(presence(9000))\n",
      "early": "\(header)\n\(presence(1000))\n\(presence(2000))\n\(presence(9500))\n",
    ])
    let first = try Program("import", "late", "-o", "x.rollcall", in: folder.path)
    #expect(first.code == 0 && first.errors.isEmpty)
    let second = try Program("import", "early", "-o", "x.rollcall", "--force", in: folder.path)
    #expect(second.code == 0)
    #expect(
      second.errors.contains(
        "2 of the new records are older than 1970-01-01T00:00:09.000Z, the time of its record 2"),
      "\(second.errors)")
    // In order, no note is needed.
    let both = try Program("import", "late", "early", "-o", "y.rollcall", in: folder.path)
    #expect(both.code == 0 && !both.errors.contains("older than"), "\(both.errors)")
  }

  @Test("Several captures append in order, together or one after another")
  func several() throws {
    let folder = try folder([
      "one": "\(header)\n\(push("a"))\n", "two": "\(header)\n\(push("b"))\n",
      "three": "\(header)\n\(push("c"))\n",
    ])
    #expect(try Program("import", "one", "two", "-o", "x.rollcall", in: folder.path).code == 0)
    #expect(try Program("import", "three", "-o", "x.rollcall", in: folder.path).code == 0)
    #expect(try jids("x.rollcall", folder) == ["a", "b", "c"].map { "\($0)@example.test" })
    #expect(try count("x.rollcall", folder) == 6)
  }

  @Test("Importing the same capture again changes nothing, except with --force")
  func again() throws {
    let folder = try folder(["one": "\(header)\n\(push("a"))\n"])
    #expect(try Program("import", "one", "-o", "x.rollcall", in: folder.path).code == 0)
    let before = try Data(contentsOf: URL(filePath: folder.file("x.rollcall")))
    let again = try Program("import", "one", "-o", "x.rollcall", in: folder.path)
    #expect(again.code == 0)
    #expect(again.output == "one: nothing new: its 2 records are in the log already\n")
    #expect(try Data(contentsOf: URL(filePath: folder.file("x.rollcall"))) == before)
    #expect(try Program("import", "one", "-o", "x.rollcall", "--force", in: folder.path).code == 0)
    #expect(try count("x.rollcall", folder) == 4)
    let twice = try Program("import", "one", "one", "-o", "y.rollcall", "--json", in: folder.path)
    let imported = try #require(twice.document["imported"] as? [[String: Any]])
    #expect(imported.map { $0["new"] as? Int } == [2, 0])
    #expect(imported.map { $0["known"] as? Int } == [0, 2])
    #expect(try count("y.rollcall", folder) == 2)
  }

  @Test(
    "Bad input is named by file and line, and nothing is left behind",
    arguments: [
      ("not a capture at all\n", "slixmpp"), ("", "it is empty"),
      ("\u{1F}\u{0}\u{0}\u{0}binary\u{0}", "it is not text"),
      (#"{"rollcall-capture":2,"account":"alice@example.test"}"# + "\n", "bad:1"),
      (#"{"rollcall-capture":1,"account":"@"}"# + "\n", "bad:1"),
    ])
  func bad(_ text: String, _ named: String) throws {
    let folder = try folder(["bad": text])
    let run = try Program("import", "bad", "-o", "x.rollcall", in: folder.path)
    #expect(run.code == 2)
    #expect(run.output.isEmpty)
    #expect(run.errors.contains("bad") && run.errors.contains(named), "\(run.errors)")
    #expect(try folder.names == ["bad"])
  }

  @Test("A bad capture leaves an existing log unchanged")
  func existing() throws {
    let folder = try folder([
      "one": "\(header)\n\(push("a"))\n", "bad": "nothing\n",
      "other": #"{"rollcall-capture":1,"account":"bob@example.test"}"# + "\n\(push("b"))\n",
    ])
    #expect(try Program("import", "one", "-o", "x.rollcall", in: folder.path).code == 0)
    for capture in ["bad", "other"] {
      let run = try Program("import", capture, "-o", "x.rollcall", in: folder.path)
      #expect(run.code == 2)
      #expect(run.errors.contains(capture == "bad" ? "bad" : "bob@example.test"))
    }
    #expect(try jids("x.rollcall", folder) == ["a@example.test"])
    #expect(try folder.names.filter { $0.contains("draft") } == [])
  }

  @Test("A skipped line is reported with its number, and the records around it are kept")
  func skipped() throws {
    let broken = #"{"dir":"in","xml":"<iq type='set'><query xmlns='jabber:iq:roster'>"}"#
    let folder = try folder([
      "one": "\(header)\n\(push("a"))\n\(broken)\n\(push("b"))\n"
    ])
    let run = try Program("import", "one", "-o", "x.rollcall", in: folder.path)
    #expect(run.code == 0)
    #expect(run.errors.contains("one:3:"), "\(run.errors)")
    #expect(try jids("x.rollcall", folder) == ["a@example.test", "b@example.test"])
  }

  @Test("Captures of several devices at the same time are merged with separate connections")
  func devices() throws {
    let folder = try TemporaryFolder()
    let captures = CaptureCase.fixtures.appending(path: "captures/slixmpp-two-devices")
    let files = ["capture.log", "laptop.log"].map {
      captures.appending(path: $0).path(percentEncoded: false)
    }
    let run = try Program(["import"] + files + ["-o", "both.rollcall"], in: folder.path)
    #expect(run.code == 0, "\(run.errors)")
    #expect(run.errors.contains("merged as devices of one account"))
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        == ["both.rollcall", "both.rollcall-lock"])
    let list = try Program("connections", "both.rollcall", "--json", in: folder.path).document
    let account = try #require((list["accounts"] as? [[String: Any]])?.first)
    let connections = try #require(account["connections"] as? [[String: Any]])
    #expect(connections.map { $0["resource"] as? String } == ["laptop", "phone"])
    #expect(connections.map { $0["name"] as? String } == ["laptop.log", "capture.log"])
    #expect(connections.map { $0["end"] as? String } == ["closed", "closed"])
    let laptop = try Program(
      "friends", "both.rollcall", "--connection", "laptop", in: folder.path)
    let phone = try Program("friends", "both.rollcall", "--connection", "2", in: folder.path)
    #expect(laptop.output.contains("老王"))
    #expect(!phone.output.contains("老王"))
    let wrong = try Program("friends", "both.rollcall", "--connection", "pad", in: folder.path)
    #expect(wrong.code == 2)
    #expect(wrong.errors.contains("it has 1 (laptop.log, laptop), 2 (capture.log, phone)"))
    let replay = try Program("replay", "both.rollcall", in: folder.path)
    #expect(replay.output.contains(" · phone"))
    #expect(replay.output.contains(" · laptop"))
    #expect(try Program("verify", "both.rollcall", in: folder.path).code == 0)
  }

  @Test("Growing captures of several devices can be imported together every day")
  func devicesDaily() throws {
    let folder = try TemporaryFolder()
    func day(_ part: Double, of files: [String], in captures: String) throws {
      for name in files {
        let bytes = try Data(
          contentsOf: CaptureCase.fixtures.appending(path: captures).appending(path: name))
        try bytes.prefix(Int(Double(bytes.count) * part)).write(
          to: URL(filePath: folder.file(name)))
      }
    }
    let names = ["device-1.jsonl", "device-2.jsonl"]
    var known = 0
    for part in [0.5, 0.8, 1] {
      try day(part, of: names, in: "devices/prosody-three")
      let run = try Program(["import"] + names + ["-o", "a.rollcall", "--json"], in: folder.path)
      #expect(run.code == 0, "\(run.errors)")
      let imported = try #require(run.document["imported"] as? [[String: Any]])
      #expect(imported.compactMap { $0["known"] as? Int }.reduce(0, +) == known)
      known = imported.compactMap { $0["records"] as? Int }.reduce(0, +)
      #expect(try count("a.rollcall", folder) == known)
    }
    let whole = try Program(["import"] + names + ["-o", "b.rollcall"], in: folder.path)
    #expect(whole.code == 0)
    for device in names {
      let ways = try ["a.rollcall", "b.rollcall"].map {
        try Program("friends", $0, "--connection", device, "--json", in: folder.path).document
      }
      #expect(ways[0]["friends"] as? NSArray == ways[1]["friends"] as? NSArray)
    }
    // Two days that were once imported as one device cannot be separated later.
    let two = ["capture.log", "laptop.log"]
    try day(0.4, of: two, in: "captures/slixmpp-two-devices")
    for name in two {
      #expect(try Program("import", name, "-o", "c.rollcall", in: folder.path).code == 0)
    }
    try day(1, of: two, in: "captures/slixmpp-two-devices")
    let late = try Program(["import"] + two + ["-o", "c.rollcall"], in: folder.path)
    #expect(late.code == 2)
    #expect(late.errors.contains("with -o and a new log"), "\(late.errors)")
    // A single device is recognized, too, and so are devices imported one after another.
    let alone = try Program("import", names[1], "-o", "b.rollcall", in: folder.path)
    #expect(alone.output.contains("nothing new"), "\(alone.output) \(alone.errors)")
  }

  @Test("Another device's capture of the same time is refused, with advice for merging both")
  func otherDevice() throws {
    func line(_ time: Int, _ name: String) -> String {
      push(name).replacingOccurrences(of: "{\"dir\"", with: "{\"t\":\(time),\"dir\"")
    }
    let start = 1_763_600_000_000
    func capture(_ times: [Int], _ name: String) -> String {
      ([header] + times.map { line(start + $0, "\(name)\($0)") }).joined(separator: "\n") + "\n"
    }
    let folder = try folder([
      "phone": capture([0, 10, 20], "p"), "laptop": capture([5, 15], "l"),
      "later": capture([21, 30], "p"),
    ])
    #expect(try Program("import", "phone", "-o", "x.rollcall", in: folder.path).code == 0)
    let refused = try Program("import", "laptop", "-o", "x.rollcall", in: folder.path)
    #expect(refused.code == 2)
    #expect(refused.errors.contains("rollcall import phone and this one together"))
    #expect(try count("x.rollcall", folder) == 4)
    let both = try Program("import", "phone", "laptop", "-o", "y.rollcall", in: folder.path)
    #expect(both.code == 0)
    #expect(try Program("import", "later", "-o", "x.rollcall", in: folder.path).code == 0)
    let forced = try Program("import", "laptop", "-o", "x.rollcall", "--force", in: folder.path)
    #expect(forced.code == 0, "\(forced.errors)")
    #expect(try count("x.rollcall", folder) == 10)
  }

  @Test("Two simultaneous imports of one capture import it once", arguments: [true, false])
  func atOnce(isNew: Bool) async throws {
    let lines = (0..<2000).map { push("c\($0)") }
    let folder = try folder([
      "one": "\(header)\n\(lines.joined(separator: "\n"))\n", "zero": "\(header)\n\(push("z"))\n",
    ])
    let path = folder.path
    if !isNew { #expect(try Program("import", "zero", "-o", "x.rollcall", in: path).code == 0) }
    let runs = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<3 {
        group.addTask {
          let run = try Program("import", "one", "-o", "x.rollcall", in: path)
          return run.code == 0 ? run.output : "failed: \(run.errors)"
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(runs.count { $0.contains("one: 2001 records") } == 1, "\(runs)")
    #expect(runs.count { $0.contains("nothing new: its 2001 records") } == 2, "\(runs)")
    #expect(try count("x.rollcall", folder) == (isNew ? 2001 : 2003))
    #expect(try folder.names.filter { $0.contains("draft") } == [])
  }

  @Test("Several accounts of a log are named, and one can be chosen")
  func accounts() throws {
    let path = try #require(CaptureCase.all.first { $0.format == "prosody-debug" }).path
    let run = try Program("state", path)
    #expect(run.code == 2)
    #expect(run.errors.contains("lilei17@example.test, xiaomei17@example.test"))
    let wrong = try Program("state", path, "--account", "nobody@example.test")
    #expect(wrong.code == 2)
    #expect(wrong.errors.contains("xiaomei17@example.test"))
  }

  @Test("Files other than logs and captures are refused and named")
  func noFile() throws {
    let folder = try folder(["fake.rollcall": "text", "empty.rollcall": ""])
    for source in ["missing", ".", "fake.rollcall", "empty.rollcall"] {
      let run = try Program("state", source, in: folder.path)
      #expect(run.code == 2)
      #expect(run.errors.contains(source))
    }
    let usage = try Program("state")
    #expect(usage.code == 2)
    let unknown = try Program("state", "fake.rollcall", "--format", "pidgin", in: folder.path)
    #expect(unknown.code == 2)
  }
}

@Suite("One connection of a capture") struct ConnectionTests {
  @Test("One connection of a server's log shows what its resource received")
  func narrowed() throws {
    let path = try #require(CaptureCase.all.first { $0.format == "prosody-debug" }).path
    // The account's first connection went offline at once; its second one made the friend.
    let all = try Program("log", path, "--account", "xiaomei17@example.test", "--json")
    let one = try Program("log", path, "--connection", "c2s56226dcef490", "--json")
    let records = try #require(try one.document["records"] as? [NSDictionary])
    #expect(!records.isEmpty)
    #expect(records.count < (try all.document["records"] as? [NSDictionary])?.count ?? 0)
    let state = try Program("state", path, "--connection", "c2s56226dcef490", "--json").document
    #expect(state["account"] as? String == "xiaomei17@example.test")
    #expect(state["complete"] as? Bool == false, "that connection never fetched the roster")
    let none = try Program("state", path, "--connection", "c2s0")
    #expect(none.code == 2)
    #expect(none.errors.contains("c2s56226dcef490, c2s56226dd11ee0, c2s56226dd310d0"))
  }
}

/// Captures with one file for each direction of a connection.
@Suite("The two directions of a stream in two files") struct PairTests {
  private let folder: TemporaryFolder
  private let inbound = CaptureCase.fixtures.appending(path: "logs/raw-stream/in.xml").path(
    percentEncoded: false)
  private let outbound = CaptureCase.fixtures.appending(path: "logs/raw-stream/out.xml").path(
    percentEncoded: false)

  init() throws { folder = try TemporaryFolder() }

  private func document(_ arguments: String...) throws -> NSDictionary {
    let run = try Program(arguments, in: folder.path)
    #expect(run.code < 2, "\(run.errors)")
    return try run.document
  }

  @Test("Two directions form one capture, in either order")
  func imported() throws {
    for (first, second) in [(inbound, outbound), (outbound, inbound)] {
      let name = "\(first == inbound).rollcall"
      let run = try Program("import", first, second, "-o", name, in: folder.path)
      #expect(run.code == 0)
      #expect(!run.errors.contains("what the client sent"))
      let state = try document("state", name, "--json")
      #expect(state["complete"] as? Bool == true)
      #expect(state["account"] as? String == "yulan45@example.test")
      let expected = try JSONSerialization.jsonObject(
        with: Data(
          contentsOf: URL(filePath: inbound).deletingLastPathComponent()
            .appending(path: "expected.json")))
      let truth = try #require((expected as? NSDictionary)?["items"] as? [NSDictionary])
      let items = try #require(state["items"] as? [NSDictionary])
      #expect(items.map { $0["jid"] as? String } == truth.map { $0["jid"] as? String })
      let again = try Program("import", second, first, "-o", name, in: folder.path)
      #expect(again.code == 0)
      #expect(again.output.split(separator: "\n").allSatisfy { $0.contains("nothing new") })
      #expect(try document("state", name, "--json") == state)
    }
  }

  @Test("Every command reads a pair, and the story has both sides")
  func read() throws {
    let alone = try Program("replay", inbound).output
    #expect(!alone.contains("we denied it"))
    let pair = try Program("replay", inbound, "--pair", outbound).output
    #expect(pair.contains("we denied it"))
    let findings = try document("findings", outbound, "--pair", inbound, "--json")
    let codes = (findings["findings"] as? [NSDictionary] ?? []).compactMap { $0["code"] as? String }
    #expect(!codes.contains { $0.hasPrefix("un") }, "nothing is unanswered: \(codes)")
  }

  @Test("An XML export is a pair again, with the same roster and requests")
  func exported() throws {
    for test in CaptureCase.all {
      let account = ["--account", test.account]
      let name = "x-\(test.name)-\(test.account)"
      let export = ["export", test.path, "--format", "xml", "-o", name] + account
      #expect(try Program(export, in: folder.path).code == 0)
      let before = try Program(["state", test.path, "--json"] + account).document
      let after = try document("state", "\(name).in.xml", "--pair", "\(name).out.xml", "--json")
      for key in ["account", "version", "complete"] {
        #expect(after[key] as? NSObject == before[key] as? NSObject, "\(test): \(key)")
      }
      #expect(items(after) == items(before), "\(test)")
    }
  }

  /// What the items of a state say, without the numbers of records, which are those of each log.
  private func items(_ state: NSDictionary) -> [[NSObject?]] {
    let keys = ["jid", "name", "subscription", "ask", "approved", "groups"]
    return (state["items"] as? [NSDictionary] ?? []).map { item in
      keys.map { item[$0] as? NSObject }
    }
  }

  @Test("Files that do not form a pair are refused and named")
  func refused() throws {
    for second in [inbound, CaptureCase.all[0].path] {
      let run = try Program("state", inbound, "--pair", second)
      #expect(run.code == 2)
      #expect(run.errors.contains("in.xml") && run.errors.contains("two directions"))
    }
    let two = try Program(
      "import", inbound, outbound, "--pair", outbound, "-o", "x.rollcall", in: folder.path)
    #expect(two.code == 2)
    let stranger = """
      <stream:stream to='example.test' xmlns='jabber:client' \
      xmlns:stream='http://etherx.jabber.org/streams'><iq type='get' id='nobody-else'/>
      """
    try stranger.write(toFile: folder.file("other.xml"), atomically: true, encoding: .utf8)
    let other = try Program("state", inbound, "--pair", "other.xml", in: folder.path)
    #expect(other.errors.contains("are they of one connection?"))
  }
}
