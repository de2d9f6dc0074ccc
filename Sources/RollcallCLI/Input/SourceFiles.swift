import Foundation
import Rollcall

/// The captures that a command line names: files, standard input, and the files in directories.
///
/// The files of a log that was rotated come after each other, the oldest first; else the order is
/// that of the command line, and in a directory that of the names.
struct SourceFiles {
  /// One of them.
  struct File {
    let path: String
    /// Whether it was found in a directory, so that it may be no capture.
    let isFound: Bool
    /// What its log is called: what its connection goes by that has no name.
    fileprivate(set) var log: String
    /// Equal for the files of one log.
    fileprivate(set) var key: String
    /// The direction of a connection that the file has by its name; nil if its name is no such.
    let flow: FlowName?

    init(_ path: String, isFound: Bool = false) {
      self.path = path
      self.isFound = isFound
      flow = FlowName(path.lastComponent)
      log =
        path == "-"
        ? "standard input"
        : flow == nil ? LogFileName(path.lastComponent).log : path.lastComponent
      key = path.dropLast(path.lastComponent.count) + log
    }

    /// Where the file is.
    fileprivate var directory: Substring { path.dropLast(path.lastComponent.count) }

    /// Whether the names of two files say that they have the two directions of one connection.
    func isOtherDirection(of other: File) -> Bool {
      flow != nil && flow?.reverse == other.flow && directory == other.directory
    }
  }

  let files: [File]
  /// What was named.
  let paths: [String]
  init(_ paths: [String]) throws {
    self.paths = paths
    var files: [File] = []
    for path in paths {
      if Self.isDirectory(path) {
        files += try Self.files(in: path)
      } else {
        files.append(File(path))
      }
    }
    guard paths.count(where: { $0 == "-" }) < 2 else {
      throw Failure("standard input, -, can be read only once")
    }
    self.files = Self.named(Self.paired(Self.inOrder(files)))
  }

  /// The only file that there is, where it was named; nil where there are several.
  var single: String? { files.count == 1 && !files[0].isFound ? files[0].path : nil }

  /// What errors call them together.
  var title: String {
    paths.count < 3 ? paths.joined(separator: " and ") : "\(paths[0]) and \(paths.count - 1) more"
  }

  // MARK: Directories

  /// The files in a directory that may be captures; of what else is there it is said.
  ///
  /// What a shell's `*` leaves out is left out without a word.
  private static func files(in directory: String) throws -> [File] {
    let names = try Failure.naming(directory) {
      try FileManager.default.contentsOfDirectory(atPath: directory)
    }
    let beside = [".rollcall-lock", ".rollcall-lease"]
    let found = names.filter { !$0.hasPrefix(".") && !beside.contains(where: $0.hasSuffix) }
      .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
      .map { directory.hasSuffix("/") ? directory + $0 : "\(directory)/\($0)" }
    let files = found.filter { path in
      guard let reason = reasonToSkip(path) else { return true }
      Terminal.note("\(path): skipped: \(reason)")
      return false
    }
    guard !files.isEmpty else { throw Failure("\(directory): there is no capture in it") }
    return files.map { File($0, isFound: true) }
  }

  /// Whether a path names a directory.
  static func isDirectory(_ path: String) -> Bool { mode(path) == S_IFDIR }

  /// The logs in a directory, by their names.
  static func logs(in directory: String) throws -> [String] {
    let names = try Failure.naming(directory) {
      try FileManager.default.contentsOfDirectory(atPath: directory)
    }
    return names.filter { $0.hasSuffix(".rollcall") && !$0.hasPrefix(".") }.sorted()
      .map { directory.hasSuffix("/") ? directory + $0 : "\(directory)/\($0)" }
  }

  private static func reasonToSkip(_ path: String) -> String? {
    switch mode(path) {
    case S_IFDIR: "it is a directory; name it to read what is in it"
    case S_IFREG:
      Supervision.isLog(path) ? "it is a log of its own, which is read by itself" : nil
    default: "it is no file"
    }
  }

  /// What kind of file a path names; nil where there is none.
  private static func mode(_ path: String) -> mode_t? {
    var status = stat()
    guard path != "-", stat(path, &status) == 0 else { return nil }
    return status.st_mode & S_IFMT
  }

  // MARK: The files of one log

  /// The files with those of a log together, the oldest first, where the first of them stands.
  private static func inOrder(_ files: [File]) -> [File] {
    let keys = files.map(\.key)
    var places: [String: Int] = [:]
    for (place, key) in keys.enumerated() where places[key] == nil { places[key] = place }
    let ages = files.map { LogFileName($0.path.lastComponent).age }
    let order = files.indices.sorted { one, other in
      let first = (places[keys[one]] ?? 0, ages[one], one)
      return first < (places[keys[other]] ?? 0, ages[other], other)
    }
    return order.map { files[$0] }
  }

  /// The files with the two directions of each connection together, as their names say.
  private static func paired(_ files: [File]) -> [File] {
    var rest: [FlowName: [File]] = [:]
    for file in files { if let flow = file.flow { rest[flow, default: []].append(file) } }
    var taken: Set<String> = []
    return files.flatMap { file -> [File] in
      guard let flow = file.flow else { return [file] }
      guard !taken.contains(file.path) else { return [] }
      taken.insert(file.path)
      let others = rest[flow.reverse, default: []].filter { $0.directory == file.directory }
      guard let other = others.first(where: { !taken.contains($0.path) }) else { return [file] }
      taken.insert(other.path)
      return [file, other]
    }
  }

  /// The files with logs of one name in several directories called by their paths.
  private static func named(_ files: [File]) -> [File] {
    let keys = Dictionary(grouping: files, by: \.log).mapValues { Set($0.map(\.key)).count }
    return files.map { file in
      var file = file
      if keys[file.log, default: 0] > 1 { file.log = file.key }
      return file
    }
  }
}

extension String {
  /// What follows the last slash; Foundation's own stops the program where there is one character.
  fileprivate var lastComponent: String {
    String(
      utf8.lastIndex(of: UInt8(ascii: "/")).map { self[utf8.index(after: $0)...] } ?? self[...])
  }
}
