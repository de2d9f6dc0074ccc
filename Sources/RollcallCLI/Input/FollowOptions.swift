import ArgumentParser

/// Whether a command keeps reading while its source is written.
struct FollowOptions: ParsableArguments {
  @Flag(
    name: .shortAndLong,
    help: """
      Go on with what is written after, until the end of a pipe or Ctrl-C: of a file, also where \
      it is rotated, of standard input, of a log that another process writes, or of all logs in \
      a folder.
      """)
  var follow = false

  /// Throws if other options specify an end, or if there is more than one source.
  func check(_ reading: some SourceReading, _ sources: [String]) throws {
    guard follow else { return }
    guard sources.count == 1 else {
      throw ValidationError("--follow reads one source as it grows: name one")
    }
    guard reading.at == "head" else {
      throw ValidationError("--follow goes on with what comes, and --at names an end: choose one")
    }
    try check(reading.capture)
  }

  func check(_ selection: CaptureSelection) throws {
    guard follow, selection.pair != nil else { return }
    throw ValidationError("--follow reads one file as it grows, and --pair two: choose one")
  }
}
