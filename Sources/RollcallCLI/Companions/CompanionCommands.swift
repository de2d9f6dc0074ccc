import ArgumentParser

/// A command of another program, declared here for the help and for suggestions after a typo.
protocol CompanionCommand: ParsableCommand {}

extension CompanionCommand {
  mutating func run() throws {
    throw Failure("\(Self.configuration.commandName ?? "") is a command of another program")
  }
}

struct ConnectCommand: CompanionCommand {
  static let configuration = CommandConfiguration(
    commandName: "connect", abstract: "Logs in and records the session as it happens.")

  @Argument(parsing: .captureForPassthrough, help: "The arguments for the other program.")
  var arguments: [String] = []
}

struct RegisterCommand: CompanionCommand {
  static let configuration = CommandConfiguration(
    commandName: "register", abstract: "Creates an account on a server that allows it.")

  @Argument(parsing: .captureForPassthrough, help: "The arguments for the other program.")
  var arguments: [String] = []
}

struct RecordCommand: CompanionCommand {
  static let configuration = CommandConfiguration(
    commandName: "record",
    abstract: "Records what any client and its server say.")

  @Argument(parsing: .captureForPassthrough, help: "The arguments for the other program.")
  var arguments: [String] = []
}

struct InspectCommand: CompanionCommand {
  static let configuration = CommandConfiguration(
    commandName: "inspect", abstract: "Shows a log as a page in the browser.")

  @Argument(parsing: .captureForPassthrough, help: "The arguments for the other program.")
  var arguments: [String] = []
}
