import EventStore
import Foundation
import Testing

/// A log is in its place whole, or not at all.
@Suite struct CreationTests {
  let scratch: Scratch
  let path: String

  init() throws {
    scratch = try Scratch()
    path = scratch.file()
  }

  @Test func createMakesALogAndItsLock() throws {
    let log = try EventLog.create(at: path, eventVersion: 1)
    #expect(try scratch.names() == ["a.rollcall", "a.rollcall-lock"])
    try log.append([draft("a")])
    #expect(log.path == URL(fileURLWithPath: path).resolvingSymlinksInPath().path)
  }

  @Test func anExistingPathIsRefused() throws {
    try Data([1]).write(to: URL(fileURLWithPath: path))
    #expect(throws: EventLogError.alreadyExists(path: path)) {
      try EventLog.create(at: path, eventVersion: 1)
    }
    #expect(try scratch.names() == ["a.rollcall"])
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data([1]))
  }

  @Test func aDanglingLinkIsSomething() throws {
    try FileManager.default.createSymbolicLink(
      atPath: path, withDestinationPath: scratch.file("nowhere"))
    #expect(throws: EventLogError.alreadyExists(path: path)) {
      try EventLog.create(at: path, eventVersion: 1)
    }
    #expect(try scratch.names() == ["a.rollcall"])
  }

  @Test func aDirectoryThatIsNotThere() throws {
    #expect(throws: EventLogError.self) {
      try EventLog.create(at: scratch.file("no/b.rollcall"), eventVersion: 1)
    }
    #expect(try scratch.names().isEmpty)
  }

  @Test func aDraftIsNotInItsPlaceUntilItIsPublished() throws {
    let log = try EventLog.draft(for: path, eventVersion: 1)
    try log.append((1...50).map { draft("\($0)") })
    #expect(!FileManager.default.fileExists(atPath: path))
    #expect(try scratch.names().count == 1)
    try log.publish()
    #expect(try scratch.names() == ["a.rollcall", "a.rollcall-lock"])
    #expect(try log.last == 50)
    try log.append([draft("51")])
    try log.publish()
    log.discard()
    #expect(try log.last == 51)
    let again = try EventLog.open(at: path, access: .readOnly, eventVersion: 1)
    #expect(try again.last == 51)
    #expect(try ProbeProcess.run(["read", path]).lines == ["last 51"])
  }

  @Test func aDiscardedDraftLeavesNothing() throws {
    let log = try EventLog.draft(for: path, eventVersion: 1)
    try log.append([draft("a")])
    log.discard()
    #expect(try scratch.names().isEmpty)
    #expect(throws: EventLogError.self) { try log.append([draft("b")]) }
    #expect(throws: EventLogError.self) { try log.last }
    #expect(throws: EventLogError.self) { try log.publish() }
    #expect(try scratch.names().isEmpty)
  }

  @Test func aForgottenDraftLeavesNothing() throws {
    do {
      let log = try EventLog.draft(for: path, eventVersion: 1)
      try log.append([draft("a")])
    }
    #expect(try scratch.names().isEmpty)
  }

  @Test func aPathThatIsTakenMeanwhileIsLeftAlone() throws {
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
    #expect(try scratch.names() == ["a.rollcall", "a.rollcall-lock"])
  }

  @Test func twoDraftsForOnePath() throws {
    let first = try EventLog.draft(for: path, eventVersion: 1)
    let second = try EventLog.draft(for: path, eventVersion: 1)
    try second.append([draft("second")])
    try second.publish()
    #expect(throws: EventLogError.self) { try first.publish() }
    first.discard()
    #expect(try second.last == 1)
    #expect(try scratch.names() == ["a.rollcall", "a.rollcall-lock"])
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
