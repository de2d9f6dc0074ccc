import ArgumentParser

@main
struct RollcallCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "rollcall")
}
