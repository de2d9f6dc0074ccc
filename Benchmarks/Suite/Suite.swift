import Benchmark
import Works

let benchmarks: @Sendable () -> Void = {
}
