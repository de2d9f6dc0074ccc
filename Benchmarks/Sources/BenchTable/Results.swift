import CaptureGenerator
import Works

/// The measurements of the suite.
struct Results {
  private let all: [Run]

  init(folder: String) throws {
    all = try RunsFile(folder: folder).all()
  }

  /// Costs of one work or floor, in nanoseconds per unit, in ascending order.
  struct Costs {
    let sorted: [Double]

    init?(_ costs: [Double]) {
      guard !costs.isEmpty else { return nil }
      sorted = costs.sorted()
    }

    var least: Double { sorted[0] }
    var median: Double { sorted[sorted.count / 2] }
    /// The 99th percentile by nearest rank.
    var percentile99: Double { sorted[(sorted.count * 99 + 99) / 100 - 1] }
  }

  /// The costs of a work on a capture; nil if it was not measured.
  func costs(_ work: Work, _ shape: CaptureShape) -> Costs? {
    Costs(runs(work, shape).map(\.cost))
  }

  /// The costs of a work's floor on a capture; nil if it was not measured.
  func floorCosts(_ work: Work, _ shape: CaptureShape) -> Costs? {
    Costs(runs(work, shape).compactMap(\.floor))
  }

  private func runs(_ work: Work, _ shape: CaptureShape) -> [Run] {
    all.filter { $0.work == work.name && $0.shape == shape }
  }
}
