public import CaptureGenerator
import Foundation

/// One run of a work, with a run of its floor right before it.
public struct Run: Sendable {
  /// The work's name.
  public let work: String
  /// The shape of the capture.
  public let shape: CaptureShape
  /// Nanoseconds per unit, of processor time unless the work measures elapsed time.
  public let cost: Double
  /// The floor's nanoseconds per unit of its own; nil if there is no floor.
  public let floor: Double?

  /// Creates a run from its parts.
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

/// A file with the runs of a measurement, one per line, to which processes add in turn.
public struct RunsFile: Sendable {
  private let path: String

  /// The runs file in a measurement's folder.
  public init(folder: String) {
    path = "\(folder)/runs.tsv"
  }

  /// Appends a run.
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

/// Shapes in command-line arguments.
public enum Shapes {
  /// Parses text such as `10000x100,100000x2000`, ignoring invalid parts.
  public static func parse(_ text: String) -> [CaptureShape] {
    text.split(separator: ",").compactMap { part in
      let numbers = part.split(separator: "x").compactMap { Int($0) }
      guard numbers.count == 2, numbers.allSatisfy({ $0 > 0 }) else { return nil }
      return CaptureShape(stanzas: numbers[0], contacts: numbers[1])
    }
  }
}
