import Foundation
import TestSupport
import Testing

/// Checks that the program prints what the texts show.
@Suite("Program output in the texts") struct ArticleTests {
  /// The texts, with the number of commands that each shows.
  static let texts = [
    ("Sources/Rollcall/Rollcall.docc/FindingARosterBug.md", 11), ("README.md", 2),
  ]

  private static let root = CaptureCase.fixtures.deletingLastPathComponent()
    .deletingLastPathComponent()
  /// The folder in which, according to the texts, the commands run.
  private static let captures = CaptureCase.fixtures.appending(path: "captures").path(
    percentEncoded: false)

  /// A command in a text, with the output below it.
  private struct Shown {
    let command: String
    var output: [String] = []
  }

  /// The code blocks that begin with `$ rollcall`, without their indentation. A block ends before
  /// the next line that is not indented.
  private func shown(in text: String) -> [Shown] {
    var found: [Shown] = []
    var isInside = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("    $ rollcall ") {
        found.append(Shown(command: String(line.dropFirst("    $ ".count))))
        isInside = true
      } else if !line.isEmpty, !line.hasPrefix("    ") {
        isInside = false
      } else if isInside {
        found[found.count - 1].output.append(String(line.dropFirst(4)))
      }
    }
    for index in found.indices {
      while found[index].output.last?.isEmpty == true { found[index].output.removeLast() }
    }
    return found
  }

  @Test("Each command that a text shows prints what the text shows", arguments: texts)
  func outputs(_ path: String, _ count: Int) throws {
    let text = try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
    let shown = shown(in: text)
    #expect(shown.count == count)
    for example in shown {
      let arguments = example.command.dropFirst("rollcall".count)
      let run = try Program(shell: "\"$ROLLCALL\"\(arguments)", in: Self.captures)
      #expect(run.code < 2, "\(example.command): \(run.errors)")
      var lines = run.output.split(separator: "\n", omittingEmptySubsequences: false).map(
        String.init)
      while lines.last?.isEmpty == true { lines.removeLast() }
      #expect(lines == example.output, "\(example.command)")
      #expect(!lines.isEmpty, "\(example.command)")
    }
  }

  // MARK: Listings

  /// The texts, with the number of Swift listings in each.
  static let listed = [
    ("Sources/Rollcall/Rollcall.docc/Rollcall.md", 2),
    ("Sources/Rollcall/Rollcall.docc/AnAddressBookInFiftyLines.md", 2),
    ("Sources/Rollcall/Rollcall.docc/CommandsAndTheirAnswers.md", 4),
    ("Sources/Rollcall/Rollcall.docc/TimeTravelInAnApplication.md", 8),
    ("Sources/Rollcall/Rollcall.docc/WhatIsDurableWhen.md", 2),
    ("Sources/Rollcall/Rollcall.docc/WhatIsInALog.md", 1),
    ("Sources/Rollcall/Rollcall.docc/ContactsScreen.md", 3), ("README.md", 2),
    ("Sources/Rollcall/Rollcall.docc/BesideAnotherStream.md", 1),
    ("Sources/RollcallTesting/RollcallTesting.docc/RollcallTesting.md", 2),
    ("Sources/RosterClient/RosterClient.docc/RosterClient.md", 1),
    ("Sources/RosterClient/RosterClient.docc/FromLoginToScreen.md", 1),
    ("Sources/RosterClient/RosterClient.docc/SendingAndReceiving.md", 3),
    ("Sources/RosterClient/RosterClient.docc/SeveralProcesses.md", 2),
    ("Sources/RosterClient/RosterClient.docc/ComingFromXMPPFramework.md", 1),
  ]

  /// The nonempty lines of a text without surrounding white space.
  private func lines(_ text: some StringProtocol) -> [String] {
    text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { !$0.isEmpty }
  }

  /// The Swift code blocks: fenced in articles; in the README, the program and the live session in
  /// the section about the library.
  private func swift(in text: String) -> [[String]] {
    if text.contains("```swift") {
      return text.components(separatedBy: "```swift").dropFirst().map { part in
        lines(part.components(separatedBy: "```")[0])
      }
    }
    let library = text.components(separatedBy: "\n## ").first { $0.hasPrefix("The library") } ?? ""
    let blocks = library.components(separatedBy: "\n\n").filter { block in
      block.hasPrefix("    ") && block.contains("session")
    }
    let isLive = { (block: String) in block.contains("LiveSession(") }
    return [blocks.filter { !isLive($0) }.flatMap(lines), blocks.filter(isLive).flatMap(lines)]
  }

  @Test("The folder of the listings is compiled before a change lands")
  func compiled() throws {
    let manifest = try String(
      contentsOf: Self.root.appending(path: "Tests/Adopter/Package.swift"), encoding: .utf8)
    #expect(manifest.contains(#".target(name: "Listings""#))
    let checks = try String(contentsOf: Self.root.appending(path: ".ci/run"), encoding: .utf8)
    #expect(
      lines(checks).contains("swift build --package-path Tests/Adopter --scratch-path .build"))
  }

  @Test("Each listing is part of a compiled file", arguments: listed)
  func listings(_ path: String, _ count: Int) throws {
    let text = try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
    let folders = [
      "Tests/Adopter/Sources/Listings", "Tests/Adopter/Sources/Screens",
      "Tests/RosterClientTests/Listings",
    ]
    let sources = try folders.map { Self.root.appending(path: $0) }.flatMap { folder in
      try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))
        .map { lines(try String(contentsOf: folder.appending(path: $0), encoding: .utf8)) }
    }
    let found = swift(in: text)
    #expect(found.count == count)
    for listing in found {
      #expect(listing.count > 1)
      let isCompiled = sources.contains { source in
        source.indices.contains { source[$0...].starts(with: listing) }
      }
      #expect(isCompiled, "\(listing)")
    }
  }
}
