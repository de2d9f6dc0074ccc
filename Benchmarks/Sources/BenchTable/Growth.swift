import CaptureGenerator
import Foundation

/// The growth of a cost, `c · records^a · contacts^b`, fitted by least squares in logarithms.
struct Growth {
  /// The factor of the cost for ten times as many records.
  let records: Double
  /// The factor of the cost for ten times as many contacts.
  let contacts: Double

  /// Nil if the shapes do not vary enough to separate the two factors.
  init?(_ costs: [(shape: CaptureShape, cost: Double)]) {
    let count = Double(costs.count)
    guard count > 2 else { return nil }
    let points = costs.map { shape, cost in
      (x: log10(Double(shape.stanzas)), y: log10(Double(shape.contacts)), z: log10(cost))
    }
    func mean(_ value: ((x: Double, y: Double, z: Double)) -> Double) -> Double {
      points.reduce(0) { $0 + value($1) } / count
    }
    let (x, y, z) = (mean { $0.x }, mean { $0.y }, mean { $0.z })
    let xx = mean { ($0.x - x) * ($0.x - x) }
    let yy = mean { ($0.y - y) * ($0.y - y) }
    let xy = mean { ($0.x - x) * ($0.y - y) }
    let xz = mean { ($0.x - x) * ($0.z - z) }
    let yz = mean { ($0.y - y) * ($0.z - z) }
    let determinant = xx * yy - xy * xy
    guard determinant > 1e-9 else { return nil }
    records = pow(10, (xz * yy - yz * xy) / determinant)
    contacts = pow(10, (yz * xx - xz * xy) / determinant)
  }
}
