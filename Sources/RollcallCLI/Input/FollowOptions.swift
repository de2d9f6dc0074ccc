import ArgumentParser

/// Whether a command keeps reading while its source is written.
struct FollowOptions: ParsableArguments {
  @Flag(
    name: .shortAndLong,
    help: """
      Continue with what is written later, until the end of a pipe or Ctrl-C: to a file, even if \
      it is rotated, to the spool of a server's tap, to standard input, to a log by another \
      process, or to all logs in a folder.
      """)
  var follow = false

  /// Throws if other options specify an end, or if there is more than one source.
  func check(_ reading: some SourceReading, _ sources: [String]) throws {
    guard follow else { return }
    guard sources.count == 1 else {
      throw ValidationError("--follow reads one source as it grows: name one")
    }
    guard reading.at == "head" else {
      throw ValidationError("--follow continues without an end, and --at sets one: choose one")
    }
    try check(reading.capture)
  }

  func check(_ selection: CaptureSelection) throws {
    guard follow, selection.pair != nil else { return }
    throw ValidationError("--follow reads one file as it grows, and --pair two: choose one")
  }
}
