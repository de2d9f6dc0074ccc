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

extension LiveSource {
  /// For how long something may be held back for what would follow it.
  private static let patience = Duration.milliseconds(600)

  /// Prints what there is, and what comes, until nothing more will come or somebody asks to end.
  ///
  /// - Parameter begin: Makes the output; what it does not find yet is waited for.
  func follow(_ begin: (OpenedSource) throws -> some FollowedOutput) throws {
    Ending.begin()
    var output: (any FollowedOutput)?
    var isOver = false
    var heldSince: ContinuousClock.Instant?
    while !isOver {
      let arrival = try take()
      isOver = arrival == .end || Ending.isAsked
      if isOver { try finish() }
      if output == nil, let source = try opened(isOver: isOver) {
        do {
          output = try begin(source)
        } catch  where !isOver && error.mayPass {}
      }
      try output?.tell()
      heldSince = output?.isHolding == true ? heldSince ?? .now : nil
      if let since = heldSince, arrival == .quiet, .now - since > Self.patience {
        try output?.settle()
        heldSince = nil
      }
      try Terminal.flush()
      if !isOver, arrival == .quiet { try wait() }
    }
    try output?.end()
  }
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
