import EventStore
import Foundation
import Synchronization
import TestSupport
import Testing

/// The lease allows only one recorder per log, until it is released.
@Suite("The lease of a recorder") struct LeaseTests {
  let folder: TemporaryFolder
  let path: String
  private var leasePath: String { path + "-lease" }

  init() throws {
    folder = try TemporaryFolder()
    path = folder.file("a.rollcall")
  }

  private func expectRefusal(
    by words: String, _ body: () throws(EventLogError) -> RecorderLease
  ) {
    do throws(EventLogError) {
      let second = try body()
      Issue.record("a second lease")
      withExtendedLifetime(second) {}
    } catch {
      guard error.code == .recorded else {
        Issue.record("\(error)")
        return
      }
      #expect(error.description.contains("is being recorded to by \(words)"), "\(error)")
    }
  }

  @Test("A second recorder in one process is refused, however the path is written")
  func oneProcess() throws {
    let link = folder.file("link")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder.path)
    let lease = try RecorderLease(ofLogAt: path)
    for other in [path, "\(link)/a.rollcall", "\(folder.path)/./a.rollcall"] {
      expectRefusal(by: "another session of this process") { () throws(EventLogError) in
        try RecorderLease(ofLogAt: other)
      }
    }
    withExtendedLifetime(try RecorderLease(ofLogAt: folder.file("b.rollcall"))) {}
    withExtendedLifetime(lease) {}
  }

  @Test("A released lease leaves nothing, and the next recorder gets it")
  func released() throws {
    for _ in 0..<3 {
      do {
        let lease = try RecorderLease(ofLogAt: path)
        #expect(try folder.names == ["a.rollcall-lease"])
        withExtendedLifetime(lease) {}
      }
      #expect(try folder.names.isEmpty)
    }
  }

  @Test("A refusal names the process that has the lease, and its end releases it, even if killed")
  func otherProcess() throws {
    let (process, output) = try ProbeProcess.start(["lease", path], input: Pipe())
    #expect(output.next() == "leased")
    let name = "process \(process.processIdentifier) (EventStoreProbe)"
    expectRefusal(by: name) { () throws(EventLogError) in try RecorderLease(ofLogAt: path) }
    process.killNow()
    // The file still exists and names the former holder.
    #expect(try folder.names == ["a.rollcall-lease"])
    let lease = try RecorderLease(ofLogAt: path)
    let text = try String(contentsOfFile: leasePath, encoding: .utf8)
    #expect(text.hasPrefix("\(getpid())\n"))
    let second = try ProbeProcess.run(["lease", path])
    #expect(second.status == 1)
    #expect(second.lines.first?.contains("by process \(getpid()) (") == true, "\(second.lines)")
    withExtendedLifetime(lease) {}
  }

  @Test("A program that is started during a lease does not keep it")
  func child() throws {
    let process = Process()
    do {
      let lease = try RecorderLease(ofLogAt: path)
      process.executableURL = URL(filePath: "/bin/sleep")
      process.arguments = ["600"]
      try process.run()
      withExtendedLifetime(lease) {}
    }
    defer { process.killNow() }
    withExtendedLifetime(try RecorderLease(ofLogAt: path)) {}
  }

  /// Each release removes the file, which other threads may just have opened.
  @Test("If many threads take and release a lease, only one has it at a time")
  func crowd() throws {
    let state = Mutex((holders: 0, maxHolders: 0, count: 0))
    let path = path
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      for _ in 0..<3000 {
        guard let lease = try? RecorderLease(ofLogAt: path) else { continue }
        state.withLock { state in
          state.holders += 1
          state.count += 1
          state.maxHolders = max(state.maxHolders, state.holders)
        }
        sched_yield()
        state.withLock { $0.holders -= 1 }
        withExtendedLifetime(lease) {}
      }
    }
    #expect(state.withLock { $0.maxHolders } == 1)
    #expect(state.withLock { $0.count } > 0)
    #expect(try folder.names.isEmpty)
  }

  @Test("A lease whose file was deleted is void, and its release does not delete another's file")
  func removed() throws {
    var first: RecorderLease? = try RecorderLease(ofLogAt: path)
    try FileManager.default.removeItem(atPath: leasePath)
    let second = try RecorderLease(ofLogAt: path)
    withExtendedLifetime(first) {}
    first = nil
    #expect(try folder.names == ["a.rollcall-lease"])
    expectRefusal(by: "another session") { () throws(EventLogError) in
      try RecorderLease(ofLogAt: path)
    }
    withExtendedLifetime(second) {}
  }

  @Test("A folder has a lease of its own, separate from those of its logs")
  func ofFolder() throws {
    let lease = try RecorderLease(ofFolder: folder.path)
    expectRefusal(by: "another session") { () throws(EventLogError) in
      try RecorderLease(ofFolder: folder.path + "/")
    }
    withExtendedLifetime(try RecorderLease(ofLogAt: path)) {}
    withExtendedLifetime(lease) {}
  }

  @Test("A recorder waits for a holder that has not written its name yet")
  func lateText() throws {
    let descriptor = open(leasePath, O_RDWR | O_CREAT, 0o600)
    defer { close(descriptor) }
    #expect(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
    let writer = Thread {
      usleep(50_000)
      _ = "77\n\nslow\n".withCString { pwrite(descriptor, $0, strlen($0), 0) }
    }
    writer.start()
    expectRefusal(by: "process 77 (slow)") { () throws(EventLogError) in
      try RecorderLease(ofLogAt: path)
    }
  }

  @Test("The holder's name in a lease is shown without control characters")
  func hostileText() throws {
    try Data("77\nsome other boot\nname\u{1B}[31m\n".utf8).write(to: URL(filePath: leasePath))
    let descriptor = open(leasePath, O_RDWR)
    defer { close(descriptor) }
    #expect(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
    #if os(Linux)
      let words = "process 77 (name[31m) of another machine"
    #else
      let words = "process 77 (name[31m)"
    #endif
    expectRefusal(by: words) { () throws(EventLogError) in try RecorderLease(ofLogAt: path) }
    try Data("\n".utf8).write(to: URL(filePath: leasePath))
    let again = open(leasePath, O_RDWR)
    defer { close(again) }
    _ = flock(again, LOCK_EX | LOCK_NB)
    expectRefusal(by: "another process") { () throws(EventLogError) in
      try RecorderLease(ofLogAt: path)
    }
  }
}
