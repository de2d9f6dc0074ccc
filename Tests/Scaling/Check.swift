import Foundation
import TestSupport

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Runs the program on captures, with and without callgrind.
struct Check {
  private let program: String
  private let folder: String
  /// The number of instructions to start the program.
  private let base: Int

  /// - Parameters:
  ///   - program: The path of the program, without debug information.
  ///   - folder: An empty folder.
  init(program: String, folder: String) throws {
    (self.program, self.folder) = (program, folder)
    let empty = folder + "/empty"
    try Data(#"{"rollcall-capture":1,"account":"alice@example.test"}"#.utf8)
      .write(to: URL(filePath: empty))
    base = try Self.instructions(of: [program, "state", empty], in: folder)
  }

  /// Measures a command on a capture at one size and at four times that size.
  func growth(of capture: HostileCapture, _ command: String) throws -> Growth {
    // Memory is only measurable at larger sizes.
    let (small, large) = (try file(capture, 1), try file(capture, 4))
    let (light, heavy) = (try file(capture, 4), try file(capture, 16))
    return Growth(
      instructions: (
        try Self.instructions(of: try arguments(command, small), in: folder) - base,
        try Self.instructions(of: try arguments(command, large), in: folder) - base
      ),
      bytes: (light.size, heavy.size),
      memory: (
        try Self.run(try arguments(command, light)).memory,
        try Self.run(try arguments(command, heavy)).memory
      ))
  }

  func removeFiles() throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
      try FileManager.default.removeItem(atPath: "\(folder)/\(name)")
    }
  }

  // MARK: Files

  private func file(_ capture: HostileCapture, _ times: Int) throws -> (path: String, size: Int) {
    let path = "\(folder)/capture\(times)"
    if !FileManager.default.fileExists(atPath: path) {
      // In a separate process, because its memory would count for the processes that it starts.
      let own = CommandLine.arguments[0]
      let ended = try Self.run([own, "make", capture.name, "\(times * capture.size)", path])
      guard ended.status == 0 else { throw Failure("\(capture.name) cannot be made") }
    }
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return (path, (attributes[.size] as? Int) ?? 0)
  }

  /// The arguments of a command, after creating the files that it needs.
  private func arguments(_ command: String, _ file: (path: String, size: Int)) throws -> [String] {
    let log = file.path + ".rollcall"
    if command.contains("LOG"), !FileManager.default.fileExists(atPath: log) {
      guard try Self.run([program, "import", file.path, "-o", log]).status == 0 else {
        throw Failure("\(file.path) cannot be imported")
      }
    }
    for name in try FileManager.default.contentsOfDirectory(atPath: folder)
    where name.hasPrefix("out") {
      try FileManager.default.removeItem(atPath: "\(folder)/\(name)")
    }
    return [program]
      + command.split(separator: " ").map { word in
        switch word {
        case "FILE": file.path
        case "LOG": log
        case "OUT": folder + "/out"
        default: String(word)
        }
      }
  }

  // MARK: Running

  private static func instructions(of arguments: [String], in folder: String) throws -> Int {
    let counts = folder + "/out.counts"
    try FileManager.default.createDirectory(atPath: counts, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: counts) }
    // Count child processes, because the program reads logs in one.
    let valgrind = [
      "valgrind", "--tool=callgrind", "--trace-children=yes",
      "--callgrind-out-file=\(counts)/%p",
    ]
    let ended = try run(
      ["env", "SWIFT_DETERMINISTIC_HASHING=1"] + valgrind + arguments)
    let totals = try FileManager.default.contentsOfDirectory(atPath: counts).map { process in
      try String(contentsOfFile: "\(counts)/\(process)", encoding: .utf8)
        .split(separator: "\n").first { $0.hasPrefix("totals: ") }.flatMap { Int($0.dropFirst(8)) }
    }
    guard !totals.isEmpty, !totals.contains(nil), ended.status < 3 else {
      throw Failure("no instructions counted of \(arguments.joined(separator: " "))")
    }
    return totals.reduce(0) { $0 + ($1 ?? 0) }
  }

  /// Runs a program without input and output.
  ///
  /// - Returns: The exit code, and the peak memory in bytes.
  private static func run(_ arguments: [String]) throws -> (status: Int32, memory: Int) {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
      posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
    }
    var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var process: pid_t = 0
    guard posix_spawnp(&process, arguments[0], &actions, nil, &words, environ) == 0 else {
      throw Failure("\(arguments[0]) cannot be run")
    }
    var status: Int32 = 0
    var usage = rusage()
    guard wait4(process, &status, 0, &usage) == process, status & 0x7F == 0 else {
      throw Failure("a signal ended \(arguments.joined(separator: " "))")
    }
    return (status >> 8 & 0xFF, Int(usage.ru_maxrss) << 10)
  }

  private struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
  }
}
