/// Sorts the outputs of a capture that lists one connection after another by time, in bounded
/// memory.
struct TimeOrder {
  private struct Held {
    let time: Int64?
    let output: CaptureOutput
    let bytes: Int
  }

  private var held: [Held] = []
  private var heldBytes = 0

  private static let maximumCount = 50_000
  private static let maximumBytes = 32 << 20

  /// Holds an output for later. Without a time, it belongs to the one before it.
  mutating func hold(_ output: CaptureOutput, _ time: Int64? = nil, bytes: Int = 0) {
    held.append(Held(time: time ?? held.last?.time, output: output, bytes: bytes))
    heldBytes += bytes
  }

  /// Passes on the earlier half if too much is held.
  mutating func trim(_ sink: (CaptureOutput) throws -> Void) rethrows {
    guard held.count > Self.maximumCount || heldBytes > Self.maximumBytes else { return }
    try release(held.count / 2, sink)
  }

  /// Passes on all outputs.
  mutating func finish(_ sink: (CaptureOutput) throws -> Void) rethrows {
    try release(held.count, sink)
  }

  /// Passes on the earliest outputs; outputs with the same time keep their order.
  private mutating func release(
    _ count: Int, _ sink: (CaptureOutput) throws -> Void
  ) rethrows {
    let order = held.indices.sorted {
      (held[$0].time ?? .min, $0) < (held[$1].time ?? .min, $1)
    }
    let sorted = order.map { held[$0] }
    held = Array(sorted.dropFirst(count))
    heldBytes = held.reduce(0) { $0 + $1.bytes }
    for next in sorted.prefix(count) { try sink(next.output) }
  }
}
