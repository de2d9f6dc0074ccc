import Foundation
import Rollcall
import RosterClient

// Two friends, their chat, and what each log says afterward. Exits with 1 if anything is wrong.

var failures = 0

@MainActor
func expect<Value: Equatable>(_ what: String, _ found: Value, _ wanted: Value) {
  guard found != wanted else { return }
  failures += 1
  print("\(what): \(found)\n  and not \(wanted)")
}

guard LocalServer.isPossible else {
  print("Prosody is not installed, so that nothing was tried")
  exit(0)
}
let folder = FileManager.default.temporaryDirectory.appending(path: "chat-\(UUID())")
try FileManager.default.createDirectory(
  at: folder.appending(path: "data"), withIntermediateDirectories: true)
let server = try LocalServer(in: folder)

@MainActor
func application(_ user: String, isNew: Bool) throws -> ChatApplication {
  let account = try BareJID(parsing: "\(user)@\(server.domain)")
  var login = LiveLogin(account: account, password: Password("secret of \(user)"))
  login.server = ServerAddress(host: "127.0.0.1", port: server.port, isDirectTLS: false)
  login.authority = server.certificate
  login.registers = isNew
  return try ChatApplication(login, log: server.path("\(user).rollcall"))
}

/// Registers an account as soon as the server is up.
@MainActor
func register(_ user: String) async throws -> ChatApplication {
  for _ in 0..<300 {
    let application = try application(user, isNew: true)
    do {
      try await application.logIn()
      return application
    } catch LiveFailure.unreachable where server.isRunning,
      LiveFailure.encryptionNotOffered where server.isRunning
    {
      // It is not up yet, or does not know its domain yet.
      await application.logOut()
      try await Task.sleep(for: .milliseconds(100))
    }
  }
  throw LiveFailure.timeout("the server")
}

let picture = [UInt8](
  Data(
    base64Encoded:
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg=="
  ) ?? Data())
let recording =
  Array("#!AMR\n".utf8)
  + Array(repeating: [0x04] + [UInt8](repeating: 0, count: 12), count: 50).flatMap { $0 }

@MainActor
func tryOut() async throws {
  // Registration, cards, and a request.
  let li = try await register("lilei")
  let han = try await register("hanmeimei")
  try await li.introduce(as: "李雷", picture)
  try await han.add(li.account, name: "李雷")
  try await li.waitForRoster("request") { $0.incoming[han.account] != nil }
  expect("who is new", await li.newFriends, [han.account])
  try await li.accept(han.account)
  try await han.waitForRoster("request") { $0.incoming[li.account] != nil }
  try await han.accept(li.account)
  for (one, other) in [(han, li), (li, han)] {
    try await one.waitForRoster("friend") { $0.item(other.account)?.subscription == .both }
  }
  try await li.rename(han.account, "韩梅梅")
  try await li.waitForRoster("name") { $0.item(han.account)?.name == "韩梅梅" }

  // Text, a correction, a picture and a recording.
  let message = try await li.say("你好", to: han.account)
  try await han.waitForChat("text") { $0.chat(with: li.account)?.messages.count == 1 }
  let before = try await han.chat(with: li.account)
  try await li.correct(message, to: "你好!")
  try await li.send(picture, name: "a.png", to: han.account)
  try await li.send(recording, name: "a.amr", to: han.account)
  try await han.waitForChat("files") { $0.chat(with: li.account)?.messages.count == 3 }
  expect("unread", try await han.history()?.unreadCount, 3)
  try await han.open(li.account)
  expect("read", try await han.history()?.unreadCount, 0)
  try await han.say("好看", to: li.account)
  try await li.waitForChat("answer") { $0.chat(with: han.account)?.messages.count == 4 }
  try await li.waitForChat("marker") {
    $0.chat(with: han.account)?.messages[2].state == .displayed
  }
  let chat = try await li.chat(with: han.account)
  expect("the texts", chat.map(\.text), ["你好!", "", "", "好看"])
  expect("an edit", chat.first?.earlierTexts, ["你好"])
  expect("the files", chat.flatMap { $0.attachments.map(\.kind) }, [.picture, .voice])
  expect("the length", chat[2].attachments.first?.duration, 1000)
  expect("displayed", chat.prefix(3).map(\.state), [.displayed, .displayed, .displayed])

  // The friend's card and picture.
  try await han.fetchCard(of: li.account)
  expect("the card", try await han.history()?.card(of: li.account)?.fullName, "李雷")
  let fetched = try await han.fetchPicture(of: li.account)
  expect("the picture", fetched, Data(picture).base64EncodedString())

  // After the end, and at an earlier moment.
  for application in [li, han] { await application.logOut() }
  do {
    // Closed before the next login writes to it.
    let log = try Timeline(ofLogAt: server.path("hanmeimei.rollcall"))
    let first = try log.chats(at: .record(before[0].id)).chat(with: li.account)
    expect("the first message", first?.messages.map(\.text), ["你好"])
    expect("later", try log.chats().chat(with: li.account)?.messages.count, 4)
  }
  let again = try application("hanmeimei", isNew: false)
  try await again.logIn()
  try await again.waitForRoster("connection") { $0.isConnected }
  try await again.waitForFriends()
  expect("the friends", again.friends, ["L: 李雷"])
  await again.logOut()

  print(chat.map { "\($0.isOurs ? "→" : "←") \($0.text)" }.joined(separator: "\n"))
}

do {
  try await tryOut()
} catch {
  failures += 1
  print(error)
}
// A program that exits runs no deinitializer.
server.stop()
try? FileManager.default.removeItem(at: folder)
exit(failures == 0 ? 0 : 1)
