import Foundation
import TestSupport
import Testing

/// What the texts show of the program is what it prints.
@Suite("What the texts show of the program") struct ArticleTests {
  /// The texts, with how many commands each shows.
  static let texts = [
    ("Sources/Rollcall/Rollcall.docc/FindingARosterBug.md", 11), ("README.md", 2),
  ]

  private static let root = CaptureCase.fixtures.deletingLastPathComponent()
    .deletingLastPathComponent()
  /// Where the texts say that the commands run.
  private static let captures = CaptureCase.fixtures.appending(path: "captures").path(
    percentEncoded: false)

  /// A command that a text shows, with the output that it shows below it.
  private struct Shown {
    let command: String
    var output: [String] = []
  }

  /// The code blocks that begin with `$ rollcall`, without their indentation. A block reaches to
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

  /// The texts, with how many listings of Swift each has.
  static let listed = [
    ("Sources/Rollcall/Rollcall.docc/Rollcall.md", 2),
    ("Sources/Rollcall/Rollcall.docc/AnAddressBookInFiftyLines.md", 2),
    ("Sources/Rollcall/Rollcall.docc/CommandsAndTheirAnswers.md", 4),
    ("Sources/Rollcall/Rollcall.docc/TimeTravelInAnApplication.md", 6),
    ("Sources/Rollcall/Rollcall.docc/WhatIsDurableWhen.md", 2),
    ("Sources/Rollcall/Rollcall.docc/ContactsScreen.md", 2), ("README.md", 2),
    ("Sources/RosterClient/RosterClient.docc/RosterClient.md", 1),
    ("Sources/RosterClient/RosterClient.docc/FromLoginToScreen.md", 1),
  ]

  /// The lines of a text without white space around them, the empty ones left out.
  private func lines(_ text: some StringProtocol) -> [String] {
    text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { !$0.isEmpty }
  }

  /// The blocks of Swift: fenced in articles, and in the README the program and the live session
  /// that are shown of the library.
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

  @Test("What lies in the folder of the listings is compiled before a change lands")
  func compiled() throws {
    let manifest = try String(
      contentsOf: Self.root.appending(path: "Tests/Adopter/Package.swift"), encoding: .utf8)
    #expect(manifest.contains(#".target(name: "Listings""#))
    let checks = try String(contentsOf: Self.root.appending(path: ".ci/run"), encoding: .utf8)
    #expect(
      lines(checks).contains("swift build --package-path Tests/Adopter --scratch-path .build"))
  }

  @Test("Each listing is a piece of what is compiled", arguments: listed)
  func listings(_ path: String, _ count: Int) throws {
    let text = try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
    let folders = ["Tests/Adopter/Sources/Listings", "Tests/RosterClientTests/Listings"]
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
