import Foundation
import Rollcall
import RosterCore
@testable import RosterProxy
import TestSupport
import Testing
import XMPPStanza

@Suite("The log of a stream") struct LogNameTests {
  private let alice = bare("alice@example.test")

  @Test("Verified and unverified streams are never in one log")
  func kinds() {
    let rows: [(LogName.Content, Bool, String)] = [
      (.nothing, true, "alice@example.test.rollcall"),
      (.nothing, false, "alice@example.test.rollcall"),
      (.verified, true, "alice@example.test.rollcall"),
      (.verified, false, "alice@example.test.plain.rollcall"),
      (.unverified, false, "alice@example.test.rollcall"),
      (.unverified, true, "alice@example.test.tls.rollcall"),
    ]
    for (content, isVerified, name) in rows {
      let log = LogName(of: alice, isVerified: isVerified, main: content)
      #expect(log.fileName == name, "\(content) \(isVerified)")
      // The log's name and content identify the server that it was recorded with.
      guard content != .nothing else { continue }
      let server = StreamServer(domain: bare("example.test"), isVerified: isVerified)
      #expect(log.server(content) == server)
    }
  }

  @Test("The content of a log is known from its roster")
  func contents() {
    #expect(LogName.Content(Roster()) == .nothing)
    var scenario = Scenario()
    scenario.reachedServer("example.test", isVerified: false)
    #expect(LogName.Content(scenario.roster) == .unverified)
    scenario.reachedServer("example.test")
    #expect(LogName.Content(scenario.roster) == .verified)
  }

  @Test("A server speaks only for accounts of its domain")
  func serves() {
    for (domain, account, serves) in [
      ("example.test", "alice@example.test", true), ("evil.test", "alice@example.test", false),
      ("test", "alice@example.test", false), ("sub.example.test", "alice@example.test", false),
      ("Example.TEST.", "alice@example.test", true), ("example.test", "example.test", true),
      ("xn--bcher-kva.test", "a@bücher.test", true),
    ] {
      let server = StreamServer(domain: bare(domain), isVerified: true)
      #expect(server.serves(bare(account)) == serves, "\(domain) \(account)")
    }
  }

  @Test("File names are unique, readable, and not too long")
  func names() throws {
    let long = String(repeating: "a", count: 1023)
    let wide = String(repeating: "曾", count: 341)
    let domain = Array(repeating: String(repeating: "b", count: 60), count: 16).joined(
      separator: ".")
    let texts = [
      "alice@example.test", "a%25@example.test", "a%@example.test", "example.test",
      "alice@example.plain", "alice@example", "alice@example.tls", "alice@tls", "plain",
      "\(long)@\(domain)", "\(long.dropLast())b@\(domain)", "\(long)@example.test",
      "\(long)@example.plain", "\(wide)@example.test", "\(wide.dropLast())一@example.test",
      "straße@example.test", "strasse@example.test", "a@straße.test", "a@strasse.test",
      "曾@example.test", ".alice@example.test", "x@.hidden",
    ]
    // Some of these are the same address, because preparation folds case.
    let addresses = Set(texts.compactMap { try? BareJID(parsing: $0) })
    #expect(addresses.count > 16)
    let names = addresses.flatMap { jid in
      LogName.Kind.allCases.map { LogName(of: jid, $0).fileName }
    }
    // They also have to differ on a file system that ignores case.
    let folded = names.map { $0.folding(options: .caseInsensitive, locale: nil).uppercased() }
    #expect(Set(folded).count == names.count)
    #expect(names.allSatisfy { $0.utf8.count <= 255 - "-lock.draft-1234567-1000".utf8.count })
    #expect(names.allSatisfy { !$0.contains("/") && !$0.hasPrefix(".") })
    // A short address is readable in the name.
    #expect(LogName(of: bare("曾@example.test"), .main).fileName == "曾@example.test.rollcall")
    let name = LogName(of: try BareJID(parsing: "\(long)@\(domain)"), .main).fileName
    #expect(name.hasPrefix(String(repeating: "a", count: 120) + "%-"))
  }

  @Test("The name of a long address never changes")
  func stable() throws {
    let jid = try BareJID(parsing: "\(String(repeating: "a", count: 300))@example.test")
    #expect(
      LogName(of: jid, .main).fileName
        == String(repeating: "a", count: 120)
        + "%-7800b419ed7b71470e91ecfa34395f5b8096d388b9efe9cefcbc2b5fb145d560.rollcall")
  }
}

@Suite("Logs without an account") struct UnboundLogsTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func names() throws -> Set<String> {
    Set(try FileManager.default.contentsOfDirectory(atPath: folder.file("unbound")))
  }

  private func make(_ path: String, at time: Double) throws {
    for end in ["", "-lock", "-other"] {
      try Data("x".utf8).write(to: URL(filePath: path + end))
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSince1970: time)], ofItemAtPath: path + end)
    }
  }

  @Test("The last hundred ended logs are kept, and those in use")
  func expired() {
    let files = (0..<250).map { number in
      UnboundLogs.File(
        name: "\(number)", written: Date(timeIntervalSince1970: Double((number * 7) % 250)))
    }
    let isInUse = { (name: String) in name.hasSuffix("3") }
    let expired = UnboundLogs.expired(files, isInUse: isInUse)
    let ended = files.filter { !isInUse($0.name) }.sorted { $0.written < $1.written }
    #expect(ended.count == 225)
    #expect(expired == ended.prefix(125).map(\.name))
    #expect(UnboundLogs.expired(Array(ended.prefix(100)), isInUse: isInUse).isEmpty)
  }

  @Test("A log is removed with the files next to it, and those in use are kept")
  func prune() throws {
    var logs = UnboundLogs(folder.file("unbound"))
    let first = try logs.begin()
    try make(first, at: 1)
    let moved = try logs.begin()
    try make(moved, at: 2)
    logs.moved(moved)
    #expect(try names().count == 3)
    for number in 0..<110 { try make(folder.file("unbound/0-\(number).rollcall"), at: 10) }
    for number in 0..<50 {
      let path = try logs.begin()
      try make(path, at: 100 + Double(number))
      logs.ended(path)
    }
    let left = try names()
    #expect(left.count == 3 * 101)
    #expect(left.contains(String(first.split(separator: "/").last ?? "")))
    #expect(left.filter { $0.hasPrefix("0-") }.count == 3 * 50)
    // Once it has ended, the oldest is the first to be removed.
    logs.ended(first)
    #expect(try names().count == 3 * 100)
  }
}
