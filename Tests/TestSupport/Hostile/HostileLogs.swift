import Foundation

// Logs of other programs, each a modification of a real one.
extension HostileCapture {
  package static let logs: [HostileCapture] = realLogs.flatMap { name, lines in
    [
      log("\(name): itself again and again", 2) { size in
        (0..<size).flatMap { _ in lines }
      },
      log("\(name): lines cut in half", 2) { size in
        (0..<size).flatMap { _ in lines.map { $0.prefix($0.count / 2) } }
      },
      log("\(name): nothing but heads", 4) { size in
        (0..<size).flatMap { _ in lines.map { $0.prefix { $0 != UInt8(ascii: "<") } + "<x>".utf8 } }
      },
      log("\(name): texts after heads", 4) { size in
        (0..<size).flatMap { _ in
          lines.map { $0.prefix { $0 != UInt8(ascii: "<") } + "<message><body>".utf8 }
        }
      },
      log("\(name): a text of lines", 1500) { size in
        lines.prefix(30)
          + longText(lines, Array(repeating: ArraySlice("some text".utf8), count: size))
      },
      log("\(name): a text of heads", 500) { size in
        lines.prefix(30)
          + longText(
            lines,
            (0..<size).map { lines[$0 % lines.count].prefix { $0 != UInt8(ascii: "<") } + "x".utf8 }
          )
      },
      log("\(name): a long line", 200_000) { size in
        lines.prefix(30) + [
          (lines.first { $0.contains(UInt8(ascii: "<")) } ?? []) + repeatElement(120, count: size)
        ]
      },
      log("\(name): in reverse", 2) { size in
        (0..<size).flatMap { _ in lines.reversed() }
      },
    ]
  }

  private static func log(
    _ name: String, _ size: Int, _ lines: @escaping @Sendable (Int) -> [ArraySlice<UInt8>]
  ) -> HostileCapture {
    HostileCapture(name, size) { size in
      Array(lines(size).joined(separator: [UInt8(ascii: "\n")]))
    }
  }

  /// A record whose element ends only after these lines.
  private static func longText(
    _ lines: [ArraySlice<UInt8>], _ text: [ArraySlice<UInt8>]
  ) -> [ArraySlice<UInt8>] {
    let heads = lines.filter { $0.contains(UInt8(ascii: "<")) }
    let head = heads[heads.count / 2].prefix { $0 != UInt8(ascii: "<") }
    return [head + "<message from='b@example.test/x'><body>".utf8] + text
      + ["</body></message>".utf8[...]].map { ArraySlice($0) }
  }

  private static let realLogs: [(String, [ArraySlice<UInt8>])] = {
    var folder = URL(filePath: #filePath)
    for _ in 1...3 { folder.deleteLastPathComponent() }
    folder.append(path: "Fixtures/logs")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.sorted().compactMap { name in
      let file = folder.appending(path: "\(name)/capture.log")
      guard let bytes = try? Data(contentsOf: file) else { return nil }
      return (
        name, Array(bytes).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      )
    }
  }()
}
