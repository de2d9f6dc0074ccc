import CaptureGenerator
import Works

/// What the suite measured.
struct Results {
  private let all: [Run]

  init(folder: String) throws {
    all = try RunsFile(folder: folder).all()
  }

  /// Several costs of one thing, in nanoseconds a unit, least first.
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

  /// The costs of a work on a capture; nil where it was not measured.
  func costs(_ work: Work, _ shape: CaptureShape) -> Costs? {
    Costs(runs(work, shape).map(\.cost))
  }

  /// The costs of its floor.
  func floorCosts(_ work: Work, _ shape: CaptureShape) -> Costs? {
    Costs(runs(work, shape).compactMap(\.floor))
  }

  private func runs(_ work: Work, _ shape: CaptureShape) -> [Run] {
    all.filter { $0.work == work.name && $0.shape == shape }
  }
}
