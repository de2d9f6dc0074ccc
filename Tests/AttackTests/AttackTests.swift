import Foundation
import TestSupport
import Testing

/// A short run of each campaign of `tools/attack`; the long ones are run by hand.
@Suite("Attacks")
struct AttackTests {
  @Test("No attack of a few seconds does harm")
  func all() throws {
    // Random seeds would find more, but a failing test must fail again.
    let run = try Attack("all", "--short", "--seed", "1")
    #expect(run.code == 0, "\(run.output)")
    for name in ["calls", "power", "kills", "flips", "files", "crowds", "limits"] {
      #expect(run.output.contains("\n\(name): "), "\(run.output)")
    }
  }
}

/// The attacking program, from the same build as the tests.
private struct Attack {
  let code: Int32
  let output: String

  init(_ arguments: String...) throws {
    let tests = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    let process = Process()
    process.executableURL = tests.deletingLastPathComponent().appending(path: "Attack")
    process.arguments = arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    output = String(
      decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    code = process.terminationStatus
  }
}
