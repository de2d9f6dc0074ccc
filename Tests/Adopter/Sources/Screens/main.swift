import Rollcall
import RollcallUI

// A contacts screen for SwiftUI and one for a diffable data source follow the same session, and
// show the same. Exits with 1 if anything is wrong.

var failures = 0

@MainActor
func expect<Value: Equatable>(_ what: String, _ found: Value, _ wanted: Value) {
  guard found != wanted else { return }
  failures += 1
  print("\(what): \(found)\n  and not \(wanted)")
}

let session = RosterSession()
let policy = SectionPolicy(friends: .mutual, grouping: .groups, showsStarred: true)
let model = ContactsModel<Bool>()
let list = CellList()
let updates = session.screens(policy)
let views = [
  Task { await model.follow(updates) },
  Task { await follow(session, policy, with: list) },
]

/// Waits until the model shows what the session has: each step below changes the screen.
@MainActor
func settle() async {
  while model.update == nil || model.roster != session.roster { await Task.yield() }
}

@MainActor
func receive(_ xml: String) async throws {
  try session.received(Array(xml.utf8), at: nil)
  await settle()
}

@MainActor
func push(_ item: String, _ id: Int) async throws {
  try await receive(
    "<iq type='set' id='p\(id)'><query xmlns='jabber:iq:roster'>\(item)</query></iq>")
}

let li = try BareJID(parsing: "li@example.test")
await settle()
expect("the connection before the login", model.connection, false)
try session.opened(as: JID(parsing: "me@example.test/phone"), at: nil)
try await push(
  "<item jid='li@example.test' name='李雷' subscription='both'><group>Chess</group>"
    + "<group>Work</group></item>", 1)
try await push("<item jid='bo@example.test' name='Bo' subscription='both'/>", 2)
try session.annotate(.starred(li, true), at: nil)
try await receive("<presence from='li@example.test/pc'><status>lunch</status></presence>")
try await receive("<presence from='li@example.test/pc'><status>nap</status></presence>")
try await receive("<presence type='subscribe' from='eve@example.test'/>")
try session.annotate(.note(li, "from the club"), at: nil)
await settle()

expect("the connection", model.connection, true)
expect("the badge", model.unseenCount, 1)
expect("the roster", model.roster.unseenRequestCount, 1)
expect("the headers", model.sections.map(\.title), ["", "", "Chess", "Work", ""])
expect("the side index", model.sections.compactMap(\.indexTitle), ["☆"])
let rows = model.sections.flatMap { Array($0.rows) }
expect("the rows", rows.map { $0.contact?.displayName ?? "?" }, ["?", "李雷", "李雷", "李雷", "Bo"])
expect("their identities", Set(rows.map(\.id)).count, rows.count)
expect("the addresses", Set(rows.map(\.id.jid)).count, 3)
let liRows = rows.compactMap(\.contact).filter { $0.jid == li }
expect("the status", liRows.map(\.status), ["nap", "nap", "nap"])
expect("the note", liRows.map(\.note), Array(repeating: "from the club", count: 3))
expect("the availability", liRows.map(\.show), [.available, .available, .available])
expect("a search", model.search("ll").map(\.displayName), ["李雷"])

// Everything that the badge counts was seen; a friend leaves all of its sections.
try session.annotate(.requestsSeen(session.roster.unseenRequests), at: nil)
try await push("<item jid='li@example.test' subscription='remove'/>", 3)
expect("the badge, looked at", model.unseenCount, 0)
expect("the sections without li", model.sections.map(\.rows.count), [1, 1])

try session.close()
for view in views { await view.value }
expect("the sections of the list", list.sections, model.sections.map(\.id))
expect(
  "the cells of the list", list.sections.map { list.cells[$0, default: []] },
  model.sections.map { Array($0.rows) })
expect("the list", list.faults, [])
print(model.sections.map { "\($0.title): \($0.rows.count)" }.joined(separator: ", "))
expect("a preview", try sampleScreen().sections.map(\.rows.count), [0, 1])
if failures > 0 { throw Failed() }

struct Failed: Error {}
