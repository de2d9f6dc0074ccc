#if Inspect
  import ArgumentParser
  import Captures
  import Foundation
  import InspectorCore
  import Rollcall
  import RollcallCLI

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
        """)

    @OptionGroup var sources: InspectedSources

    @Option(help: "The port to listen on; 0 for any free one.")
    var port: UInt16 = 0

    @Flag(help: "Open the page in the browser.")
    var open = false

    func run() async throws {
      let logs = try sources.open().map(Self.inspected)
      for log in logs { try log.prepare() }
      var generator = SystemRandomNumberGenerator()
      let key = AccessKey(using: &generator)
      let opens = open
      let server = InspectorServer(Inspector(logs), key: key)
      try await server.run(port: Int(port)) { address in
        try? Terminal.say(address)
        try? Terminal.flush()
        if opens { Browser.open(address) }
      }
    }

    private static func inspected(_ opened: InspectedSources.Opened) -> InspectedLog {
      var setBookmark: InspectedLog.BookmarkSetter?
      if let program = opened.log.flatMap({ BookmarkProgram(log: $0) }) {
        setBookmark = { name, point in try program.set(name, point) }
      }
      return InspectedLog(
        opened.timeline, title: opened.title, isLive: opened.log != nil, setBookmark: setBookmark)
    }
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
