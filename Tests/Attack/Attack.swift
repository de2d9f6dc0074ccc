import Foundation

/// Attacks the program `rollcall` from the same build; see the names of the campaigns.
@main
enum Attack {
  /// The campaigns.
  private enum Campaign: String, CaseIterable {
    case calls, power, kills, flips, files, crowds, limits
  }

  private static let usage = """
    usage: attack calls|power|kills|flips|files|crowds|limits|all [--seed N] [--count N] [--short]

    calls   fails each call by which an operation changes the disk, maps a file or creates a thread
    power   cuts the power, and opens what may then be on the disk
    kills   kills operations in the middle
    flips   changes bytes and pages of logs, and every field of both meta pages
    files   copies over, cuts and replaces logs while they are read
    crowds  two writers, recorders of one log, many readers, stopped readers
    limits  little address space, few descriptors, no threads, read-only disks, a clock that jumps
    """

  static func main() {
    var arguments = Array(CommandLine.arguments.dropFirst())
    switch arguments.first {
    case "record": exit(LiveRecording.run(arguments.last ?? ""))
    case "judge":
      exit(Judging.run(arguments.dropFirst().first ?? "", Array(arguments.dropFirst(2))))
    default: break
    }
    var seed = UInt64.random(in: 1...999_999)
    var count: Int?
    var campaigns: [Campaign] = []
    var isShort = false
    while let word = arguments.first {
      arguments.removeFirst()
      switch (word, arguments.first) {
      case ("--seed", let value?): seed = UInt64(value) ?? seed
      case ("--count", let value?): count = Int(value)
      case ("--short", _): isShort = true
      case ("all", _): campaigns = Campaign.allCases
      default:
        guard let campaign = Campaign(rawValue: word) else {
          print(usage)
          exit(2)
        }
        campaigns.append(campaign)
      }
      if ["--seed", "--count"].contains(word) { arguments.removeFirst() }
    }
    guard !campaigns.isEmpty else {
      print(usage)
      exit(2)
    }
    print("seed \(seed)")
    exit(run(campaigns, Size(seed: seed, count: count, isShort: isShort)) ? 0 : 1)
  }

  /// The amount of work.
  private struct Size {
    var seed: UInt64
    var count: Int?
    /// Whether to run only the short version that is part of the test suite.
    var isShort: Bool
  }

  private static func run(_ campaigns: [Campaign], _ size: Size) -> Bool {
    do {
      // Enough records for a snapshot, which takes most of the time of a short run.
      let workload = try Workload(records: size.isShort ? 40 : 300)
      let shim = try Shim()
      var isClean = true
      for campaign in campaigns {
        let report = Report(campaign.rawValue)
        do {
          try run(campaign, workload, shim, report, size)
        } catch {
          report.complain("the harness: \(error)")
        }
        print(report.lines.joined(separator: "\n"))
        fflush(nil)
        isClean = isClean && report.isClean
      }
      return isClean
    } catch {
      print("the harness: \(error)")
      return false
    }
  }

  private static func run(
    _ campaign: Campaign, _ workload: Workload, _ shim: Shim, _ report: Report, _ size: Size
  ) throws {
    let (seed, count) = (size.seed, size.count)
    switch campaign {
    case .calls:
      try FailingCalls(workload: workload, shim: shim, report: report)
        .run(seed: seed, count: count, isShort: size.isShort)
    case .power:
      try PowerCuts(workload: workload, shim: shim, report: report)
        .run(seed: seed, count: count ?? (size.isShort ? 200 : 10_000))
    case .kills:
      try Kills(workload: workload, shim: shim, report: report)
        .run(seed: seed, count: count ?? (size.isShort ? 21 : 2000))
    case .flips:
      try Flips(workload: workload, report: report)
        .run(seed: seed, count: count ?? (size.isShort ? 60 : nil))
    case .files:
      try ChangedFiles(workload: workload, report: report)
        .run(seed: seed, count: count ?? (size.isShort ? 8 : 1000))
    case .crowds: try Crowds(workload: workload, report: report).run(isShort: size.isShort)
    case .limits:
      try Limits(workload: workload, shim: shim, report: report).run(isShort: size.isShort)
    }
  }
}
