import EventStore
import Foundation
import TestSupport
import Testing

/// A log is in its place whole, or not at all.
@Suite("Creating a log") struct CreationTests {
  let folder: TemporaryFolder
  let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.file("a.rollcall")
  }

  @Test("A new log has a lock file beside it, and nobody else may read them")
  func creation() throws {
    let log = try EventLog.create(at: path, eventVersion: 1)
    #expect(try folder.names == ["a.rollcall", "a.rollcall-lock"])
    for name in try folder.names {
      let attributes = try FileManager.default.attributesOfItem(atPath: folder.file(name))
      #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
    }
    try log.append([draft("a")])
    #expect(log.path == URL(fileURLWithPath: path).resolvingSymlinksInPath().path)
  }

  @Test("A path that is taken is refused")
  func existingPath() throws {
    try Data([1]).write(to: URL(fileURLWithPath: path))
    #expect(throws: EventLogError.alreadyExists(path: path)) {
      try EventLog.create(at: path, eventVersion: 1)
    }
    #expect(try folder.names == ["a.rollcall"])
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data([1]))
  }

  @Test("In place of a log that is still open there is no other, whose lock file would be the same")
  func openInPlace() throws {
    let path = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    var log: EventLog? = try EventLog.create(at: path, eventVersion: 1)
    try FileManager.default.removeItem(atPath: path)
    #expect(throws: EventLogError.replaced(path: path)) {
      try EventLog.create(at: path, eventVersion: 1)
    }
    #expect(throws: EventLogError.removed(path: path)) { try log?.append([draft("a")]) }
    #expect(try folder.names == ["a.rollcall-lock"])
    log = nil
    _ = try EventLog.create(at: path, eventVersion: 1)
  }

  @Test("A link that leads nowhere takes a path")
  func danglingLink() throws {
    try FileManager.default.createSymbolicLink(
      atPath: path, withDestinationPath: folder.file("nowhere"))
    #expect(throws: EventLogError.alreadyExists(path: path)) {
      try EventLog.create(at: path, eventVersion: 1)
    }
    #expect(try folder.names == ["a.rollcall"])
  }

  @Test("A log in a directory that is not there is refused")
  func missingDirectory() throws {
    #expect(throws: EventLogError.self) {
      try EventLog.create(at: folder.file("no/b.rollcall"), eventVersion: 1)
    }
    #expect(try folder.names.isEmpty)
  }

  @Test("A draft is not in its place until it is published")
  func publishing() throws {
    let log = try EventLog.draft(for: path, eventVersion: 1)
    try log.append((1...50).map { draft("\($0)") })
    #expect(!FileManager.default.fileExists(atPath: path))
    #expect(try folder.names.count == 1)
    try log.publish()
    #expect(try folder.names == ["a.rollcall", "a.rollcall-lock"])
    #expect(try log.last == 50)
    try log.append([draft("51")])
    try log.publish()
    log.discard()
    #expect(try log.last == 51)
    let again = try EventLog.open(at: path, access: .readOnly, eventVersion: 1)
    #expect(try again.last == 51)
    #expect(try ProbeProcess.run(["read", path]).lines == ["last 51"])
  }

  @Test("A discarded draft leaves nothing")
  func discarding() throws {
    let log = try EventLog.draft(for: path, eventVersion: 1)
    try log.append([draft("a")])
    log.discard()
    #expect(try folder.names.isEmpty)
    #expect(throws: EventLogError.self) { try log.append([draft("b")]) }
    #expect(throws: EventLogError.self) { try log.last }
    #expect(throws: EventLogError.self) { try log.publish() }
    #expect(try folder.names.isEmpty)
  }

  @Test("A draft that is let go of leaves nothing")
  func forgottenDraft() throws {
    do {
      let log = try EventLog.draft(for: path, eventVersion: 1)
      try log.append([draft("a")])
    }
    #expect(try folder.names.isEmpty)
  }

  @Test("A path that is taken meanwhile is left alone, and the draft can go there later")
  func pathTakenMeanwhile() throws {
    do {
      let log = try EventLog.draft(for: path, eventVersion: 1)
      try log.append([draft("a")])
      try Data([1]).write(to: URL(fileURLWithPath: path))
      #expect(throws: EventLogError.alreadyExists(path: log.path(forTarget: path))) {
        try log.publish()
      }
      // The draft is as it was, and can go where there is room.
      #expect(try log.last == 1)
      try FileManager.default.removeItem(atPath: path)
      try log.publish()
      #expect(try log.last == 1)
    }
    #expect(try folder.names == ["a.rollcall", "a.rollcall-lock"])
  }

  #if os(Linux)
    /// The system tells once of bytes that it could not write.
    @Test("A draft that could not be synced is not published at the second try either")
    func unsyncedDraft() throws {
      let log = try EventLog.draft(for: path, eventVersion: 1)
      try log.append([draft("a")])
      // Its descriptors lead to what takes all and syncs nothing.
      let other = open("/dev/full", O_RDWR)
      defer { close(other) }
      var replaced = 0
      for descriptor in 3..<Int32(1024) {
        let link = "/proc/self/fd/\(descriptor)"
        let leadsTo = try? FileManager.default.destinationOfSymbolicLink(atPath: link)
        guard leadsTo == log.path else { continue }
        #expect(dup2(other, descriptor) == descriptor)
        replaced += 1
      }
      try #require(replaced > 0)
      let draft = log.path
      #expect(throws: EventLogError.self) { try log.publish() }
      // It is not tried again.
      #expect(throws: EventLogError.closed(path: draft)) { try log.publish() }
      log.discard()
      #expect(try folder.names.isEmpty)
    }
  #endif

  @Test("Of two drafts for one path the first that is published has it")
  func twoDrafts() throws {
    let first = try EventLog.draft(for: path, eventVersion: 1)
    let second = try EventLog.draft(for: path, eventVersion: 1)
    try second.append([draft("second")])
    try second.publish()
    #expect(throws: EventLogError.self) { try first.publish() }
    first.discard()
    #expect(try second.last == 1)
    #expect(try folder.names == ["a.rollcall", "a.rollcall-lock"])
  }
}

extension EventLog {
  /// The target as the log names it: its directory is resolved.
  fileprivate func path(forTarget path: String) -> String {
    let url = URL(fileURLWithPath: path)
    let directory = url.deletingLastPathComponent().resolvingSymlinksInPath().path
    return "\(directory)/\(url.lastPathComponent)"
  }
}
