import Foundation
import TestSupport
import Testing

/// The public API in writing, so that changes to it are deliberate.
///
/// The compiler lists the public names. `ROLLCALL_WRITE_API=1 tools/test --filter PublicSurface`
/// updates the file.
@Suite("The public names") struct PublicSurfaceTests {
  private static let kept = CaptureCase.fixtures.appending(path: "api/public.txt")
  /// The modules that `import Rollcall` provides, the live client, and those without public names.
  static let modules = [
    "Rollcall", "RosterCore", "SessionCore", "XMPPStanza", "ContactSections", "RosterClient",
    "RollcallUI", "RollcallTesting",
  ]
  static let closedModules = ["XMPPStream", "EventStore", "Captures", "RosterProxy"]

  private struct Graph: Decodable {
    struct Symbol: Decodable {
      struct Fragment: Decodable { let spelling: String }
      let pathComponents: [String]
      let declarationFragments: [Fragment]?
    }

    let symbols: [Symbol]
  }

  /// The names of Foundation, FoundationXML and Combine that an application may use together with
  /// ours.
  private static let foreign: Set<String> = [
    "XMLNode", "XMLElement", "XMLDocument", "XMLDTD", "XMLParser", "Subscription", "Publisher",
    "Subscriber", "Subject", "Record", "Data", "Date", "Process", "Stream", "Operation",
    "Notification",
    "Progress", "Result", "Error", "Task", "Set", "Point", "Transition", "Annotation",
  ]

  private func surface(of module: String) throws -> [String] {
    let folder = try TemporaryFolder()
    let built = try Program.executable().deletingLastPathComponent().path(percentEncoded: false)
    let root = CaptureCase.fixtures.deletingLastPathComponent().deletingLastPathComponent()
      .path(percentEncoded: false)
    let run = try Program(
      shell: """
        set -e; built=$(cd '\(built)' && pwd -P); root='\(root)'
        triple=$(swift -print-target-info | sed -n 's/.*"triple": "\\(.*\\)",/\\1/p' | head -n 1)
        set -- -module-name \(module) -target "$triple" -I "$built/Modules" -I "$root/Sources/CLMDB" \\
          -I "$root/Sources/CLibXML2" -I "$root/Sources/CXXHash" -I "$root/Sources/CNettle" -minimum-access-level public -skip-synthesized-members \\
          -output-dir .
        checkouts=$(cd "$built/../.." && pwd -P)/checkouts
        # What other packages built here for their plugins has a second map of the same module.
        seen=' '
        for map in "$built"/*.build/module.modulemap \
          "$checkouts"/*/Sources/*/include/module.modulemap; do
          module=$(sed -n 's/^\\(framework \\)\\{0,1\\}module \\([A-Za-z0-9_]*\\).*/\\2/p' "$map" | head -n 1)
          case $seen in *" $module "*) continue ;; esac
          seen="$seen$module "
          set -- "$@" -Xcc "-fmodule-map-file=$map"
        done
        for flag in $(pkg-config --cflags libxml-2.0 lmdb libxxhash nettle); do set -- "$@" -Xcc "$flag"; done
        swift symbolgraph-extract "$@"
        """, in: folder.path)
    try #require(run.code == 0, "\(run.errors)")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    return try names.filter { $0.hasSuffix(".symbols.json") }.flatMap { name in
      let data = try Data(contentsOf: URL(filePath: folder.file(name)))
      return try JSONDecoder().decode(Graph.self, from: data).symbols.map { symbol in
        let declaration = (symbol.declarationFragments ?? []).map(\.spelling).joined()
          .split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return "\(module) \(symbol.pathComponents.joined(separator: ".")): \(declaration)"
      }
    }.sorted()
  }

  @Test("They match the file")
  func surface() throws {
    let now = try Self.modules.flatMap(surface)
    if ProcessInfo.processInfo.environment["ROLLCALL_WRITE_API"] != nil {
      let text = now.map { $0 + "\n" }.joined()
      return try text.write(to: Self.kept, atomically: true, encoding: .utf8)
    }
    let kept = try String(contentsOf: Self.kept, encoding: .utf8).split(separator: "\n")
      .map(String.init)
    #expect(kept.count > 300)
    let (old, new) = (Set(kept), Set(now))
    #expect(old.subtracting(new).sorted() == [], "gone")
    #expect(new.subtracting(old).sorted() == [], "new")
  }

  @Test("Each error says what is wrong, also as Foundation asks for it")
  func errors() throws {
    let names = try String(contentsOf: Self.kept, encoding: .utf8).split(separator: "\n")
      .compactMap { $0.split(separator: " ", maxSplits: 1).last.map(String.init) }
    let errors = names.compactMap { line -> String? in
      guard let colon = line.firstIndex(of: ":") else { return nil }
      let (name, declaration) = (line[..<colon], line[colon...])
      let isError = ["Error", "Failure", "Refusal"].contains { name.hasSuffix($0) }
      let isType = ["enum", "struct"].contains { declaration.hasPrefix(": \($0) ") }
      return isError && isType ? String(name) : nil
    }
    #expect(errors.count > 8)
    for error in errors {
      let property = "\(error).errorDescription: var errorDescription: String? { get }"
      #expect(names.contains(property), "\(error)")
    }
  }

  @Test("None of them clashes with a name of Apple's frameworks")
  func clashes() throws {
    let names = try Self.modules.flatMap(surface).compactMap { line in
      line.split(separator: " ").dropFirst().first?.dropLast()
    }
    #expect(names.filter { Self.foreign.contains(String($0)) } == [])
  }

  @Test("The modules behind them have none", arguments: closedModules)
  func closed(_ module: String) throws {
    #expect(try surface(of: module) == [])
  }
}
