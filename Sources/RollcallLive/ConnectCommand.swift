import ArgumentParser
import Foundation
import Rollcall
import RollcallCLI
import RosterClient

struct ConnectCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "connect", abstract: "Logs in and records the session as it happens.",
    discussion: """
      The story is printed as it happens, with each message, and everything on the stream except \
      credentials is in the log before anything acts on it. Lines of standard input are orders to \
      the session; they are carried out once the server has sent the roster, and each says what it \
      did:

      \(OrderForm.guide)

      Ctrl-C, or quit, closes the stream properly; Ctrl-C also ends the wait for the session or \
      for an answer. If the connection is lost, the command reconnects, and resumes the session if \
      the server supports it (XEP-0198).

      Only one program at a time can record to a log: a second one is refused, with the process \
      that has it. Commands that only read work at the same time.

      Exit codes: 0 done, 1 the server refused something that --do asked for, 2 bad usage, or the \
      session could not be started or kept.

      Examples:
        rollcall connect alice@example.org
        rollcall connect alice@example.org --do 'add bob@example.org' --exit
        rollcall connect alice@example.org --server [::1] --authority root.pem
      """)

  @OptionGroup var options: LoginOptions

  @Option(
    name: .customLong("do"),
    help: ArgumentHelp(
      "Give this order once the session has started; may be repeated.", valueName: "order"))
  var orders: [String] = []

  @Flag(help: "End once all orders are answered.")
  var exit = false

  @Flag(help: "Print records as JSON, one object per line.")
  var jsonl = false

  @OptionGroup var times: ZoneOptions

  @MainActor func run() async throws {
    let path = try options.path
    let login = try options.login()
    let log = LogOfLogin(path)
    let session = try Failure.naming(path) {
      try LiveSession(login, recordingTo: path, keeping: .everything)
    }
    guard let timeline = try await session.timeline() else { return }
    let story = try LiveStory(timeline, zone: times.zone, isForMachines: jsonl)
    let console = LiveConsole(session, story, timeline, log: path)
    Ending.begin()
    Terminal.note("connecting; recorded in \(path)")
    if let failure = await session.startUnlessAskedToEnd() {
      try story.update()
      try log.removeIfEmpty(timeline)
      throw options.refusal(failure, of: login.account)
    }
    let isRefused = try await console.run(orders, endsThen: exit)
    if let failure = await session.failure { throw options.refusal(failure, of: login.account) }
    if isRefused { throw NothingFound(sentence: nil) }
  }
}

struct RegisterCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "register", abstract: "Creates an account on a server that allows it.",
    discussion: """
      The account is created inside TLS (XEP-0077). The command then logs in once and records that.

      Examples:
        rollcall register alice@example.org
        rollcall register alice@example.org --server [::1] --authority root.pem
      """)

  @OptionGroup var options: LoginOptions

  @MainActor func run() async throws {
    let path = try options.path
    let login = try options.login(isNew: true)
    let log = LogOfLogin(path)
    let session = try Failure.naming(path) {
      try LiveSession(login, recordingTo: path, keeping: .everything)
    }
    let timeline = try await session.timeline()
    Ending.begin()
    if let failure = await session.startUnlessAskedToEnd() {
      try log.removeIfEmpty(timeline)
      throw options.refusal(failure, of: login.account)
    }
    await session.close()
    if let failure = await session.failure { throw options.refusal(failure, of: login.account) }
    try Terminal.say("created the account \(login.account); recorded in \(path)")
  }
}
