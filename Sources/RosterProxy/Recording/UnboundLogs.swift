import Foundation

/// The logs of connections whose account is not known.
///
/// Each is in use until the account becomes known or the connection ends. The last hundred that
/// ended are kept.
struct UnboundLogs {
  /// A log's file.
  struct File: Hashable {
    let name: String
    /// When it was last written to.
    let written: Date
  }

  private let folder: String
  private var count = 0
  /// The names of the logs that this proxy records to.
  private var open: Set<String> = []
  /// The number of ended logs that are kept.
  static let keptCount = 100
  private static let suffix = ".rollcall"

  /// - Parameter folder: The folder of the logs, created with the first.
  init(_ folder: String) { self.folder = folder }

  /// The path of a log for a new connection.
  mutating func begin() throws -> String {
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
    while true {
      count += 1
      let name = "\(getpid())-\(count)\(Self.suffix)"
      guard !FileManager.default.fileExists(atPath: path(name)) else { continue }
      open.insert(name)
      return path(name)
    }
  }

  /// Removes a log, because its account's log now holds what it held.
  mutating func moved(_ path: String) {
    let name = String(path.dropFirst(folder.count + 1))
    open.remove(name)
    remove([name])
  }

  /// Keeps a log whose connection has ended, and removes the oldest beyond the last hundred.
  mutating func ended(_ path: String) {
    open.remove(String(path.dropFirst(folder.count + 1)))
    prune()
  }

  /// Removes all ended logs except the last hundred.
  func prune() {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    let logs = names.filter { $0.hasSuffix(Self.suffix) }
    guard logs.count > Self.keptCount else { return }
    let files = logs.compactMap { name -> File? in
      let attributes = try? FileManager.default.attributesOfItem(atPath: path(name))
      return (attributes?[.modificationDate] as? Date).map { File(name: name, written: $0) }
    }
    remove(Self.expired(files) { open.contains($0) }, of: names)
  }

  /// The names of the logs to remove, the oldest first.
  ///
  /// - Parameter isInUse: Whether a connection records to the log with this name.
  static func expired(_ files: [File], isInUse: (String) -> Bool) -> [String] {
    let ended = files.filter { !isInUse($0.name) }
    return ended.sorted { ($0.written, $0.name) < ($1.written, $1.name) }
      .prefix(max(0, ended.count - keptCount)).map(\.name)
  }

  private func path(_ name: String) -> String { "\(folder)/\(name)" }

  /// Removes logs, and the files that go with them.
  ///
  /// - Parameter names: The names in the folder; nil to list it.
  private func remove(_ logs: [String], of names: [String]? = nil) {
    guard !logs.isEmpty else { return }
    let names = names ?? (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    let removed = Set(logs)
    for name in names {
      let end = name.range(of: Self.suffix)?.upperBound ?? name.endIndex
      guard removed.contains(String(name[..<end])), name[end...].isEmpty || name[end] == "-" else {
        continue
      }
      try? FileManager.default.removeItem(atPath: path(name))
    }
  }
}
