import EventStore
import Foundation
import TestSupport
import Testing

/// Files that another user of the machine can prepare, and logs that are moved while they are open.
@Suite("Links and other users' folders") struct OtherUserTests {
  let folder: TemporaryFolder
  let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.file("a.rollcall")
    try EventLog.create(at: path, eventVersion: 1).append([draft("1")])
  }

  private func open(_ access: LogAccess, _ path: String) throws(EventLogError) -> EventLog {
    try EventLog.open(at: path, access: access, eventVersion: 1)
  }

  @Test("A link in place of a log is refused, whether or not it leads to one")
  func linkedLog() throws {
    let link = folder.file("link.rollcall")
    for target in [path, folder.file("nowhere")] {
      try? FileManager.default.removeItem(atPath: link)
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
      for access in [LogAccess.readOnly, .readWrite] {
        #expect(throws: EventLogError.isLink(path: link)) { try open(access, link) }
      }
      #expect(throws: EventLogError.isLink(path: link)) { try RecorderLease(ofLogAt: link) }
    }
    #expect(try folder.names.filter { $0.hasPrefix("link") } == ["link.rollcall"])
  }

  @Test(
    "A link in place of a lock file or a lease is refused, and its target is unchanged",
    arguments: ["-lock", "-lease"])
  func linkedBeside(name: String) throws {
    let victim = folder.file("victim")
    try Data("mine".utf8).write(to: URL(filePath: victim))
    try? FileManager.default.removeItem(atPath: path + name)
    try FileManager.default.createSymbolicLink(atPath: path + name, withDestinationPath: victim)
    let real = URL(filePath: path).resolvingSymlinksInPath().path(percentEncoded: false)
    let error = EventLogError.isLink(path: real + name)
    if name == "-lock" {
      for access in [LogAccess.readOnly, .readWrite] {
        #expect(throws: error) { try open(access, path) }
      }
    } else {
      #expect(throws: error) { try RecorderLease(ofLogAt: path) }
    }
    #expect(try String(contentsOfFile: victim, encoding: .utf8) == "mine")
  }

  @Test(
    "Nothing is written in a folder that others can write to", arguments: [0o777, 0o702, 0o1777])
  func sharedFolder(mode: Int) throws {
    chmod(folder.path, mode_t(mode))
    // In a folder with the sticky bit, other users cannot replace files.
    guard mode != 0o1777 else {
      try open(.readWrite, path).append([draft("2")])
      withExtendedLifetime(try RecorderLease(ofLogAt: path)) {}
      return
    }
    let real = URL(filePath: folder.path).resolvingSymlinksInPath().path(percentEncoded: false)
    let error = EventLogError.writableByOthers(folder: real)
    #expect(throws: error) { try open(.readWrite, path) }
    #expect(throws: error) { try RecorderLease(ofLogAt: path) }
    #expect(throws: EventLogError.self) {
      try EventLog.create(at: folder.file("b.rollcall"), eventVersion: 1)
    }
    #expect(try folder.names.sorted() == ["a.rollcall", "a.rollcall-lock"])
    #expect(try open(.readOnly, path).contents().count == 1)
    #expect(error.description.contains("chmod go-w"))
  }

  @Test("A group-writable folder counts as others', except with the user's private group")
  func groupFolder() throws {
    chmod(folder.path, 0o770)
    var status = stat()
    stat(folder.path, &status)
    if status.st_gid == status.st_uid {
      try open(.readWrite, path).append([draft("2")])
    } else {
      #expect(throws: EventLogError.self) { try open(.readWrite, path) }
    }
    guard geteuid() == 0 else { return }
    chown(folder.path, 0, 100)
    #expect(throws: EventLogError.self) { try open(.readWrite, path) }
  }

  @Test(
    "Nothing is recorded in a folder of another user, or with another user's lease",
    .enabled(if: geteuid() == 0, "only root can give files away"))
  func anotherUser() throws {
    let real = URL(filePath: folder.path).resolvingSymlinksInPath().path(percentEncoded: false)
    try Data("77\n".utf8).write(to: URL(filePath: path + "-lease"))
    chown(path + "-lease", 65534, 65534)
    #expect(throws: EventLogError.ofAnotherUser(path: "\(real)/a.rollcall-lease")) {
      try RecorderLease(ofLogAt: path)
    }
    #expect(try String(contentsOfFile: path + "-lease", encoding: .utf8) == "77\n")
    chown(path + "-lease", 0, 0)
    // Even with the sticky bit, the folder's owner can replace any file.
    for mode in [0o700, 0o1777] {
      chmod(folder.path, mode_t(mode))
      chown(folder.path, 65534, 65534)
      let error = EventLogError.ofAnotherUser(path: real)
      #expect(throws: error) { try RecorderLease(ofLogAt: path) }
      #expect(throws: error) { try RecorderLease(ofFolder: folder.path) }
    }
    chown(folder.path, 0, 0)
    withExtendedLifetime(try RecorderLease(ofLogAt: path)) {}
  }

  @Test("A log with a hard link is not recorded to by either name")
  func hardLinks() throws {
    let other = folder.file("b.rollcall")
    let real = URL(filePath: folder.path).resolvingSymlinksInPath().path(percentEncoded: false)
    var lease: RecorderLease? = try RecorderLease(ofLogAt: path)
    #expect(link(path, other) == 0)
    for name in ["a", "b"] {
      let log = "\(real)/\(name).rollcall"
      #expect(throws: EventLogError.hasOtherNames(path: log)) { try RecorderLease(ofLogAt: log) }
    }
    withExtendedLifetime(lease) {}
    lease = nil
    unlink(other)
    // A process that was killed while it made a log has left its draft's name.
    let maker = Process()
    maker.executableURL = URL(filePath: "/bin/true")
    try maker.run()
    maker.waitUntilExit()
    #expect(link(path, "\(path).draft-\(maker.processIdentifier)-1") == 0)
    withExtendedLifetime(try RecorderLease(ofLogAt: path)) {}
    #expect(try folder.names.sorted() == ["a.rollcall", "a.rollcall-lock"])
  }

  @Test("A lease with a hard link is refused, and nothing is written to it")
  func linkedLease() throws {
    let victim = folder.file("victim")
    try Data("mine".utf8).write(to: URL(filePath: victim))
    #expect(link(victim, path + "-lease") == 0)
    let error = #expect(throws: EventLogError.self) { try RecorderLease(ofLogAt: path) }
    #expect(error?.description.contains("has other names") == true, "\(String(describing: error))")
    #expect(try String(contentsOfFile: victim, encoding: .utf8) == "mine")
  }

  @Test("A log is reported as removed only if it is gone, not if its path cannot be read")
  func unseen() throws {
    let (inner, moved) = (folder.file("inner"), folder.file("moved"))
    try FileManager.default.createDirectory(atPath: inner, withIntermediateDirectories: false)
    let log = try EventLog.create(at: inner + "/a.rollcall", eventVersion: 1)
    let real = log.path
    try FileManager.default.moveItem(atPath: inner, toPath: moved)
    #expect(throws: EventLogError.removed(path: real)) { try log.append([draft("1")]) }
    try Data().write(to: URL(filePath: inner))
    #expect(throws: EventLogError.removed(path: real)) { try log.append([draft("2")]) }
    try FileManager.default.removeItem(atPath: inner)
    // A link to itself: too many links (ELOOP).
    try FileManager.default.createSymbolicLink(atPath: inner, withDestinationPath: inner)
    #expect(try log.append([draft("3")]) == 3..<4)
  }

  @Test("Appending to a log that was removed, moved or replaced fails")
  func removed() throws {
    for change in 0..<3 {
      let log = try open(.readWrite, path)
      let real = log.path
      try log.append([draft("2")])
      switch change {
      case 0: try FileManager.default.moveItem(atPath: path, toPath: folder.file("moved"))
      case 1:
        try FileManager.default.copyItem(atPath: path, toPath: folder.file("copy"))
        #expect(rename(folder.file("copy"), path) == 0)
      default: try FileManager.default.removeItem(atPath: path)
      }
      #expect(throws: EventLogError.removed(path: real)) { try log.append([draft("3")]) }
      if change == 0 {
        try FileManager.default.moveItem(atPath: folder.file("moved"), toPath: path)
        // The log is back at its path, with the record whose append failed.
        #expect(try log.append([draft("4")]) == 4..<5)
      }
    }
  }
}
