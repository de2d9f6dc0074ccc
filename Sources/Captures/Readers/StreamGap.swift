/// A part of a stream that cannot be read: its first line, the reason, and the number of bytes
/// dropped since.
struct StreamGap {
  let line: Int
  let reason: String
  /// The number of bytes that were dropped after the first unreadable ones.
  var bytes = 0

  var problem: CaptureProblem {
    let dropped = bytes == 0 ? "" : "; \(bytes) more bytes were skipped"
    return CaptureProblem(
      line: line, message: "the stream cannot be read from here on: \(reason)\(dropped)")
  }
}
