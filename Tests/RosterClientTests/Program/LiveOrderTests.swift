import Rollcall
@testable import RollcallLive
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
      ("accept bob carl", .unexpected("carl")),
      ("fetch all", .unexpected("all")), ("add bob@example.test Bob", .unexpected("Bob")),
      ("rename bob 'Bo", .openQuote), ("rename bob Bo\\", .openQuote),
      ("quit now", .unexpected("now")),
    ])
  func refused(_ line: String, _ error: OrderError) {
    #expect(throws: error) { try order(line) }
  }

  @Test("An unknown contact is not mistaken for another")
  func unknown() {
    #expect(throws: Unknown.self) { try order("accept carl") }
  }
}
