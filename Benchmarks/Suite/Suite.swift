import Benchmark
import CaptureGenerator
import Foundation
import Works

// Every work on every capture that $ROLLCALL_BENCH_SHAPES names, as in `10000x100,100000x2000`.
//
// A run of a work is preceded by one of its floor, so that both see the machine in the same mood.
// The first runs do not count: memory that a virtual machine has not used for a while is taken from
// its host, which can cost as much as the work. The figures that count are processor time, measured
// around the work alone; the runner gets them in picoseconds a unit, for its histograms keep whole
// numbers. What it exports is rounded to its units and left out for what takes longer than a
// second, so the runs also go to a file of ours.
let benchmarks: @Sendable () -> Void = {
  let environment = ProcessInfo.processInfo.environment
  let folder = environment["ROLLCALL_BENCH_FOLDER"] ?? NSTemporaryDirectory()
  let times = environment["ROLLCALL_BENCH_TIMES"].flatMap(Int.init) ?? 3
  let shapes = Shapes.parse(environment["ROLLCALL_BENCH_SHAPES"] ?? "10000x100")
  for (number, shape) in shapes.enumerated() {
    for work in Work.all where isWanted(work, number, of: shapes) {
      add(work, shape, folder: folder, times: times)
    }
  }
}

/// The last shape is the one that the goals are about; the others tell how costs grow.
private func isWanted(_ work: Work, _ number: Int, of shapes: [CaptureShape]) -> Bool {
  number == shapes.count - 1 || Work.growing.contains { $0.name == work.name }
}

private func add(_ work: Work, _ shape: CaptureShape, folder: String, times: Int) {
  // Set by the setup, which runs before the first iteration of this benchmark and no other's.
  nonisolated(unsafe) var own: Trial?
  nonisolated(unsafe) var floor: Trial?
  let workTime = BenchmarkMetric.custom("Work (ps CPU)")
  let floorTime = BenchmarkMetric.custom("Floor (ps CPU)")
  let runs = RunsFile(folder: folder)
  let warmUps = work.isSampled ? 3 : 1
  nonisolated(unsafe) var done = 0
  Benchmark(
    "\(work.name) @\(shape.stanzas)x\(shape.contacts)",
    configuration: Benchmark.Configuration(
      metrics: [.wallClock, .peakMemoryResident, workTime, floorTime],
      warmupIterations: warmUps, scalingFactor: .one,
      maxDuration: .seconds(work.isSampled ? 20 : 1000),
      maxIterations: work.isSampled ? 200 : times)
  ) { benchmark in
    do {
      var floorCost: Double?
      if let floor {
        let cost = Double(try floor.run()) / Double(floor.units)
        benchmark.measurement(floorTime, Int(cost * 1000))
        floorCost = cost
      }
      guard let own else { return }
      let time = try own.run(start: benchmark.startMeasurement, stop: benchmark.stopMeasurement)
      let cost = Double(time) / Double(own.units)
      benchmark.measurement(workTime, Int(cost * 1000))
      done += 1
      guard done > warmUps else { return }
      try runs.add(Run(work: work.name, shape: shape, cost: cost, floor: floorCost))
    } catch {
      benchmark.error("\(error)")
      FileHandle.standardError.write(Data("\(work.name): \(error)\n".utf8))
    }
  } setup: {
    let subject = try Case(shape, folder: folder)
    own = try work.trial(subject)
    floor = try work.floor?.trial(subject)
  } teardown: {
    own = nil
    floor = nil
  }
}
