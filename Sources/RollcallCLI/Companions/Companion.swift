import ArgumentParser
import Foundation
import Rollcall

/// A program that has some of the commands, because not everybody wants to build what they need. It
/// stands beside this one, as those of git do.
struct Companion {
  let name: String
  let commands: [any CompanionCommand.Type]

  static let all = [
    Companion(
      name: "rollcall-live",
      commands: [ConnectCommand.self, RegisterCommand.self, RecordCommand.self])
  ]

  /// Becomes the program that has the command, where it is another one; returns where it is not.
  ///
  /// The process stays the same, so that signals and the exit code are the other program's.
  /// - Parameter arguments: the command line without the program's name.
  static func run(_ arguments: [String]) throws {
    guard let word = CommandName.named(by: arguments), let companion = having(word) else { return }
    try companion.replaceProcess(for: word)
  }

  /// The program that has a command; nil where it is none, or this program's own.
  static func having(_ command: String) -> Companion? {
    all.first { $0.commands.contains { $0.configuration.commandName == command } }
  }

  private func replaceProcess(for command: String) throws -> Never {
    guard let path else {
      throw Failure(
        "\(command) is a command of the program \(name), which is neither beside rollcall"
          + "\(Self.folder.map { " (\($0))" } ?? "") nor on the PATH"
          + "\n  tools/install installs both; in a checkout, tools/rollcall \(command) builds it.")
    }
    // What this process does not want to hear of is its own matter.
    signal(SIGPIPE, SIG_DFL)
    // The arguments byte for byte: not all of them need be text.
    let own = UnsafeBufferPointer(start: CommandLine.unsafeArgv, count: Int(CommandLine.argc))
    let program = strdup(path)
    defer { free(program) }
    var arguments = [program] + own.dropFirst() + [nil]
    execv(path, &arguments)
    let code = errno
    throw Failure("\(path): the program cannot be run: \(text(ofSystemCode: code))")
  }

  /// Where it is.
  private var path: String? {
    if let beside = Self.folder.map({ "\($0)/\(name)" }),
      FileManager.default.isExecutableFile(atPath: beside)
    {
      return beside
    }
    return Programs.path(of: name, ProcessInfo.processInfo.environment)
  }

  /// Where this program is, not the link that it may have been started by.
  private static let folder = Bundle.main.executablePath.map {
    URL(filePath: $0).resolvingSymlinksInPath().deletingLastPathComponent()
      .path(percentEncoded: false)
  }.map { $0.count > 1 && $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
}
