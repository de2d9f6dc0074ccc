#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The names of drafts: what they are for, the process that makes them, and a number.
enum DraftNames {
  private static let mark = ".draft-"

  /// Makes an empty file for a draft, with a name that no other draft has, in this process or
  /// another.
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

  /// Removes the drafts of a log, and of parts of it, that were left by processes which are gone:
  /// they were killed, or the machine stopped. What cannot be removed is left.
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
    // Signal 0 is sent to nobody: it asks whether the process is there.
    return kill(process, 0) == -1 && errno == ESRCH
  }

  /// The process that a draft's name says; nil where it is no draft's. A lock file goes with its
  /// draft.
  static func process(in name: String) -> pid_t? {
    let name = name.hasSuffix("-lock") ? String(name.dropLast(5)) : name
    let parts = name.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count >= 3, parts[parts.count - 3].hasSuffix(mark.dropLast()),
      let process = pid_t(parts[parts.count - 2]), process > 0, Int(parts[parts.count - 1]) != nil
    else { return nil }
    return process
  }
}
