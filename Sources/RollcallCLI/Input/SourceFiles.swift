import Foundation
import Rollcall

/// The captures that a command line names: files, standard input, and the files in directories.
///
/// The files of a rotated log are adjacent, oldest first. Otherwise the order is that of the
/// command line, and within a directory that of the names.
struct SourceFiles {
  /// One file to read.
  struct File {
    let path: String
    /// Whether it was found in a directory, so that it may not be a capture.
    let isFound: Bool
    /// The name of its log, which is also used for a connection without a name.
    fileprivate(set) var log: String
    /// A key that the files of one log share.
    fileprivate(set) var key: String
    /// The direction of a connection according to the file name; nil if the name does not say.
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

    /// The directory of the file.
    fileprivate var directory: Substring { path.dropLast(path.lastComponent.count) }

    /// Whether the names of two files identify them as the two directions of one connection.
    func isOtherDirection(of other: File) -> Bool {
      flow != nil && flow?.reverse == other.flow && directory == other.directory
    }
  }

  let files: [File]
  /// The paths on the command line.
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

  /// The only file, if it was named itself; nil if there are several.
  var single: String? { files.count == 1 && !files[0].isFound ? files[0].path : nil }

  /// The name of all files together in errors.
  var title: String {
    paths.count < 3 ? paths.joined(separator: " and ") : "\(paths[0]) and \(paths.count - 1) more"
  }

  // MARK: Directories

  /// The files in a directory that may be captures, with a note for each other file.
  ///
  /// Files that a shell's `*` does not match are skipped silently.
  private static func files(in directory: String) throws -> [File] {
    let files = try visible(in: directory).filter { path in
      guard let reason = reasonToSkip(path) else { return true }
      Terminal.note("\(path): skipped: \(reason)")
      return false
    }
    guard !files.isEmpty else { throw Failure("\(directory): there is no capture in it") }
    return files.map { File($0, isFound: true) }
  }

  /// The paths of a directory's entries that a shell's `*` matches, without the files that belong
  /// to a log.
  private static func visible(in directory: String) throws -> [String] {
    let names = try Failure.naming(directory) {
      try FileManager.default.contentsOfDirectory(atPath: directory)
    }
    let beside = [".rollcall-lock", ".rollcall-lease"]
    return names.filter { !$0.hasPrefix(".") && !beside.contains(where: $0.hasSuffix) }
      .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
      .map { directory.hasSuffix("/") ? directory + $0 : "\(directory)/\($0)" }
  }

  /// Whether a directory has files that are not logs.
  static func hasCaptures(_ directory: String) throws -> Bool {
    try visible(in: directory).contains { mode($0) == S_IFREG && !Supervision.isLog($0) }
  }

  /// Whether a path is that of a directory.
  static func isDirectory(_ path: String) -> Bool { mode(path) == S_IFDIR }

  /// The logs in a directory, by name.
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
      Supervision.isLog(path) ? "it is a log, which is read alone" : nil
    default: "it is not a file"
    }
  }

  /// The type of the file at a path; nil if it does not exist.
  private static func mode(_ path: String) -> mode_t? {
    var status = stat()
    guard path != "-", stat(path, &status) == 0 else { return nil }
    return status.st_mode & S_IFMT
  }

  // MARK: The files of one log

  /// Groups the files of each log at the position of the first one, oldest first.
  private static func inOrder(_ files: [File]) -> [File] {
    let keys = files.map(\.key)
    var firstIndices: [String: Int] = [:]
    for (index, key) in keys.enumerated() where firstIndices[key] == nil {
      firstIndices[key] = index
    }
    let ages = files.map { LogFileName($0.path.lastComponent).age }
    let order = files.indices.sorted { one, other in
      let first = (firstIndices[keys[one]] ?? 0, ages[one], one)
      return first < (firstIndices[keys[other]] ?? 0, ages[other], other)
    }
    return order.map { files[$0] }
  }

  /// Moves the two directions of each connection together, according to the file names.
  private static func paired(_ files: [File]) -> [File] {
    var rest: [FlowName: [File]] = [:]
    for file in files { if let flow = file.flow { rest[flow, default: []].append(file) } }
    var paired: Set<String> = []
    return files.flatMap { file -> [File] in
      guard let flow = file.flow else { return [file] }
      guard !paired.contains(file.path) else { return [] }
      paired.insert(file.path)
      let others = rest[flow.reverse, default: []].filter { $0.directory == file.directory }
      guard let other = others.first(where: { !paired.contains($0.path) }) else { return [file] }
      paired.insert(other.path)
      return [file, other]
    }
  }

  /// Replaces the log name by the path if several directories have logs of that name.
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
  /// The part after the last slash; Foundation's own function crashes for some single characters.
  fileprivate var lastComponent: String {
    String(
      utf8.lastIndex(of: UInt8(ascii: "/")).map { self[utf8.index(after: $0)...] } ?? self[...])
  }
}
