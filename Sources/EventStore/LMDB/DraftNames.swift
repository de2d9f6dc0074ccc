#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The file names of drafts: the target's name, the process that makes the draft, and a number.
enum DraftNames {
  private static let mark = ".draft-"

  /// Makes an empty file for a draft under a name that is unique among all processes.
  static func take(beside target: String) throws(EventLogError) -> String {
    for number in 1...1000 {
      let name = "\(target)\(mark)\(getpid())-\(number)"
      let descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      if descriptor >= 0 {
        close(descriptor)
        return name
      }
      guard errno == EEXIST else { throw .system(doing: "create", path: target, code: errno) }
    }
    throw .system(doing: "create", path: target, code: EEXIST)
  }

  /// Removes the drafts of a log whose processes have ended, ignoring failures.
  ///
  /// Such drafts are left behind when a process is killed or the machine stops.
  ///
  /// Complexity: linear in the entries of the log's directory.
  static func removeStale(of target: String) {
    let directory = FileSystem.directory(of: target)
    guard let entries = opendir(directory) else { return }
    defer { closedir(entries) }
    let name = target.split(separator: "/").last.map(String.init) ?? target
    while let entry = readdir(entries) {
      let found = withUnsafePointer(to: &entry.pointee.d_name) { place in
        place.withMemoryRebound(to: CChar.self, capacity: 1) { String(cString: $0) }
      }
      if isStale(found, of: name) { unlink("\(directory)/\(found)") }
    }
  }

  private static func isStale(_ name: String, of target: String) -> Bool {
    guard name.hasPrefix(target + "."), let process = process(in: name) else { return false }
    // Signal 0 is not delivered; it only tests whether the process exists.
    return kill(process, 0) == -1 && errno == ESRCH
  }

  /// The process in the name of a draft or of its lock file; nil if the name is not a draft's.
  static func process(in name: String) -> pid_t? {
    let name = name.hasSuffix("-lock") ? String(name.dropLast(5)) : name
    let parts = name.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count >= 3, parts[parts.count - 3].hasSuffix(mark.dropLast()),
      let process = pid_t(parts[parts.count - 2]), process > 0, Int(parts[parts.count - 1]) != nil
    else { return nil }
    return process
  }
}
