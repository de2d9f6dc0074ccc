import Foundation
import Rollcall
@testable import RollcallLive
import TestSupport
import Testing
import XMPPStanza

/// A typed order is understood as intended, or refused with a reason.
@Suite("Orders to a session") struct LiveOrderTests {
  private static let bob = BareJID(prepared: "bob@example.test")
  private static let bobJID = JID(prepared: bob, resource: nil)

  private struct Unknown: Error {}

  /// Parses an order, finding a contact by name as a roster does.
  private func order(_ line: String) throws -> LiveOrder {
    try LiveOrder(line) { name in
      guard ["bob", "Bob", "鲍勃", "bob@example.test"].contains(name) else { throw Unknown() }
      return Self.bob
    }
  }

  private static let commands: [(String, RosterCommand)] = [
    ("add bob@example.test", .add(bob)),
    ("  add   NEW@example.test\t", .add(BareJID(prepared: "new@example.test"))),
    (
      "add bob@example.test name=\"Bob B\" group=Work group=\"Old friends\"",
      .add(bob, name: "Bob B", groups: ["Work", "Old friends"])
    ),
    ("add bob@example.test name=", .add(bob, name: "")),
    ("accept bob", .accept(bob)), ("reject 鲍勃", .reject(bob)), ("cancel bob", .cancel(bob)),
    ("remove bob", .remove(bob)), ("rename bob", .rename(bob, to: nil)),
    ("rename bob Robert the Bruce", .rename(bob, to: "Robert the Bruce")),
    ("rename bob \"two  spaces\"", .rename(bob, to: "two  spaces")),
    ("rename bob it's", .rename(bob, to: "it's")),
    ("rename bob O'Brien's", .rename(bob, to: "O'Brien's")),
    (
      "add bob@example.test message=\"I'm Al\" name=B",
      .add(bob, name: "B", message: "I'm Al")
    ),
    ("list bob group=Work", .add(bob, groups: ["Work"], subscribes: false)),
    ("unsubscribe bob", .unsubscribe(bob)), ("revoke bob", .revoke(bob)),
    ("block new@example.test", .block(JID(BareJID(prepared: "new@example.test")))),
    ("group bob Work \"Old friends\"", .setGroups(bob, ["Work", "Old friends"])),
    ("group bob", .setGroups(bob, [])),
    ("block bob", .block(bobJID)), ("unblock bob", .unblock(bobJID)), ("fetch", .fetch),
  ]

  @Test("Commands", arguments: commands.indices)
  func understood(_ index: Int) throws {
    let (line, expected) = Self.commands[index]
    guard case .command(let command) = try order(line) else {
      Issue.record("\(line) is no command")
      return
    }
    #expect(command == expected, "\(line)")
  }

  @Test("Presence, messages, and the rest")
  func others() throws {
    guard case .presence(show: .away, status: "at lunch") = try order("presence away at lunch"),
      case .presence(show: .available, status: "awake") = try order("presence awake"),
      case .presence(show: .available, status: nil) = try order("presence"),
      case .message("hello  there you", Self.bobJID) = try order("message bob \"hello  there\" you"),
      case .correction("hello", Self.bob) = try order("correct bob hello"),
      case .displayed(Self.bob) = try order("read bob"),
      case .file("a b.png", text: "look here", to: Self.bobJID) = try order(
        "send bob \"a b.png\" look here"),
      case .file("a.amr", text: "", to: Self.bobJID) = try order("send bob a.amr"),
      case .card(fullName: "王 小波", nickname: "=") = try order("card name=\"王 小波\" nick=="),
      case .card(fullName: nil, nickname: "") = try order("card nick="),
      case .avatar("me.png") = try order("avatar me.png"),
      case .avatar(nil) = try order("avatar none"),
      case .question("why", ["bob", "--about", "request"]) = try order("why bob --about request"),
      case .question("sections", []) = try order("contacts"), case .who(nil) = try order("who"),
      case .who(Self.bob?) = try order("who bob"), case .help(nil) = try order("help"),
      case .quit = try order("quit")
    else {
      Issue.record("something is misunderstood")
      return
    }
  }

  @Test(
    "A meaningless order is refused",
    arguments: [
      ("", OrderError.empty), ("   ", .empty), ("befriend bob", .unknown("befriend")),
      ("add", .missingContact("add")), ("accept", .missingContact("accept")),
      ("message bob", .missingText("message")), ("correct bob", .missingText("correct")),
      ("read", .missingContact("read")), ("read bob all", .unexpected("all")),
      ("send", .missingContact("send")), ("send bob", .missingFile("send")),
      ("why", .missingContact("why")), ("help befriend", .unknown("befriend")),
      ("card", .missingText("card")), ("card Bob", .unexpected("Bob")),
      ("card email=x", .unexpected("email=x")), ("card name=a name=b", .unexpected("name=b")),
      ("avatar", .missingFile("avatar")), ("avatar a b", .unexpected("b")),
      ("accept bob carl", .unexpected("carl")),
      ("fetch all", .unexpected("all")), ("add bob@example.test Bob", .unexpected("Bob")),
      ("rename bob \"Bo", .openQuote), ("rename bob Bo\\", .openQuote),
      ("quit now", .unexpected("now")),
    ])
  func refused(_ line: String, _ error: OrderError) {
    #expect(throws: error) { try order(line) }
  }

  @Test("What an error names, and what may have been meant")
  func sentences() {
    #expect(
      "\(OrderError.unknown("mesage"))" == "“mesage” is not an order; did you mean “message”?")
    #expect("\(OrderError.unknown("befriend"))" == "“befriend” is not an order; help lists them")
    #expect(
      "\(OrderError.unexpected("Who'"))"
        == "“Who'” is not expected there; \"quotes\" hold words together")
    #expect("\(OrderError.missingText("message"))" == "message needs a text: message WHO WORDS")
  }

  @Test("The help fits a narrow terminal, names every order, and explains each")
  func help() throws {
    let guide = OrderForm.guide
    for line in guide.split(separator: "\n") { #expect(line.count <= 60, "\(line)") }
    let words = Set(guide.split { !$0.isLetter }.map(String.init))
    for form in OrderForm.all {
      #expect(words.contains(form.name))
      guard case .help(let found?) = try order("help \(form.name)") else {
        Issue.record("help \(form.name) explains nothing")
        continue
      }
      #expect(found.help.hasPrefix(form.name) && found.help.hasSuffix("."))
    }
    #expect(Set(OrderForm.all.map(\.name)).count == OrderForm.all.count)
  }

  private static let replies: [(RosterCommand, types: [String], String)] = [
    (.accept(bob), ["subscribed"], "bob@example.test sees your presence"),
    (
      .accept(bob), ["subscribed", "subscribe"],
      "bob@example.test sees your presence; asked to see theirs"
    ),
    (.add(bob), ["subscribe"], "asked to see the presence of bob@example.test"),
    (
      .add(bob), ["subscribed", "subscribe"],
      "bob@example.test sees your presence; asked to see the presence of bob@example.test"
    ),
    (.add(bob, subscribes: false), [], "bob@example.test is in your roster"),
    (.setGroups(bob, []), [], "bob@example.test is in no group now"),
  ]

  @Test("A command says what it did", arguments: replies.indices)
  func reply(_ index: Int) {
    let (command, types, reply) = Self.replies[index]
    let sent = types.map { element("<presence type='\($0)'/>") }
    #expect(command.reply(sending: sent) == reply)
  }

  @Test("Only a regular file is read, up to its limit")
  func files() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("a b é")
    try Data([1, 2, 3]).write(to: URL(filePath: path))
    try FileManager.default.createSymbolicLink(
      atPath: folder.file("link"), withDestinationPath: path)
    #expect(try LocalFile.bytes(at: path, limit: 3) == [1, 2, 3])
    #expect(try LocalFile.bytes(at: folder.file("link"), limit: 4) == [1, 2, 3])
    #expect(throws: OrderError.tooLarge(path, limit: 2)) {
      try LocalFile.bytes(at: path, limit: 2)
    }
    for other in [folder.path, "/dev/null"] {
      #expect(throws: OrderError.notAFile(other)) { try LocalFile.bytes(at: other, limit: 3) }
    }
    #expect(throws: (any Error).self) { try LocalFile.bytes(at: folder.file("none"), limit: 3) }
  }

  @Test("An unknown contact is not mistaken for another")
  func unknown() {
    #expect(throws: Unknown.self) { try order("accept carl") }
  }
}
