import CaptureGenerator
import Foundation
import Works

/// A table of the works, with the cost of each and of its floor, and its goal.
func workTable(_ results: Results, _ shape: CaptureShape) -> String {
  var lines = [
    "\(grouped(shape.stanzas)) stanzas, \(grouped(shape.contacts)) contacts. Processor time, the "
      + "least of the runs; for what is sampled the median and the 99th percentile.", "",
    "| work | of | cost | floor | its cost | ratio | goal | |",
    "|---|---|---:|---|---:|---:|---|---|",
  ]
  for work in Work.all {
    guard let own = results.costs(work, shape) else { continue }
    let cost =
      work.isSampled
      ? "\(duration(own.median)), p99 \(duration(own.percentile99))" : duration(own.least)
    var cells = [work.name, work.unit, cost + (work.isElapsed ? " elapsed" : "")]
    let floor = results.floorCosts(work, shape)
    cells += [work.floor?.name ?? "", floor.map { duration($0.least) } ?? ""]
    cells.append(floor.map { String(format: "%.2f", own.least / $0.least) } ?? "")
    cells += judged(work, own, floor)
    lines.append("| " + cells.joined(separator: " | ") + " |")
  }
  return lines.joined(separator: "\n") + "\n"
}

/// The goal in words, and whether it is met.
private func judged(_ work: Work, _ own: Results.Costs, _ floor: Results.Costs?) -> [String] {
  switch work.goal {
  case nil: return ["", ""]
  case .ratio(let most):
    let isMet = floor.map { own.least <= most * $0.least } ?? false
    return ["at most \(most)", isMet ? "met" : "missed"]
  case .rate(let least):
    let rate = 1e9 / own.least
    let words = "at least \(String(format: "%.1f", least / 1e6)) M/s"
    return [words, (rate >= least ? "met" : "missed") + String(format: ": %.2f M/s", rate / 1e6)]
  case .nanoseconds(let most):
    let reached = work.isSampled ? own.percentile99 : own.least
    return ["at most \(duration(most))", reached <= most ? "met" : "missed"]
  }
}

/// A table of how the cost per unit grows with the length of the log and the number of contacts.
func growthTable(_ results: Results, _ shapes: [CaptureShape]) -> String {
  var lines = [
    "Growth of the cost of a unit: the factor for ten times as many records, and for ten times as "
      + "many contacts, fitted over all of these.", "",
    "| work | "
      + shapes.map { "\(grouped(max($0.stanzas, 1))) × \(grouped($0.contacts))" }
      .joined(separator: " | ") + " | records ×10 | contacts ×10 | at most \(Work.maxGrowth) |",
    "|---|" + String(repeating: "---:|", count: shapes.count + 2) + "---|",
  ]
  for work in Work.growing {
    let costs = shapes.map { results.costs(work, $0)?.least }
    let known = zip(shapes, costs).compactMap { shape, cost in cost.map { (shape, $0) } }
    guard let growth = Growth(known) else { continue }
    var cells = [work.name] + costs.map { $0.map(duration) ?? "" }
    cells += [growth.records, growth.contacts].map { String(format: "%.2f", $0) }
    cells.append(growth.contacts <= Work.maxGrowth ? "met" : "missed")
    lines.append("| " + cells.joined(separator: " | ") + " |")
  }
  return lines.joined(separator: "\n") + "\n"
}

/// A table of memory and file size, from the output of `bench-work import`, `rebuild` and `sizes`.
func footprintTable(_ text: String) -> String {
  var figures: [String: Double] = [:]
  for line in text.split(separator: "\n") {
    let parts = line.split(separator: "\t")
    if parts.count == 2 { figures[String(parts[0])] = Double(parts[1]) }
  }
  func megabytes(_ name: String) -> String {
    figures[name].map { String(format: "%.1f MB", $0 / 1e6) } ?? "?"
  }
  func judged(_ name: String, _ most: Double) -> String {
    (figures[name] ?? .infinity) <= most ? "met" : "missed"
  }
  let ratio = (figures["file"] ?? 0) / max(1, figures["raw"] ?? 1)
  return """
    | footprint | | goal | |
    |---|---:|---|---|
    | memory of an import above input and log | \(megabytes("importing")) | at most 50 MB | \
    \(judged("importing", 50e6)) |
    | memory of a rebuild above the log | \(megabytes("rebuilding")) | at most 50 MB | \
    \(judged("rebuilding", 50e6)) |
    | file, raw bytes \(megabytes("raw")) | \(String(format: "%.2f", ratio)) | at most 1.50 | \
    \(ratio <= 1.5 ? "met" : "missed") |

    """
}

private func grouped(_ number: Int) -> String {
  var digits = String(number)
  var parts: [String] = []
  while digits.count > 3 {
    parts.insert(String(digits.suffix(3)), at: 0)
    digits.removeLast(3)
  }
  return ([digits] + parts).joined(separator: ",")
}

private func duration(_ nanoseconds: Double) -> String {
  switch nanoseconds {
  case ..<1e3: String(format: "%.0f ns", nanoseconds)
  case ..<1e6: String(format: "%.2f µs", nanoseconds / 1e3)
  case ..<1e9: String(format: "%.2f ms", nanoseconds / 1e6)
  default: String(format: "%.2f s", nanoseconds / 1e9)
  }
}
