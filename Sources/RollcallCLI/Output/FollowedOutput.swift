import Foundation
import Rollcall

/// The output of a command about a source, printed in parts as the source grows.
protocol FollowedOutput: AnyObject {
  /// Prints what has arrived since the last call.
  func update() throws
  /// Whether output is held back to be combined with what may follow.
  var isHolding: Bool { get }
  /// Prints the output that is held back.
  func settle() throws
  /// Prints the end of the output.
  func end() throws
}

extension FollowedOutput {
  var isHolding: Bool { false }
  func settle() throws {}
}

/// A source that is followed, and the output about it.
final class Following {
  /// The maximum time for which output is held back.
  private static let holdTimeout = Duration.milliseconds(600)

  private let source: LiveSource
  private let begin: (OpenedSource) throws -> any FollowedOutput
  private var output: (any FollowedOutput)?
  private var heldSince: ContinuousClock.Instant?

  private init(
    _ source: LiveSource, _ begin: @escaping (OpenedSource) throws -> any FollowedOutput
  ) {
    (self.source, self.begin) = (source, begin)
  }

  /// Prints what is available and what arrives, until the source ends or the process is asked to
  /// end.
  ///
  /// - Parameters:
  ///   - sources: One source, or a folder of logs.
  ///   - isForMachines: Whether the output is a single document.
  ///   - begin: Creates the output. If it throws because something does not exist yet, it is called
  ///     again later.
  static func run(
    _ sources: [String], _ reading: some SourceReading, isForMachines: Bool,
    _ begin: @escaping (OpenedSource) throws -> any FollowedOutput
  ) throws {
    Ending.begin()
    if let folder = sources.first, SourceFiles.isDirectory(folder),
      try LiveSource.firstSegment(of: folder) == nil
    {
      guard !isForMachines else {
        throw Failure("\(folder): --json and --jsonl follow a single log; name one of them")
      }
      return try follow(logsIn: folder, reading, begin)
    }
    let following = Following(try LiveSource(sources, reading), begin)
    while true {
      let arrival = try following.advance()
      try Terminal.flush()
      if arrival == .end { break }
      if arrival == .quiet { try following.source.wait() }
    }
    try following.end()
  }

  /// Follows the logs in a folder, including new ones, each under a heading with its name.
  private static func follow(
    logsIn folder: String, _ reading: some SourceReading,
    _ begin: @escaping (OpenedSource) throws -> any FollowedOutput
  ) throws {
    var all: [(path: String, following: Following)] = []
    var others: Set<String> = []
    var isOver = false
    while !isOver {
      isOver = Ending.isAsked
      for path in try SourceFiles.logs(in: folder)
      where !others.contains(path) && !all.contains(where: { $0.path == path }) {
        do {
          all.append((path, Following(try LiveSource([path], reading), begin)))
        } catch let failure as Failure where failure.cause is AccountMismatch {
          others.insert(path)
        }
      }
      for (path, following) in all {
        Terminal.head(path)
        _ = try following.advance()
      }
      try Terminal.flush()
      if !isOver { try LiveInput.wait() }
    }
    for (path, following) in all {
      Terminal.head(path)
      try following.end()
    }
  }

  /// Prints what has arrived.
  private func advance() throws -> LiveSource.Arrival {
    let arrival = try source.read()
    let isOver = arrival == .end || Ending.isAsked
    if isOver { try source.finish() }
    if output == nil, let opened = try source.opened(isOver: isOver) {
      do {
        output = try begin(opened)
      } catch  where !isOver && error.mayPass {}
    }
    try output?.update()
    heldSince = output?.isHolding == true ? heldSince ?? .now : nil
    if let since = heldSince, arrival == .quiet, .now - since > Self.holdTimeout {
      try output?.settle()
      heldSince = nil
    }
    return isOver ? .end : arrival
  }

  /// Prints the end of the output.
  private func end() throws { try output?.end() }
}

extension Error {
  /// Whether the error says that something does not exist, which may appear later.
  fileprivate var mayPass: Bool {
    switch self {
    case is NothingFound: true
    case let failure as Failure: failure.cause is PointError
    default: false
    }
  }
}
