import ArgumentParser

/// Writes the manual pages; `tools/install` calls it.
struct ManualCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "manual", abstract: "Writes the manual pages.", shouldDisplay: false)

  @Argument(help: "The folder to write them to.", completion: .directory)
  var folder: String

  func run() throws {
    try Manual(of: RollcallCommand.self).write(to: folder)
  }
}
