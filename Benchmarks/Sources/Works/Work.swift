import Floors

/// A piece of work to measure.
public struct Work: Sendable {
  /// Its name in tables.
  public let name: String
  /// Its unit: stanza, event, name, …
  public let unit: String
  /// The floor to compare it with; nil if nothing is comparable.
  public let floor: Floor?
  /// The goal for its cost; nil if there is none.
  public let goal: Goal?
  /// Whether each run is a sample of something quick or random.
  ///
  /// Then many runs are made, and their percentiles say more than the least cost.
  public let isSampled: Bool
  /// Whether elapsed time, including waits for the disk, is measured instead of processor time.
  public let isElapsed: Bool
  let prepare: @Sendable (Case) throws -> Trial

  init(
    _ name: String, per unit: String, floor: Floor? = nil, goal: Goal? = nil,
    isSampled: Bool = false, isElapsed: Bool = false,
    _ prepare: @escaping @Sendable (Case) throws -> Trial
  ) {
    self.name = name
    self.unit = unit
    self.floor = floor
    self.goal = goal
    self.isSampled = isSampled
    self.isElapsed = isElapsed
    self.prepare = prepare
  }

  /// Prepares everything that the work needs and that is not measured.
  public func trial(_ subject: Case) throws -> Trial {
    var trial = try prepare(subject)
    trial.isElapsed = isElapsed
    return trial
  }
}

/// A minimal implementation of a work, whose cost the work's own is compared with.
public struct Floor: Sendable {
  /// Its name in tables.
  public let name: String
  let prepare: @Sendable (Case) throws -> Trial

  init(_ name: String, _ prepare: @escaping @Sendable (Case) throws -> Trial) {
    self.name = name
    self.prepare = prepare
  }

  /// Prepares everything that the floor needs and that is not measured.
  public func trial(_ subject: Case) throws -> Trial {
    try prepare(subject)
  }
}

/// The goal that DESIGN sets for a work.
public enum Goal: Hashable, Sendable {
  /// The highest allowed multiple of the floor's processor time.
  case ratio(Double)
  /// The lowest allowed number of units per second of processor time.
  case rate(Double)
  /// The highest allowed number of nanoseconds per unit; for a sampled work, the 99th percentile.
  case nanoseconds(Double)
}

/// A prepared work, which can be run repeatedly.
public struct Trial {
  /// The number of units in one run.
  public let units: Int
  private let work: () throws -> Check
  fileprivate var isElapsed = false

  /// Checks the answer of a run and cleans up; not measured.
  public typealias Check = () throws -> Void

  /// - Parameter work: The measured work, which returns the check of its answer.
  init(units: Int, _ work: @escaping () throws -> Check) {
    self.units = units
    self.work = work
  }

  /// Runs the work once and checks its answer.
  /// - Parameters:
  ///   - start: Called right before the work.
  ///   - stop: Called right after it, before the check.
  /// - Returns: Nanoseconds of processor time of all threads, user and system, or of elapsed time
  ///   if the work measures that.
  public func run(start: () -> Void = {}, stop: () -> Void = {}) throws -> UInt64 {
    var measured = Measured(work: work)
    start()
    let time = withUnsafeMutablePointer(to: &measured) {
      floors_measure(
        isElapsed ? 1 : 0,
        { context in
          let measured = context.assumingMemoryBound(to: Measured.self)
          measured.pointee.result = Result { try measured.pointee.work() }
        }, $0)
    }
    stop()
    try measured.result?.get()()
    return time
  }
}

/// The state that is passed through C into a measurement.
private struct Measured {
  let work: () throws -> Trial.Check
  var result: Result<Trial.Check, any Error>?
}

/// The answer of a work differs from the model.
public struct WrongAnswer: Error, CustomStringConvertible {
  /// The difference.
  public let description: String

  init(_ description: String) {
    self.description = description
  }
}

/// Throws `WrongAnswer` if a condition is false.
func expect(_ isTrue: Bool, _ what: @autoclosure () -> String) throws {
  guard isTrue else { throw WrongAnswer(what()) }
}
