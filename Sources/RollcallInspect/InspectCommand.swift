#if Inspect
  import ArgumentParser
  import Captures
  import Foundation
  import InspectorCore
  import NIOCore
  import NIOPosix
  import Rollcall
  import RollcallCLI
  import Synchronization

  struct InspectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "inspect",
      abstract: "Shows a log as a page in the browser.",
      discussion: """
        Prints the address of the page, with a key that only this page knows, and serves it on \
        this machine until Ctrl-C. A log that is being written is followed. Nothing is loaded \
        from elsewhere, and nothing is sent.

        Examples:
          rollcall inspect alice.rollcall --open
          rollcall inspect phone.log laptop.log
          rollcall inspect phone.rollcall --other laptop.rollcall
          rollcall inspect debug.log --port 8791
          rollcall inspect debug.log --port 8791 --ipv6
        """)

    @OptionGroup var sources: InspectedSources

    @Option(help: "The port to listen on; 0 for any free one.")
    var port: UInt16 = 0

    @Flag(help: "Listen on ::1, too.")
    var ipv6 = false

    @Flag(help: "Open the page in the browser.")
    var open = false

    func run() async throws {
      // Requests may take long and wait for each other: with a thread for each core, a what-if
      // would keep the request that cancels it waiting.
      NIOSingletons.blockingPoolThreadCountSuggestion = 65
      let logs = try sources.open().map { inspected($0) }
      // A small log is indexed at once, so that what cannot be read is said before there is a page.
      for log in logs { try log.prepare { _, _ in false } }
      var generator = SystemRandomNumberGenerator()
      let server = InspectorServer(Inspector(logs), key: AccessKey(using: &generator))
      let (port, alsoIPv6, opens) = (Int(port), ipv6, open)
      let indexing = Indexing(logs)
      try await withThrowingTaskGroup(of: Bool.self) { group in
        defer {
          indexing.end()
          group.cancelAll()
        }
        group.addTask {
          try await server.run(port: port, alsoIPv6: alsoIPv6) { address in
            try? Terminal.say(address)
            try? Terminal.flush()
            if opens { Browser.open(address) }
          }
          return true
        }
        group.addTask {
          try await NIOThreadPool.singleton.runIfActive { indexing.run() }
          return false
        }
        for try await hasServed in group where hasServed { break }
      }
    }

    private func inspected(_ opened: InspectedSources.Opened) -> InspectedLog {
      var setBookmark: InspectedLog.BookmarkSetter?
      if let program = opened.log.flatMap({ BookmarkProgram(log: $0) }) {
        setBookmark = { name, point in try program.set(name, point) }
      }
      return InspectedLog(
        opened.timeline, title: opened.title, isLive: opened.log != nil, setBookmark: setBookmark,
        reopen: opened.reopen)
    }
  }

  /// Indexes what is left of the logs while the page shows what is indexed already.
  private final class Indexing: Sendable {
    private let logs: [InspectedLog]
    private let hasEnded = Atomic(false)

    init(_ logs: [InspectedLog]) {
      self.logs = logs
    }

    /// A log that cannot be read does not end the others: its requests are answered with what is
    /// wrong.
    func run() {
      for log in logs {
        do {
          try log.prepare { _, _ in !hasEnded.load(ordering: .relaxed) }
        } catch {
          Terminal.note("\(log.title): \(Rollcall.sentence(of: error))")
        }
      }
    }

    /// Ends it after the records that are being read.
    func end() { hasEnded.store(true, ordering: .relaxed) }
  }

  /// The program that shows web pages.
  private enum Browser {
    /// Opens an address; the user can still open it by hand if there is no such program.
    static func open(_ address: String) {
      #if os(macOS)
        let name = "/usr/bin/open"
      #else
        let name = "/usr/bin/xdg-open"
      #endif
      let process = Process()
      process.executableURL = URL(filePath: name)
      process.arguments = [address]
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      do { try process.run() } catch {
        Terminal.note("no browser can be opened: \(name) is missing")
      }
    }
  }

  /// Sets bookmarks with the program `rollcall` beside this one: a process that has a log open for
  /// reading cannot write to it.
  private struct BookmarkProgram: Sendable {
    private let program: URL
    private let log: String

    /// Nil if the program is not there.
    init?(log: String) {
      guard let own = Bundle.main.executablePath else { return nil }
      program = URL(filePath: own).resolvingSymlinksInPath().deletingLastPathComponent()
        .appending(path: "rollcall")
      guard
        FileManager.default.isExecutableFile(atPath: program.path(percentEncoded: false)),
        FileManager.default.isWritableFile(atPath: log)
      else { return nil }
      self.log = log
    }

    func set(_ name: String, _ point: UInt64) throws {
      let process = Process()
      let problems = Pipe()
      process.executableURL = program
      process.arguments = ["bookmark", "--", log, name, "\(point)"]
      process.standardOutput = FileHandle.nullDevice
      process.standardError = problems
      try process.run()
      let said = problems.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      guard process.terminationStatus == 0 else {
        throw Failure(
          String(decoding: said, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines))
      }
    }
  }
#endif
