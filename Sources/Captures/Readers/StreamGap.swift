/// A part of a stream that cannot be read: where it begins, why, and how much was dropped since.
struct StreamGap {
  let line: Int
  let reason: String
  /// The bytes that were dropped after the first that could not be read.
  var bytes = 0

  var problem: CaptureProblem {
    let dropped = bytes == 0 ? "" : "; \(bytes) more bytes were skipped"
    return CaptureProblem(
      line: line, message: "the stream cannot be read on from here: \(reason)\(dropped)")
  }
}
