import Foundation
import Rollcall
import RollcallTesting

// A day in the life of the application. Exits with 1 if anything is wrong.

var failures = 0

@MainActor
func expect<Value: Equatable>(_ what: String, _ found: Value, _ wanted: Value) {
  guard found != wanted else { return }
  failures += 1
  print("\(what): \(found)\n  and not \(wanted)")
}

let folder = FileManager.default.temporaryDirectory.appending(path: "adopter-\(UUID())")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
let log = folder.appending(path: "me.rollcall").path(percentEncoded: false)
defer { try? FileManager.default.removeItem(at: folder) }

let server = SampleServer(
  items: [
    RosterItem(jid: try BareJID(parsing: "anna@example.test"), name: "Anna", subscription: .both),
    RosterItem(
      jid: try BareJID(parsing: "zeng@example.test"), name: "曾国藩", subscription: .both,
      groups: ["Work"]),
    RosterItem(
      jid: try BareJID(parsing: "li@example.test"), name: "李雷", subscription: .both,
      groups: ["Work"]),
  ])
server.refusal = {
  $0.name == "forbidden" ? StanzaError(type: "cancel", condition: .notAllowed) : nil
}
let clock = SampleClock(at: Date(timeIntervalSince1970: 1_764_000_000), step: .seconds(1))
var table = TableView()
var app = try newApp()

@MainActor
func newApp() throws -> ChatRoster {
  try ChatRoster(log: log, table: table, now: { clock.now() }) { server.received($0) }
}

/// Delivers the server's answers until there are none left.
@MainActor
func settle() throws {
  while true {
    let pieces = server.takeAnswers(inPiecesOf: 37)
    if pieces.isEmpty { return }
    for piece in pieces { try app.received(piece) }
  }
}

@MainActor
func receive(_ xml: String) throws {
  server.send(xml)
  try settle()
}

let bo = try BareJID(parsing: "bo@example.test")
let eve = try BareJID(parsing: "eve@example.test")
let li = try BareJID(parsing: "li@example.test")
let anna = try BareJID(parsing: "anna@example.test")
let shan = try BareJID(parsing: "shan@example.test")

// Login, fetch, sections.
try app.logIn("phone", token: "AG1lAHNlY3JldA==")
try settle()
expect("the friends", table.text, "A: Anna, L: 李雷, Z: 曾国藩")

// New friends: one is accepted and asked in turn; one is rejected.
try receive(
  "<presence type='subscribe' from='bo@example.test'><status>it is me</status>"
    + "<nick xmlns='http://jabber.org/protocol/nick'>Bo</nick></presence>")
try receive("<presence type='subscribe' from='eve@example.test'/>")
expect("who is new", app.newFriends.map(\.name), ["Bo", "eve@example.test"])
expect("the badge", app.badge, 2)
try app.openNewFriends()
expect("the badge, looked at", app.badge, 0)
expect(
  "requests on the screen, the newest first", table.text,
  ": ?eve@example.test ?Bo, A: Anna, L: 李雷, Z: 曾国藩")
try app.accept(bo)
try app.reject(eve)
try settle()
expect("nobody is new", app.newFriends.count, 0)
expect("bo is a friend", table.text, "A: Anna, B: bo, L: 李雷, Z: 曾国藩")

// Adding, renaming, groups, deleting.
try app.add(shan, name: "单雄信", message: "It is me")
try settle()
let refused = try app.rename(anna, "forbidden")
let renamed = try app.rename(anna, "Yana")
try app.move(li, to: ["Work", "Chess"])
try settle()
expect(
  "a refused rename", app.answers[refused],
  .refused(StanzaError(type: "cancel", condition: .notAllowed)))
expect("a rename", app.answers[renamed], .result)
expect("a renamed friend", app.search("yana"), ["Yana"])
try app.undo(anna)
try settle()
expect("the rename, taken back", app.search("anna"), ["Anna"])
try app.renameGroup("Work", "Office")
try settle()
try app.delete(bo)
try app.star(li)
try settle()
expect("refusals", refusal { try app.accept(eve) }, .noRequest(eve))
expect("search", app.search("zengg"), ["曾国藩"])

@MainActor
func refusal(_ body: () throws -> Void) -> CommandRefusal? {
  do {
    try body()
    return nil
  } catch {
    return error as? CommandRefusal
  }
}

// A restart, followed by a request.
let before = table.text
try app.disconnected()
table = TableView()
app = try newApp()
expect("after the restart", table.text, before)
try app.logIn("phone", token: "AG1lAHNlY3JldA==")
try settle()
expect("after the next login", table.text, before)
try receive(
  "<presence type='subscribe' from='eve@example.test'><status>please</status></presence>")
expect("eve asks again", app.newFriends.map(\.words), ["please"])
expect("the badge after the restart", app.badge, 1)

// The history of a contact, as the application reads it.
let story = try app.story(of: bo)
expect("the story begins", story.first?.contains("request of bo@example.test") ?? false, true)
expect("the story ends", story.last?.contains("- contact bo@example.test") ?? false, true)
expect("why bo is no friend", try app.whyFriend(bo).isEmpty, false)
expect("pushes were acknowledged", server.acknowledgedPushes > 5, true)
expect("the table", table.faults, [])

print("\(table.text)\n\(story.joined(separator: "\n"))")
exit(failures == 0 ? 0 : 1)
