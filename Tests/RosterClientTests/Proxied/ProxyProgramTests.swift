import Dispatch
@testable import EventStore
import Foundation
@testable import Rollcall
import RosterProxy
import Synchronization
import TestSupport
import Testing
@testable import RosterClient

/// The recording program, in a process of its own: its state after its end, a kill and a full disk.
@Suite("The recording program", .serialized) struct ProxyProgramTests {
  private let folder: TemporaryFolder
  private let server: RawServer

  init() throws {
    folder = try TemporaryFolder()
    server = try RawServer()
    try LocalAuthority.make(in: folder.file("authority"), at: Date())
  }

  private var arguments: [String] { arguments(recordingTo: "logs é") }

  private func arguments(recordingTo name: String) -> [String] {
    [
      "record", "--upstream", "127.0.0.1:\(server.port)", "--authority", folder.file("authority"),
      "-o", folder.file(name),
    ]
  }

  /// - Parameters:
  ///   - more: Options after the usual ones.
  ///   - name: The name of its folder.
  private func proxy(
    _ more: [String] = [], recordingTo name: String = "logs é"
  ) throws -> Conversation {
    try Conversation(
      Program.executable("rollcall-live"),
      arguments(recordingTo: name) + ["--listen", "127.0.0.1:0"] + more)
  }

  /// The port for clients, once the proxy listens.
  private func port(of proxy: Conversation) async throws -> Int {
    try await Wire.wait(for: "proxy") { proxy.output.contains("connect to ") }
    return try #require(
      proxy.output.firstMatch(of: /connect to .*:([0-9]+)/).flatMap { Int($0.1) })
  }

  private func stream(
    _ proxy: Conversation, number: Int = 0, jid: String? = "alice@raw.test/x"
  ) async throws -> RawStream {
    let client = try await Wire.connected(to: try await port(of: proxy))
    do {
      let stream = try await RawStream(client, server, number: number)
      try await stream.logIn()
      if let jid { try await stream.bindResource(jid) }
      return stream
    } catch let failure as Tool.Failure {
      throw Tool.Failure(words: "\(failure.words): \(client.text) | \(proxy.output)")
    }
  }

  private var log: String { folder.file("logs é/alice@raw.test.rollcall") }

  /// The recorded data of one direction; `.none` for the lifecycle of the stream.
  private func recorded(_ direction: RecordDirection) throws -> String {
    var text = ""
    try Timeline(ofLogAt: log).log.forEachRecord(in: 1...UInt64.max) { header, bytes in
      guard header.direction == direction else { return }
      text += bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }
    return text
  }

  @Test("When asked to stop, it ends the streams, and everything passed on is recorded")
  func terminated() async throws {
    for durable in [[], ["--durable"]] {
      let number = durable.isEmpty ? 0 : 1
      let proxy = try proxy(durable)
      let stream = try await stream(proxy, number: number)
      let before = try recorded(.outbound).utf8.count
      for message in 0..<3000 {
        stream.client.say(RawStream.message(message, padding: 100))
        stream.server.say(RawStream.message(message, padding: 100))
      }
      try await Wire.wait(for: "some of it") { stream.server.text.contains("id='m300'") }
      proxy.signal(SIGTERM)
      try await Wire.wait(for: "end") { stream.client.isOver && stream.server.isOver }
      try await Wire.wait(for: "end of it") { !proxy.isRunning }
      #expect(stream.client.text.hasSuffix("</stream:stream>"))
      #expect(stream.client.text.contains("<system-shutdown"))
      #expect(stream.server.text.hasSuffix("</stream:stream>"))
      let (sent, received) = (try recorded(.outbound), try recorded(.inbound))
      let passedOn = RawStream.numbers(in: stream.server.text)
      #expect(passedOn == Array(0..<passedOn.count) && passedOn.count >= 300)
      let own = RawStream.numbers(in: String(decoding: sent.utf8.dropFirst(before), as: UTF8.self))
      #expect(own.starts(with: passedOn) && sent.hasSuffix("</stream:stream>"))
      let heard = RawStream.numbers(in: stream.client.text)
      #expect(RawStream.numbers(in: received).suffix(3000).count >= heard.count)
      #expect(proxy.output.contains("the proxy was stopped"), "\(proxy.output)")
    }
  }

  @Test("Another proxy on its folder, or a recorder on one of its logs, is refused by name")
  func secondRecorder() async throws {
    let proxy = try proxy()
    let stream = try await stream(proxy)
    stream.client.say(RawStream.message(1))
    try await stream.server.hears("id='m1'")
    let second = try Program(beside: "rollcall-live", arguments + ["--listen", "127.0.0.1:0"])
    #expect(second.code == 2)
    #expect(
      second.errors.contains("is being recorded to by process \(proxy.identifier) (rollcall-live)"),
      "\(second.errors)")
    let error = #expect(throws: RollcallError.self) { try RosterSession(recordingTo: log) }
    #expect(error?.reason == .inUse)
    stream.client.say(RawStream.message(2))
    try await stream.server.hears("id='m2'")
    #expect(proxy.isRunning)
    proxy.signal(SIGTERM)
    try await Wire.wait(for: "end of it") { !proxy.isRunning }
    #expect(RawStream.numbers(in: try recorded(.outbound)) == [1, 2])
    #expect(try !recorded(.none).contains("without a word"))
    // The folder and the logs are free again once it has ended.
    try RosterSession(recordingTo: log).close()
    let third = try self.proxy()
    _ = try await port(of: third)
    third.signal(SIGKILL)
    try await Wire.wait(for: "end of it") { !third.isRunning }
    let fourth = try self.proxy()
    _ = try await port(of: fourth)
    fourth.signal(SIGTERM)
    try await Wire.wait(for: "end of it") { !fourth.isRunning }
  }

  @Test("If its folder is removed, it stops recording and says so")
  func removedFolder() async throws {
    let proxy = try proxy()
    let stream = try await stream(proxy)
    stream.client.say(RawStream.message(1))
    try await stream.server.hears("id='m1'")
    try await Wire.wait(for: "record") { try recorded(.outbound).contains("id='m1'") }
    try FileManager.default.removeItem(atPath: folder.file("logs é"))
    stream.client.say(RawStream.message(2))
    try await stream.client.hears("<internal-server-error")
    try await Wire.wait(for: "end") { stream.client.isOver && stream.server.isOver }
    try await Wire.wait(for: "word") { proxy.output.contains("was removed, moved or replaced") }
    proxy.signal(SIGTERM)
    try await Wire.wait(for: "end of it") { !proxy.isRunning }
  }

  @Test("On a full disk it stops with a message, and the records so far are intact")
  func fullDisk() async throws {
    let program = try Program.executable("rollcall-live").path(percentEncoded: false)
    let proxy = try Conversation(
      URL(filePath: "/bin/sh"),
      ["-c", "ulimit -f 1024; exec \"$0\" \"$@\"", program] + arguments
        + ["--listen", "127.0.0.1:0"])
    let stream = try await stream(proxy)
    for message in 0..<4000 { stream.client.say(RawStream.message(message, padding: 2000)) }
    try await stream.client.hears("<internal-server-error")
    try await Wire.wait(for: "end") { stream.client.isOver && stream.server.isOver }
    try await Wire.wait(for: "word") { proxy.output.contains("the connection cannot be recorded") }
    // The next client is served, and the accounts of other clients are not harmed.
    let other = try await self.stream(proxy, number: 1, jid: "bob@raw.test/x")
    other.client.say(RawStream.message(7))
    try await other.server.hears("id='m7'")
    proxy.signal(SIGTERM)
    try await Wire.wait(for: "end of it") { !proxy.isRunning }
    let kept = RawStream.numbers(in: try recorded(.outbound))
    #expect(kept == Array(0..<kept.count) && kept.count < 600)
    let passedOn = RawStream.numbers(in: stream.server.text)
    #expect(passedOn == Array(0..<passedOn.count) && passedOn.count < 4000)
    #expect(try Program("verify", log).code == 0)
  }

  /// Runs `body` while the log is locked for writing.
  private func withBusyDisk(_ body: () async throws -> Void) async throws {
    let (held, empty) = (
      try EventLog.open(at: log, access: .readWrite, eventVersion: RecordReader.version),
      try EventLog.create(at: folder.file("empty.rollcall"), eventVersion: RecordReader.version)
    )
    let isHeld = Mutex(false)
    let isToEnd = DispatchSemaphore(value: 0)
    let thread = WorkerThread {
      _ = try? held.append(
        recordsOf: empty,
        choosing: { _, _ in
          isHeld.withLock { $0 = true }
          isToEnd.wait()
          return RecordSelection(records: [])
        }, { _, _ in DerivedParts(event: nil, contacts: []) })
    }
    guard let thread else { throw Tool.Failure(words: "no thread") }
    thread.detach()
    try await Wire.wait(for: "lock") { isHeld.withLock { $0 } }
    do {
      try await body()
    } catch {
      isToEnd.signal()
      throw error
    }
    isToEnd.signal()
  }

  @Test("While the disk is busy, only a moment's data is passed on, and later everything")
  func busyDisk() async throws {
    let proxy = try proxy()
    let stream = try await stream(proxy)
    let messages = (0..<20_000).map { RawStream.message($0, padding: 2000) }
    let bytes = messages.reduce(stream.server.heardCount) { $0 + $1.utf8.count }
    try await withBusyDisk {
      for message in messages { stream.client.say(message) }
      // Until no more data arrives for a while.
      var (last, looks) = (-1, 0)
      while looks < 100 {
        try await Task.sleep(for: .milliseconds(10))
        let heard = stream.server.heardCount
        looks = heard == last ? looks + 1 : 0
        last = heard
      }
      // If the limit were the size of the queue for the disk, and not time, other clients would be
      // blocked by now.
      #expect(last < BatchQueue.byteLimit / 2, "\(last)")
      let other = try await self.stream(proxy, number: 1, jid: "bob@raw.test/x")
      other.client.say(RawStream.message(7))
      try await other.server.hears("id='m7'")
      #expect(!proxy.output.contains("ended: "))
    }
    try await Wire.wait(for: "everything") { stream.server.heardCount == bytes }
    try await Wire.wait(for: "word") { proxy.output.contains("the disk is slow") }
    proxy.signal(SIGTERM)
    try await Wire.wait(for: "end of it") { !proxy.isRunning }
    #expect(RawStream.numbers(in: try recorded(.outbound)) == Array(0..<messages.count))
  }

  @Test("After a kill and a restart, it knows the account of a resumed session")
  func restarted() async throws {
    let first = try proxy()
    let one = try await stream(first)
    one.client.say("<enable xmlns='urn:xmpp:sm:3' resume='true'/>")
    try await one.server.hears("<enable")
    one.server.say("<enabled xmlns='urn:xmpp:sm:3' id='some secret id' resume='true'/>")
    try await one.client.hears("<enabled")
    one.client.say(RawStream.message(1))
    try await one.server.hears("id='m1'")
    try await Wire.wait(for: "record") { try recorded(.outbound).contains("id='m1'") }
    let unbound = folder.file("logs é/unbound")
    try await Wire.wait(for: "move") {
      try FileManager.default.contentsOfDirectory(atPath: unbound) == []
    }
    first.signal(SIGKILL)
    try await Wire.wait(for: "end") { one.client.isOver }

    let second = try proxy()
    let again = try await stream(second, number: 1, jid: nil)
    again.client.say("<resume xmlns='urn:xmpp:sm:3' previd='some secret id' h='0'/>")
    try await again.server.hears("<resume")
    again.server.say("<resumed xmlns='urn:xmpp:sm:3' previd='some secret id' h='1'/>")
    try await again.client.hears("<resumed")
    again.client.say(RawStream.message(2))
    try await again.server.hears("id='m2'")
    try await Wire.wait(for: "record") { try recorded(.outbound).contains("id='m2'") }
    second.signal(SIGTERM)
    try await Wire.wait(for: "end of it") { !second.isRunning }

    #expect(RawStream.numbers(in: try recorded(.outbound)) == [1, 2])
    let roster = try Timeline(ofLogAt: log).state(at: .head(minus: 0)).roster
    // The second connection has the session of the first, under a number of its own.
    #expect(roster.connections.map(\.id.number) == [1, 2])
    #expect(roster.connections.first { $0.id.number == 2 }?.resource == "x")
    #expect(try FileManager.default.contentsOfDirectory(atPath: unbound) == [])
    let bytes = try Data(contentsOf: URL(filePath: log))
    #expect(bytes.range(of: Data("some secret id".utf8)) == nil)
  }

  @Test(
    "A terminal shows a status line, a pipe does not",
    .enabled(if: Tool.find("script") != nil, "the program script makes a terminal"))
  func status() async throws {
    let program = try Program.executable("rollcall-live").path(percentEncoded: false)
    let words = ([program] + arguments + ["--listen", "127.0.0.1:0"]).map { "'\($0)'" }
    let shown = try Conversation(
      "script", ["-qfec", words.joined(separator: " "), "/dev/null"], ["TERM": "xterm"])
    try await Wire.wait(for: "line") {
      shown.output.contains("\r0 of 0 connections open, 0 records, 0 findings\u{1B}[K")
    }
    let stream = try await stream(shown)
    try await Wire.wait(for: "count") {
      shown.output.contains("\r1 of 1 connections open, ")
        && shown.output.contains("is recorded in")
    }
    // Other lines are printed above the status line, not after it.
    let lines = shown.output.split(separator: "\r\n")
    #expect(
      lines.contains { $0.hasSuffix("\r\u{1B}[K#1 alice@raw.test is recorded in \(log)") },
      "\(shown.output.debugDescription)")
    stream.client.close()

    // The first proxy still holds its folder, so this one uses another.
    let piped = try proxy(recordingTo: "other logs")
    let other = try await self.stream(piped, number: 1)
    try await Wire.wait(for: "line") { piped.output.contains("is recorded in") }
    other.client.close()
    piped.signal(SIGTERM)
    try await Wire.wait(for: "end of it") { !piped.isRunning }
    #expect(!piped.output.contains("\u{1B}") && !piped.output.contains("\r"))
    #expect(piped.output.contains("0 of 1 connections open, "))
  }

  @Test("The system's limit of connections applies, not the shell's")
  func descriptors() async throws {
    let program = try Program.executable("rollcall-live").path(percentEncoded: false)
    let proxy = try Conversation(
      URL(filePath: "/bin/sh"),
      ["-c", "ulimit -Sn 64; exec \"$0\" \"$@\"", program] + arguments
        + ["--listen", "127.0.0.1:0"])
    var streams: [RawStream] = []
    for number in 0..<50 {
      streams.append(try await stream(proxy, number: number, jid: "alice@raw.test/\(number)"))
    }
    for (number, stream) in streams.enumerated() {
      stream.client.say(RawStream.message(number))
      try await stream.server.hears("id='m\(number)'")
    }
    proxy.signal(SIGTERM)
    try await Wire.wait(for: "end of it") { !proxy.isRunning }
    #expect(Set(RawStream.numbers(in: try recorded(.outbound))) == Set(0..<50))
  }

  @Test(
    "Everything that the load generator sends is passed on",
    .enabled(
      if: Tool.find("python3") != nil && Tool.find("openssl") != nil, "no Python, no OpenSSL"))
  func measured() throws {
    let script = URL(filePath: #filePath).appending(path: "../../../../Benchmarks/Proxy/load.py")
    let run = try Tool.run(
      "python3",
      [
        script.standardizedFileURL.path(percentEncoded: false),
        try Program.executable("rollcall-live").path(percentEncoded: false), "--connections", "6",
        "--accounts", "3", "--settle", "0", "--rate", "300", "--busy", "2", "--seconds", "0.5",
      ])
    #expect(run.code == 0, "\(run.output)")
    #expect(run.output.contains("6 idle connections of 3 accounts"))
    let counts = try #require(run.output.firstMatch(of: #/through it: ([0-9]+) of ([0-9]+) /#))
    #expect(counts.1 == counts.2 && counts.1 != "0")
    #expect(run.output.contains("0 of 8 connections open, "))
  }

  @Test("It warns if other machines can connect, and only then")
  func reachable() async throws {
    for (address, isWarned) in [("0.0.0.0:0", true), ("127.0.0.1:0", false)] {
      let proxy = try Conversation(
        Program.executable("rollcall-live"), arguments + ["--listen", address])
      _ = try await port(of: proxy)
      proxy.signal(SIGTERM)
      try await Wire.wait(for: "end of it") { !proxy.isRunning }
      #expect(proxy.output.contains("other machines can connect") == isWarned, "\(address)")
    }
  }
}
