import ArgumentParser
import Foundation

/// Writes the manual pages; `tools/install` calls it.
struct ManualCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "manual", abstract: "Writes the manual pages.", shouldDisplay: false)

  @Argument(help: "The folder to write them to.", completion: .directory)
  var folder: String

  func run() throws {
    for (name, text) in try Manual().pages {
      try Failure.naming(folder) {
        try Data(text.utf8).write(to: URL(filePath: "\(folder)/\(name)"))
      }
    }
  }
}
