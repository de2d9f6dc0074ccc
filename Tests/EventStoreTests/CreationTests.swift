import EventStore
import Foundation
import TestSupport
import Testing

/// A new log is at its path completely or not at all.
@Suite("Creating a log") struct CreationTests {
  let folder: TemporaryFolder
  let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.file("a.rollcall")
  }

  @Test("A new log has a lock file next to it, and only its owner may read them")
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

  @Test("No log is created in place of one that is still open, with the same lock file")
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

  @Test("A dangling link at the path counts as taken")
  func danglingLink() throws {
    try FileManager.default.createSymbolicLink(
      atPath: path, withDestinationPath: folder.file("nowhere"))
    #expect(throws: EventLogError.alreadyExists(path: path)) {
      try EventLog.create(at: path, eventVersion: 1)
    }
    #expect(try folder.names == ["a.rollcall"])
  }

  @Test("A log in a missing directory is refused")
  func missingDirectory() throws {
    #expect(throws: EventLogError.self) {
      try EventLog.create(at: folder.file("no/b.rollcall"), eventVersion: 1)
    }
    #expect(try folder.names.isEmpty)
  }

  @Test("A draft is not at its path until it is published")
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

  @Test("A draft that is released leaves nothing")
  func forgottenDraft() throws {
    do {
      let log = try EventLog.draft(for: path, eventVersion: 1)
      try log.append([draft("a")])
    }
    #expect(try folder.names.isEmpty)
  }

  @Test("A path that was taken meanwhile is left alone, and the draft can be published later")
  func pathTakenMeanwhile() throws {
    do {
      let log = try EventLog.draft(for: path, eventVersion: 1)
      try log.append([draft("a")])
      try Data([1]).write(to: URL(fileURLWithPath: path))
      #expect(throws: EventLogError.alreadyExists(path: log.path(forTarget: path))) {
        try log.publish()
      }
      // The draft is unchanged and can be published once the path is free.
      #expect(try log.last == 1)
      try FileManager.default.removeItem(atPath: path)
      try log.publish()
      #expect(try log.last == 1)
    }
    #expect(try folder.names == ["a.rollcall", "a.rollcall-lock"])
  }

  #if os(Linux)
    /// The system reports unwritten bytes only once.
    @Test("A draft that could not be synced is not published at the second attempt either")
    func unsyncedDraft() throws {
      let log = try EventLog.draft(for: path, eventVersion: 1)
      try log.append([draft("a")])
      // Redirect the draft's descriptors to a device that cannot be synced.
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
      // The sync is not attempted again.
      #expect(throws: EventLogError.closed(path: draft)) { try log.publish() }
      log.discard()
      #expect(try folder.names.isEmpty)
    }
  #endif

  @Test("Of two drafts for one path, the first one to be published gets it")
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
  /// The target path as the log gives it, with its directory resolved.
  fileprivate func path(forTarget path: String) -> String {
    let url = URL(fileURLWithPath: path)
    let directory = url.deletingLastPathComponent().resolvingSymlinksInPath().path
    return "\(directory)/\(url.lastPathComponent)"
  }
}
