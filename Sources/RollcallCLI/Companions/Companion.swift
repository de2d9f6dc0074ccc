import ArgumentParser
import Foundation
import Rollcall

/// A program next to this one that has some of the commands, like those of git, because not every
/// user wants to build their dependencies.
struct Companion {
  let name: String
  let commands: [any CompanionCommand.Type]

  static let all = [
    Companion(
      name: "rollcall-live",
      commands: [ConnectCommand.self, RegisterCommand.self, RecordCommand.self]),
    Companion(name: "rollcall-inspect", commands: [InspectCommand.self]),
  ]

  /// Replaces this process by the program that has the command; returns if the command is not in
  /// another program.
  ///
  /// The process identifier stays the same, so that signals and the exit code are the other
  /// program's.
  /// - Parameter arguments: The command line without the name of the program.
  static func run(_ arguments: [String]) throws {
    guard let word = CommandName.named(by: arguments), let companion = providing(word)
    else { return }
    try companion.replaceProcess(for: word)
  }

  /// The program that has a command; nil if this program has it or it does not exist.
  static func providing(_ command: String) -> Companion? {
    all.first { $0.commands.contains { $0.configuration.commandName == command } }
  }

  private func replaceProcess(for command: String) throws -> Never {
    guard let path else {
      throw Failure(
        "\(command) is a command of the program \(name), which is neither next to rollcall"
          + "\(Self.folder.map { " (\($0))" } ?? "") nor on the PATH"
          + "\n  tools/install installs it; in a checkout, tools/rollcall \(command) builds it.")
    }
    // The program must not inherit that this process ignores SIGPIPE.
    signal(SIGPIPE, SIG_DFL)
    // Pass the arguments byte for byte, because they need not be valid text.
    let own = UnsafeBufferPointer(start: CommandLine.unsafeArgv, count: Int(CommandLine.argc))
    let program = strdup(path)
    defer { free(program) }
    var arguments = [program] + own.dropFirst() + [nil]
    execv(path, &arguments)
    let code = errno
    throw Failure("\(path): the program cannot be run: \(text(ofSystemCode: code))")
  }

  /// The path of the program.
  private var path: String? {
    if let beside = Self.folder.map({ "\($0)/\(name)" }),
      FileManager.default.isExecutableFile(atPath: beside)
    {
      return beside
    }
    return Programs.path(of: name, ProcessInfo.processInfo.environment)
  }

  /// The folder of this program, with symbolic links resolved.
  private static let folder = Bundle.main.executablePath.map {
    URL(filePath: $0).resolvingSymlinksInPath().deletingLastPathComponent()
      .path(percentEncoded: false)
  }.map { $0.count > 1 && $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
}
