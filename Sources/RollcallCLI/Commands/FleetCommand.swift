import ArgumentParser

/// The commands about all accounts of a server.
struct FleetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fleet",
    abstract: "Records all accounts of a server.",
    discussion: """
      `rollcall fleet tap` prints a module for a server. The module writes a spool, which the \
      other commands read like any capture; `rollcall state FOLDER --account JID` selects an \
      account.

      `rollcall fleet store` keeps the records of all accounts of spools in one folder, the fleet. \
      `rollcall fleet log` writes the ordinary log of one account of it, and commands that read a \
      log read that of an account: `rollcall state FLEET --account JID`. `who-has`, `requests`, \
      `disagreements` and `findings` ask about all of them.

      Exit codes: 0 done, 1 the answer is no or nothing was found, 2 bad usage or bad input.

      Examples:
        rollcall fleet tap prosody > mod_rollcall_tap.lua
        rollcall fleet store fleet --spool spool
        rollcall fleet accounts fleet
        rollcall fleet disagreements fleet
        rollcall fleet verify fleet
        rollcall fleet log fleet alice@example.test -o a.rollcall
      """,
    subcommands: [
      FleetTapCommand.self, FleetStoreCommand.self, FleetStatusCommand.self,
      FleetAccountsCommand.self, FleetLogCommand.self, FleetWhoHasCommand.self,
      FleetRequestsCommand.self, FleetDisagreementsCommand.self, FleetFindingsCommand.self,
      FleetVerifyCommand.self, FleetRecoverCommand.self, FleetEraseCommand.self,
    ])
}

struct FleetTapCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tap",
    abstract: "Prints a server module that records all accounts of the server.",
    discussion: """
      The first lines of the module say how to install it. It writes every stanza of every local \
      account, in both directions, and the rosters that the server stores, as JSON Lines into a \
      folder that only the server's user can read. Passwords, tokens, keys and the ids with which \
      a session could be taken over are left out before anything is written, at any depth. So are \
      messages and most other content, but not the status texts of presence, unless the module is \
      configured to write all.

      Exit codes: 0 done, 2 bad usage or bad input.

      Examples:
        rollcall fleet tap prosody > mod_rollcall_tap.lua
        rollcall fleet tap ejabberd > mod_rollcall_tap.erl
      """)

  /// A server for which there is a module.
  enum Server: String, CaseIterable, ExpressibleByArgument {
    case prosody, ejabberd

    var module: StaticString {
      switch self {
      case .prosody: embeddedProsodyTap
      case .ejabberd: embeddedEjabberdTap
      }
    }
  }

  @Argument(help: "The server: prosody or ejabberd.")
  var server: Server

  func run() throws {
    try Terminal.write(Array("\(server.module)".utf8))
  }
}
