import CaptureGenerator
import Foundation
import Works

// Runs single works, without the suite.
//
//   bench-work list                            prints the names of the works
//   bench-work smoke                           runs each work once, on a small capture
//   bench-work run STANZAS CONTACTS TIMES [WORK...]
//                                              prints the least and the median cost of TIMES runs,
//                                              and from 100 runs on the 99th percentile
//   bench-work once STANZAS CONTACTS WORK      runs a work once without its floor, to count or
//                                              profile it below the function floors_measure
//   bench-work import CAPTURE LOG              prints the memory of an import into a new log
//   bench-work rebuild LOG                     prints the memory of making the state at the head
//   bench-work sizes LOG                       prints the size of the records and of the file
//
// Files are written below $ROLLCALL_BENCH_FOLDER or, if that is not set, the current folder.
let folder = ProcessInfo.processInfo.environment["ROLLCALL_BENCH_FOLDER"] ?? "."
let arguments = Array(CommandLine.arguments.dropFirst())

func works(_ names: some Collection<String>) -> [Work] {
  names.isEmpty ? Work.all : Work.all.filter { names.contains($0.name) }
}

func figures(_ trial: Trial, times: Int) throws -> (least: Double, median: Double, late: Double) {
  let runs = try (0..<times).map { _ in Double(try trial.run()) / Double(trial.units) }.sorted()
  return (runs[0], runs[runs.count / 2], runs[runs.count * 99 / 100])
}

func run(_ shape: CaptureShape, times: Int, _ works: [Work]) throws {
  let subject = try Case(shape, folder: folder)
  for work in works {
    let own = try figures(work.trial(subject), times: times)
    var line = "\(work.name): \(Int(own.least)) ns a \(work.unit) (median \(Int(own.median)))"
    if times >= 100 { line += " (99th percentile \(Int(own.late)))" }
    if let floor = work.floor {
      let least = try figures(floor.trial(subject), times: times).least
      line += ", \(floor.name): \(Int(least)), ratio "
      line += String(format: "%.2f", own.least / least)
    }
    print(line)
  }
}

switch arguments.first {
case "list": Work.all.forEach { print($0.name) }
case "smoke": try run(CaptureShape(stanzas: 10_000, contacts: 100), times: 1, Work.all)
case "run" where arguments.count >= 4:
  guard let stanzas = Int(arguments[1]), let contacts = Int(arguments[2]),
    let times = Int(arguments[3]), stanzas > 0, contacts > 0, times > 0
  else { exit(2) }
  let chosen = works(arguments.dropFirst(4))
  try run(CaptureShape(stanzas: stanzas, contacts: contacts), times: times, chosen)
case "once" where arguments.count == 4:
  guard let stanzas = Int(arguments[1]), let contacts = Int(arguments[2]),
    let work = Work.all.first(where: { $0.name == arguments[3] }), stanzas > 0, contacts > 0
  else { exit(2) }
  let shape = CaptureShape(stanzas: stanzas, contacts: contacts)
  let trial = try work.trial(Case(shape, folder: folder))
  _ = try trial.run()
  print(trial.units)
case "import" where arguments.count == 3:
  print("importing\t\(try Footprint.importing(arguments[1], to: arguments[2]))")
case "rebuild" where arguments.count == 2:
  print("rebuilding\t\(try Footprint.rebuilding(arguments[1]))")
case "sizes" where arguments.count == 2:
  let sizes = try Footprint.sizes(arguments[1])
  print("raw\t\(sizes.raw)\nfile\t\(sizes.file)")
default:
  FileHandle.standardError.write(Data("usage: bench-work list | smoke | run …\n".utf8))
  exit(2)
}
