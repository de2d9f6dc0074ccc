public import CaptureGenerator
import Foundation

/// One run of a work, and of its floor right before it.
public struct Run: Sendable {
  /// The work's name.
  public let work: String
  /// The capture it worked on.
  public let shape: CaptureShape
  /// Nanoseconds a unit, of processor time unless the work says otherwise.
  public let cost: Double
  /// The floor's, a unit of its own; nil where there is none.
  public let floor: Double?

  /// A run from its parts.
  public init(work: String, shape: CaptureShape, cost: Double, floor: Double?) {
    self.work = work
    self.shape = shape
    self.cost = cost
    self.floor = floor
  }

  fileprivate init?(_ line: Substring) {
    let parts = line.split(separator: "\t", omittingEmptySubsequences: false)
    guard parts.count == 4, let shape = Shapes.parse(String(parts[1])).first,
      let cost = Double(parts[2])
    else { return nil }
    self.init(work: String(parts[0]), shape: shape, cost: cost, floor: Double(parts[3]))
  }

  fileprivate var line: String {
    "\(work)\t\(shape.stanzas)x\(shape.contacts)\t\(cost)\t\(floor.map { "\($0)" } ?? "")\n"
  }
}

/// The runs of one measurement, a line each; several processes add to it, one after the other.
public struct RunsFile: Sendable {
  private let path: String

  /// The file in the folder of a measurement.
  public init(folder: String) {
    path = "\(folder)/runs.tsv"
  }

  /// Adds a run after the others.
  public func add(_ run: Run) throws {
    if !FileManager.default.fileExists(atPath: path) {
      try Data().write(to: URL(filePath: path))
    }
    let file = try FileHandle(forWritingTo: URL(filePath: path))
    try file.seekToEnd()
    try file.write(contentsOf: Data(run.line.utf8))
    try file.close()
  }

  /// All runs, in their order.
  public func all() throws -> [Run] {
    try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").compactMap {
      Run($0)
    }
  }
}

/// Shapes as a command line has them.
public enum Shapes {
  /// Reads `10000x100,100000x2000`; what is no shape is left out.
  public static func parse(_ text: String) -> [CaptureShape] {
    text.split(separator: ",").compactMap { part in
      let numbers = part.split(separator: "x").compactMap { Int($0) }
      guard numbers.count == 2, numbers.allSatisfy({ $0 > 0 }) else { return nil }
      return CaptureShape(stanzas: numbers[0], contacts: numbers[1])
    }
  }
}
