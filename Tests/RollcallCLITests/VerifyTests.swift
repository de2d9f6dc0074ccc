import Foundation
import TestSupport
import Testing

/// `verify` and `recover` as a user runs them.
@Suite("The commands verify and recover") struct VerifyTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    let test = try #require(CaptureCase.all.first)
    let run = try Program(
      "import", test.path, "--account", test.account, "-o", "a.rollcall", in: folder.path)
    #expect(run.code == 0, "\(run.errors)")
  }

  private func change(_ body: (inout Data) throws -> Void) throws {
    var bytes = try Data(contentsOf: URL(filePath: folder.file("a.rollcall")))
    try body(&bytes)
    try bytes.write(to: URL(filePath: folder.file("a.rollcall")))
  }

  /// Changes text in the records only, because only they contain markup.
  private func changeARecord() throws {
    try change { bytes in
      var changes = 0
      while let range = bytes.range(of: Data("jabber:iq:roster".utf8)) {
        bytes.replaceSubrange(range, with: Data("jabber:iq:rostxr".utf8))
        changes += 1
      }
      #expect(changes > 0)
    }
  }

  private func count() throws -> Int {
    let log = try Program("log", "a.rollcall", "--json", in: folder.path)
    return try #require(try log.document["records"] as? [Any]).count
  }

  @Test("A sound log passes")
  func sound() throws {
    let run = try Program("verify", "a.rollcall", in: folder.path)
    #expect(run.code == 0, "\(run.output)\(run.errors)")
    #expect(run.output.contains(": intact, "))
    let records = try count()
    #expect(run.output.contains("\(records) records"))
    let json = try Program("verify", "a.rollcall", "--json", in: folder.path).document
    #expect(json["ok"] as? Bool == true)
    #expect(json["records"] as? Int == records)
    #expect(json["faults"] as? [NSDictionary] == [])
    #expect(json["crash"] is NSNull)
  }

  @Test("The first bad record and the salvageable records are named")
  func changed() throws {
    let records = try count()
    try changeARecord()
    let run = try Program("verify", "a.rollcall", in: folder.path)
    #expect(run.code == 1)
    #expect(run.output.contains("does not follow from its bytes"))
    #expect(run.output.contains("is the first that is not"))
    #expect(run.output.contains("rollcall recover a.rollcall -o NEW saves"))
    let json = try Program("verify", "a.rollcall", "--json", in: folder.path)
    #expect(json.code == 1)
    let document = try json.document
    let fault = try #require((document["faults"] as? [NSDictionary])?.first)
    #expect(fault["record"] as? Int == document["firstBad"] as? Int)
    let saved = try #require(document["saved"] as? NSDictionary)
    #expect(saved["records"] as? Int == records)
    #expect(saved["whole"] as? Int == (fault["record"] as? Int).map { $0 - 1 })
  }

  @Test("recover writes a sound log, reports the losses, and does not change the damaged one")
  func recover() throws {
    try changeARecord()
    let before = try Data(contentsOf: URL(filePath: folder.file("a.rollcall")))
    let run = try Program("recover", "a.rollcall", "-o", "b.rollcall", in: folder.path)
    #expect(run.code == 1, "\(run.errors)")
    #expect(run.output.contains("nothing vouches for"))
    #expect(try Data(contentsOf: URL(filePath: folder.file("a.rollcall"))) == before)
    #expect(try Program("verify", "b.rollcall", in: folder.path).code == 0)
    let again = try Program("recover", "a.rollcall", "-o", "b.rollcall", in: folder.path)
    #expect(again.code == 2, "an existing file is left alone")
  }

  @Test("A sound log is recovered completely")
  func recoverSound() throws {
    let run = try Program("recover", "a.rollcall", "-o", "b.rollcall", "--json", in: folder.path)
    #expect(run.code == 0)
    let saved = try #require(try run.document["saved"] as? NSDictionary)
    #expect(saved["kept"] as? Int == saved["records"] as? Int)
    let states = try ["a", "b"].map {
      try Program("state", "\($0).rollcall", "--json", in: folder.path).output
    }
    #expect(states[0] == states[1])
  }

  @Test("For a truncated log, the missing end is reported", arguments: [0.5, 0.75])
  func cutOff(_ part: Double) throws {
    let records = try count()
    try change { $0.removeLast(Int(Double($0.count) * (1 - part))) }
    let run = try Program("verify", "a.rollcall", "--json", in: folder.path)
    #expect(run.code == 1)
    let saved = try #require(try run.document["saved"] as? NSDictionary)
    let recovered = try Program("recover", "a.rollcall", "-o", "b.rollcall", in: folder.path)
    guard let kept = saved["kept"] as? Int, kept > 0 else {
      #expect(recovered.code == 2)
      return
    }
    // If pages of the tree are missing, the end is unknown, even if all records were in other
    // pages.
    let endIsKnown = try #require(saved["endIsKnown"] as? Bool)
    #expect(kept == records || !endIsKnown)
    #expect((recovered.code == 0) == (kept == records && endIsKnown))
  }

  @Test("Damaged pages are reported, and the records after them are saved")
  func pages() throws {
    let records = try count()
    // The newest meta page no longer leads to the records.
    try change { bytes in
      for meta in [0, 4096] { bytes.replaceSubrange(meta + 128..<meta + 136, with: Data(count: 8)) }
    }
    let run = try Program("verify", "a.rollcall", in: folder.path)
    #expect(run.code == 1, "\(run.output)\(run.errors)")
    #expect(run.output.contains("rollcall recover a.rollcall -o NEW"))
    // All records are there, but it is not known whether there were more.
    let recovered = try Program("recover", "a.rollcall", "-o", "b.rollcall", in: folder.path)
    #expect(recovered.code == 1)
    #expect(recovered.output.contains("the end is not known: what came after #\(records), if"))
    let run2 = try Program("verify", "b.rollcall", "--json", in: folder.path)
    #expect(try run2.document["records"] as? Int == records)
  }

  @Test(
    "If the newer meta page is unreadable, all records are saved and the end is unknown",
    arguments: [(10, 2), (16, 4), (20, 4), (40, 4), (128, 8)])
  func newerMetaPage(offset: Int, size: Int) throws {
    // The older meta page does not know about the last transaction.
    #expect(try Program("bookmark", "a.rollcall", "last", in: folder.path).code == 0)
    let records = try count()
    try change { bytes in
      let newer =
        bytes[144..<152].reversed().lexicographicallyPrecedes(
          bytes[4096 + 144..<4096 + 152].reversed()) ? 4096 : 0
      bytes.replaceSubrange(
        newer + offset..<newer + offset + size, with: Data(repeating: 0xFF, count: size))
    }
    for command in [["state"], ["replay"], ["export"], ["log"], ["bookmark"]] {
      let run = try Program([command[0], "a.rollcall"], in: folder.path)
      #expect(run.code == 2 && run.errors.contains("rollcall verify"), "\(run.errors)")
    }
    let verified = try Program("verify", "a.rollcall", in: folder.path)
    #expect(verified.code == 1, "\(verified.output)\(verified.errors)")
    #expect(verified.output.contains("the end is not known: what came after #\(records)"))
    let recovered = try Program("recover", "a.rollcall", "-o", "b.rollcall", in: folder.path)
    #expect(recovered.code == 1)
    #expect(recovered.output.contains("b.rollcall: \(records) of \(records) records"))
    #expect(recovered.output.contains("the end is not known"))
    let whole = try Program("verify", "b.rollcall", "--json", in: folder.path).document
    #expect(whole["records"] as? Int == records)
  }

  @Test("--rebuild rebuilds derived data")
  func rebuild() throws {
    let run = try Program("verify", "a.rollcall", "--rebuild", in: folder.path)
    #expect(run.code == 0, "\(run.output)\(run.errors)")
    #expect(run.output.contains(": intact, "))
  }

  @Test(
    "Files that are not logs are refused", arguments: ["none.rollcall", "text.rollcall", "empty"])
  func noLog(_ name: String) throws {
    try FileManager.default.createDirectory(
      atPath: folder.file("empty"), withIntermediateDirectories: false)
    try Data("<presence/>".utf8).write(to: URL(filePath: folder.file("text.rollcall")))
    for command in [["verify", name], ["recover", name, "-o", "new.rollcall"]] {
      let run = try Program(command, in: folder.path)
      #expect(run.code == 2, "\(command) \(run.output)")
      #expect(run.errors.contains(name == "empty" ? "not a file" : name), "\(run.errors)")
    }
    #expect(try !folder.names.contains { $0.hasPrefix("new.rollcall") })
  }

  @Test("The command of the reading process is hidden")
  func worker() throws {
    #expect(try !Program("--help").output.contains("verify-worker"))
    for command in ["verify", "recover"] {
      #expect(try Program(command, "--help").output.contains("Example"))
    }
  }

  #if os(Linux)
    /// The reading process waits for a lock that is held here, and is killed from outside, as LMDB
    /// would do.
    @Test("A crash of the reading process is a fault, with the last record it reached")
    func crash() throws {
      let descriptor = open(folder.file("a.rollcall-lock"), O_RDWR)
      defer { close(descriptor) }
      var lock = flock()
      lock.l_type = Int16(F_WRLCK)
      lock.l_whence = Int16(SEEK_SET)
      lock.l_len = 1
      #expect(fcntl(descriptor, F_SETLK, &lock) == 0)
      let process = Process()
      process.executableURL = try Program.executable()
      process.arguments = ["verify", folder.file("a.rollcall"), "--json"]
      let pipe = Pipe()
      process.standardOutput = pipe
      try process.run()
      while process.isRunning {
        let reader = child(of: process.processIdentifier)
        if let reader, kill(reader, SIGSEGV) == 0 { break }
        usleep(1000)
      }
      let output = pipe.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      #expect(process.terminationStatus == 1)
      let document = try JSONSerialization.jsonObject(with: output) as? NSDictionary
      let crash = try #require(document?["crash"] as? NSDictionary)
      #expect(crash["signal"] as? Int == Int(SIGSEGV))
      #expect(crash["behind"] as? Int == 0)
      #expect(document?["ok"] as? Bool == false)
    }

    private func child(of process: pid_t) -> pid_t? {
      let tasks = "/proc/\(process)/task"
      let names = (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []
      return names.lazy.compactMap { name in
        let children = try? String(contentsOfFile: "\(tasks)/\(name)/children", encoding: .utf8)
        return children?.split(separator: " ").first.flatMap { pid_t($0) }
      }.first
    }
  #endif
}
