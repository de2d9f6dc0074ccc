import Floors

/// Something that is measured.
public struct Work: Sendable {
  /// What a table calls it.
  public let name: String
  /// What one unit of it is: stanza, event, name, …
  public let unit: String
  /// What it is compared with; nil where nothing is comparable.
  public let floor: Floor?
  /// What is to be reached.
  public let goal: Goal?
  /// Each run is another sample of something quick or random, so that many are taken and their
  /// percentiles tell more than the least.
  public let isSampled: Bool
  /// What counts is the time that passes, waiting for the disk included, and no processor time.
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

  /// Makes ready what the work needs and is not part of it.
  public func trial(_ subject: Case) throws -> Trial {
    var trial = try prepare(subject)
    trial.isElapsed = isElapsed
    return trial
  }
}

/// The same thing done as barely as can be.
public struct Floor: Sendable {
  /// What a table calls it.
  public let name: String
  let prepare: @Sendable (Case) throws -> Trial

  init(_ name: String, _ prepare: @escaping @Sendable (Case) throws -> Trial) {
    self.name = name
    self.prepare = prepare
  }

  /// Makes ready what the floor needs.
  public func trial(_ subject: Case) throws -> Trial {
    try prepare(subject)
  }
}

/// What DESIGN asks of a work.
public enum Goal: Hashable, Sendable {
  /// At most so many times the floor's processor time.
  case ratio(Double)
  /// At least so many units in a second of processor time.
  case rate(Double)
  /// At most so many nanoseconds for a unit; for a sampled work at the 99th percentile.
  case nanoseconds(Double)
}

/// A work made ready: it can be run again and again.
public struct Trial {
  /// How many units one run does.
  public let units: Int
  private let work: () throws -> Check
  fileprivate var isElapsed = false

  /// Whether the answer was right, and what has to be tidied up; not part of what is measured.
  public typealias Check = () throws -> Void

  /// - Parameter work: What is measured; it gives the check of its answer.
  init(units: Int, _ work: @escaping () throws -> Check) {
    self.units = units
    self.work = work
  }

  /// Runs the work once and checks its answer.
  /// - Parameters:
  ///   - start: Called right before the work.
  ///   - stop: Called right after it, before the check.
  /// - Returns: Nanoseconds of processor time, of all threads, user and system; where the work says
  ///   so, of the time that passed.
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

/// What crosses C on the way into a measurement.
private struct Measured {
  let work: () throws -> Trial.Check
  var result: Result<Trial.Check, any Error>?
}

/// A work gave another answer than the model.
public struct WrongAnswer: Error, CustomStringConvertible {
  /// What is wrong.
  public let description: String

  init(_ description: String) {
    self.description = description
  }
}

/// Throws where something is not so.
func expect(_ isTrue: Bool, _ what: @autoclosure () -> String) throws {
  guard isTrue else { throw WrongAnswer(what()) }
}
