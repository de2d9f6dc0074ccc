import ArgumentParser
import Foundation
import Synchronization

/// A command that prints text of any length for people, which a pager shows on a terminal.
protocol Paged {
  /// Whether the command prints events as they happen, so that paging makes no sense.
  var isLive: Bool { get }
}

extension Paged {
  var isLive: Bool { false }
}

extension StateCommand: Paged {}
extension FriendsCommand: Paged {}
extension RequestsCommand: Paged {}
extension SectionsCommand: Paged {}
extension ReplayCommand: Paged {
  var isLive: Bool { following.follow }
}
extension FindingsCommand: Paged {
  var isLive: Bool { following.follow }
}
extension HistoryCommand: Paged {}
extension LogCommand: Paged {
  var isLive: Bool { following.follow }
}
extension ShowCommand: Paged {}
extension WhyCommand: Paged {}
extension DiffCommand: Paged {}
extension BisectCommand: Paged {}
extension WhatIfCommand: Paged {}
extension ConnectionsCommand: Paged {}
extension FormatsCommand: Paged {}

/// The program that shows output longer than the terminal, chosen like git's: `ROLLCALL_PAGER`,
/// else `PAGER`, else less.
///
/// The first output starts it, so that a command without output starts none, and a command that is
/// still reading can be interrupted.
enum Pager {
  private enum State {
    case none
    /// The command line of the pager to start.
    case due(String)
    case running(pid_t)
    /// The user quit the pager, or it could not be started.
    case over
  }

  private static let state = Mutex(State.none)

  /// Sends all further output to a pager, if one should be used.
  ///
  /// - Parameter arguments: The command line, which disables the pager by `--no-pager` or by an
  ///   output format for machines.
  static func begin(for command: any ParsableCommand, _ arguments: [String]) {
    guard let command = command as? any Paged, !command.isLive, isatty(STDOUT_FILENO) == 1,
      arguments.allSatisfy({ !["--no-pager", "--json", "--jsonl"].contains($0) }),
      let line = commandLine(ProcessInfo.processInfo.environment)
    else { return }
    // Inspect the terminal while it is still standard output.
    Terminal.inspect()
    state.withLock { $0 = .due(line) }
  }

  /// The pager that the environment asks for; nil for none.
  static func commandLine(_ environment: [String: String]) -> String? {
    guard let terminal = environment["TERM"], terminal != "dumb" else { return nil }
    guard let chosen = environment["ROLLCALL_PAGER"] ?? environment["PAGER"] else {
      return Programs.path(of: "less", environment) == nil ? nil : "less -FRX"
    }
    return ["", "cat"].contains(chosen.trimmingCharacters(in: .whitespaces)) ? nil : chosen
  }

  /// Starts the pager if one is due.
  static func start() {
    state.withLock { state in
      guard case .due(let line) = state else { return }
      state = start(line).map { .running($0) } ?? .over
    }
  }

  /// Starts a pager and redirects standard output to it, and standard error if that is the
  /// terminal.
  private static func start(_ line: String) -> pid_t? {
    let environment = ProcessInfo.processInfo.environment
    var settings: [String: String] = [:]
    // Colors, no paging of output that fits the screen, and UTF-8, unless the user has set other
    // values.
    for (name, value) in ["LESS": "FRX", "LESSCHARSET": "utf-8", "LV": "-c"]
    where environment[name] == nil { settings[name] = value }
    guard
      let process = try? ChildProcess(
        "/bin/sh", ["-c", line], piping: .ownInput, setting: settings)
    else { return nil }
    let input = process.pipe.fileDescriptor
    dup2(input, STDOUT_FILENO)
    if isatty(STDERR_FILENO) == 1 { dup2(input, STDERR_FILENO) }
    try? process.pipe.close()
    // From now on Ctrl-C is for the pager; quitting it stops the reading of a log.
    signal(SIGINT, SIG_IGN)
    return process.identifier
  }

  /// Whether a pager is or was in use.
  static var isUsed: Bool {
    state.withLock { state in
      switch state {
      case .running, .over: true
      case .none, .due: false
      }
    }
  }

  /// Waits until the user quits the pager. Call this after everything was written.
  static func finish() {
    guard case .running(let process) = state.withLock({ $0 }) else { return }
    for descriptor in [STDOUT_FILENO, STDERR_FILENO] { close(descriptor) }
    while waitpid(process, nil, 0) == -1, errno == EINTR {}
    state.withLock { $0 = .over }
  }
}
