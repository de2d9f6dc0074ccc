import ArgumentParser
import Foundation
import Synchronization

/// A command that answers in text for people, of any length: on a terminal a pager shows it.
protocol Paged {
  /// Whether it tells what happens as it happens, so that there is no whole to page through.
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

/// The program that shows what is longer than the terminal, as git has it: `ROLLCALL_PAGER`, else
/// `PAGER`, else less.
///
/// It is started by the first output, so that a command that says nothing starts none, and one
/// that is still reading can be interrupted.
enum Pager {
  private enum State {
    case none
    /// The command line of the one to start.
    case due(String)
    case running(pid_t)
    /// Whoever read it has quit, or it could not be started.
    case over
  }

  private static let state = Mutex(State.none)

  /// From now on, output goes to a pager where there is to be one.
  ///
  /// - Parameter arguments: The command line; `--no-pager` in it, what is for machines, and what is
  ///   told as it happens wants none.
  static func begin(for command: any ParsableCommand, _ arguments: [String]) {
    guard let command = command as? any Paged, !command.isLive, isatty(STDOUT_FILENO) == 1,
      arguments.allSatisfy({ !["--no-pager", "--json", "--jsonl"].contains($0) }),
      let line = commandLine(ProcessInfo.processInfo.environment)
    else { return }
    // What the terminal is like is asked while standard output is it.
    Terminal.look()
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

  /// Starts it, where it is due.
  static func start() {
    state.withLock { state in
      guard case .due(let line) = state else { return }
      state = start(line).map { .running($0) } ?? .over
    }
  }

  /// Standard output, and standard error where that is the terminal too, become its input.
  private static func start(_ line: String) -> pid_t? {
    let environment = ProcessInfo.processInfo.environment
    var settings: [String: String] = [:]
    // Colours, no pager for what fits the screen, and UTF-8, unless somebody has said otherwise.
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
    // It is for the pager from now on: what is read is stopped by quitting.
    signal(SIGINT, SIG_IGN)
    return process.identifier
  }

  /// Whether somebody reads, or has read, by a pager.
  static var isUsed: Bool {
    state.withLock { state in
      switch state {
      case .running, .over: true
      case .none, .due: false
      }
    }
  }

  /// Waits until it is quit, after all has been written.
  static func finish() {
    guard case .running(let process) = state.withLock({ $0 }) else { return }
    for descriptor in [STDOUT_FILENO, STDERR_FILENO] { close(descriptor) }
    while waitpid(process, nil, 0) == -1, errno == EINTR {}
    state.withLock { $0 = .over }
  }
}
