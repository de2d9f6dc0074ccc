import Foundation
import Rollcall

/// What a command prints of a source, in parts as the source grows.
protocol FollowedOutput: AnyObject {
  /// Prints what has come since the last time.
  func tell() throws
  /// Whether something is held back for what may follow it.
  var isHolding: Bool { get }
  /// Prints what is held back.
  func settle() throws
  /// Prints what is said at the end.
  func end() throws
}

extension FollowedOutput {
  var isHolding: Bool { false }
  func settle() throws {}
}

/// A source that is followed, with what is printed of it.
final class Following {
  /// For how long something may be held back for what would follow it.
  private static let patience = Duration.milliseconds(600)

  private let source: LiveSource
  private let begin: (OpenedSource) throws -> any FollowedOutput
  private var output: (any FollowedOutput)?
  private var heldSince: ContinuousClock.Instant?

  private init(
    _ source: LiveSource, _ begin: @escaping (OpenedSource) throws -> any FollowedOutput
  ) {
    (self.source, self.begin) = (source, begin)
  }

  /// Prints what there is, and what comes, until nothing more will come or somebody asks to end.
  ///
  /// - Parameters:
  ///   - sources: One: a source, or a folder of logs.
  ///   - isForMachines: Whether what is printed is one document.
  ///   - begin: Makes the output; what it does not find yet is waited for.
  static func run(
    _ sources: [String], _ reading: some SourceReading, isForMachines: Bool,
    _ begin: @escaping (OpenedSource) throws -> any FollowedOutput
  ) throws {
    Ending.begin()
    if let folder = sources.first, SourceFiles.isDirectory(folder) {
      guard !isForMachines else {
        throw Failure("\(folder): of a folder the logs are told to people; name one of them")
      }
      return try follow(logsIn: folder, reading, begin)
    }
    let following = Following(try LiveSource(sources, reading), begin)
    while true {
      let arrival = try following.go()
      try Terminal.flush()
      if arrival == .end { break }
      if arrival == .quiet { try following.source.wait() }
    }
    try following.end()
  }

  /// Follows the logs in a folder, also those that come later, each under its name.
  private static func follow(
    logsIn folder: String, _ reading: some SourceReading,
    _ begin: @escaping (OpenedSource) throws -> any FollowedOutput
  ) throws {
    var all: [(path: String, following: Following)] = []
    var isOver = false
    while !isOver {
      isOver = Ending.isAsked
      for path in try SourceFiles.logs(in: folder) where !all.contains(where: { $0.path == path }) {
        all.append((path, Following(try LiveSource([path], reading), begin)))
      }
      for (path, following) in all {
        Terminal.head(path)
        _ = try following.go()
      }
      try Terminal.flush()
      if !isOver { try LiveInput.wait() }
    }
    for (path, following) in all {
      Terminal.head(path)
      try following.end()
    }
  }

  /// Prints what has come.
  private func go() throws -> LiveSource.Arrival {
    let arrival = try source.take()
    let isOver = arrival == .end || Ending.isAsked
    if isOver { try source.finish() }
    if output == nil, let opened = try source.opened(isOver: isOver) {
      do {
        output = try begin(opened)
      } catch  where !isOver && error.mayPass {}
    }
    try output?.tell()
    heldSince = output?.isHolding == true ? heldSince ?? .now : nil
    if let since = heldSince, arrival == .quiet, .now - since > Self.patience {
      try output?.settle()
      heldSince = nil
    }
    return isOver ? .end : arrival
  }

  /// Prints what is said at the end.
  private func end() throws { try output?.end() }
}

extension Error {
  /// Whether it says that something is not there, which may come.
  fileprivate var mayPass: Bool {
    switch self {
    case is NothingFound: true
    case let failure as Failure: failure.cause is PointError
    default: false
    }
  }
}
