import ArgumentParser
import Foundation
import Rollcall
import RollcallCLI
import RosterClient

struct ConnectCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "connect", abstract: "Logs in and records the session as it happens.",
    discussion: """
      The story is told as it happens, and everything that goes over the stream is in the log \
      before it is acted on, but for what lets one log in. Lines of standard input are orders to \
      the session; they are carried out once the server has sent the roster:

      \(LiveOrder.guide)

      Ctrl-C, or quit, ends the stream in order; Ctrl-C also ends the wait for the session or for \
      an answer. Where the connection is lost it is made again, \
      and the session gone on with where the server can (XEP-0198).

      One program at a time records to a log: a second one is refused, and told which process \
      has it. Reading commands work beside it.

      Exit codes: 0 done, 1 the server refused something that --do asked for, 2 bad usage, or no \
      session could be had or kept.

      Examples:
        rollcall connect alice@example.org
        rollcall connect alice@example.org --do 'add bob@example.org' --exit
        rollcall connect alice@example.org --server [::1] --authority root.pem
      """)

  @OptionGroup var options: LoginOptions

  @Option(
    name: .customLong("do"),
    help: ArgumentHelp(
      "Ask this of the session once it is there; may be repeated.", valueName: "order"))
  var orders: [String] = []

  @Flag(help: "End once all that was asked for is answered.")
  var exit = false

  @Flag(help: "Tell records as JSON, one object a line.")
  var jsonl = false

  @OptionGroup var times: ZoneOptions

  @MainActor func run() async throws {
    let path = try options.path
    let login = try options.login()
    let session = try Failure.naming(path) { try LiveSession(login, recordingTo: path) }
    guard let timeline = try await session.timeline() else { return }
    let story = try LiveStory(timeline, zone: times.zone, isForMachines: jsonl)
    let console = LiveConsole(session, story, timeline)
    Ending.begin()
    Terminal.note("connecting; recorded in \(path)")
    if let reason = await session.startUnlessAskedToEnd() {
      try story.update()
      throw Failure("\(login.account): \(reason)")
    }
    let isRefused = try await console.run(orders, endsThen: exit)
    if let failure = await session.failure { throw Failure("\(login.account): \(failure)") }
    if isRefused { throw NothingFound(sentence: nil) }
  }
}

struct RegisterCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "register", abstract: "Makes an account on a server that lets people do so.",
    discussion: """
      It is made inside TLS (XEP-0077), and logged in to once, which is recorded.

      Examples:
        rollcall register alice@example.org
        rollcall register alice@example.org --server [::1] --authority root.pem
      """)

  @OptionGroup var options: LoginOptions

  @MainActor func run() async throws {
    let path = try options.path
    let login = try options.login(isNew: true)
    let session = try Failure.naming(path) { try LiveSession(login, recordingTo: path) }
    Ending.begin()
    if let reason = await session.startUnlessAskedToEnd() {
      throw Failure("\(login.account): \(reason)")
    }
    await session.close()
    if let failure = await session.failure { throw Failure("\(login.account): \(failure)") }
    try Terminal.say("\(login.account) has an account; recorded in \(path)")
  }
}
