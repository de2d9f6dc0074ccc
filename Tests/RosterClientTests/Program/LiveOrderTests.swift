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
      "add bob@example.test name='Bob B' group=Work group=\"Old friends\"",
      .add(bob, name: "Bob B", groups: ["Work", "Old friends"])
    ),
    ("add bob@example.test name=", .add(bob, name: "")),
    ("accept bob", .accept(bob)), ("reject 鲍勃", .reject(bob)), ("cancel bob", .cancel(bob)),
    ("remove bob", .remove(bob)), ("rename bob", .rename(bob, to: nil)),
    ("rename bob Robert the Bruce", .rename(bob, to: "Robert the Bruce")),
    ("rename bob \"two  spaces\"", .rename(bob, to: "two  spaces")),
    ("rename bob it\\'s", .rename(bob, to: "it's")),
    ("group bob Work 'Old friends'", .setGroups(bob, ["Work", "Old friends"])),
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
      case .message("hello  there you", Self.bobJID) = try order("message bob 'hello  there' you"),
      case .correction("hello", Self.bob) = try order("correct bob hello"),
      case .displayed(Self.bob) = try order("read bob"),
      case .file("a b.png", text: "look here", to: Self.bobJID) = try order(
        "send bob 'a b.png' look here"),
      case .file("a.amr", text: "", to: Self.bobJID) = try order("send bob a.amr"),
      case .card(fullName: "王 小波", nickname: "=") = try order("card name='王 小波' nick=="),
      case .card(fullName: nil, nickname: "") = try order("card nick="),
      case .avatar("me.png") = try order("avatar me.png"),
      case .avatar(nil) = try order("avatar none"),
      case .help = try order("help"), case .quit = try order("quit")
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
      ("card", .missingText("card")), ("card Bob", .unexpected("Bob")),
      ("card email=x", .unexpected("email=x")), ("card name=a name=b", .unexpected("name=b")),
      ("avatar", .missingFile("avatar")), ("avatar a b", .unexpected("b")),
      ("accept bob carl", .unexpected("carl")),
      ("fetch all", .unexpected("all")), ("add bob@example.test Bob", .unexpected("Bob")),
      ("rename bob 'Bo", .openQuote), ("rename bob Bo\\", .openQuote),
      ("quit now", .unexpected("now")),
    ])
  func refused(_ line: String, _ error: OrderError) {
    #expect(throws: error) { try order(line) }
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
