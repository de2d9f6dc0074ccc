import ArgumentParser
import Captures
import EventStore
package import Rollcall

/// What `rollcall inspect` shows: a log or captures, and perhaps a second log.
package struct InspectedSources: ParsableArguments {
  @Argument(help: .sources, completion: .file())
  var source: [String]

  @Option(
    help: ArgumentHelp(
      "A second log or capture of the same account, which the page shows beside the first.",
      valueName: "file"),
    completion: .file())
  var other: String?

  @OptionGroup var capture: CaptureSelection

  @Option(help: .captureFormat, completion: .captureFormats)
  var format: String?

  package init() {}

  /// One of the sources, open.
  package struct Opened {
    package let timeline: Timeline
    /// The file's name, without its folder.
    package let title: String
    /// The path of the log; nil if captures were read into a temporary one.
    package let log: String?
    /// Opens the log that is at the path now; nil for captures.
    package let reopen: (@Sendable () throws -> Timeline)?
  }

  /// Opens the sources, the second one last.
  ///
  /// - Throws: `Failure`, with the sentence for the user.
  package func open() throws -> [Opened] {
    let options = try capture.importOptions(format: format, option: "--format")
    var opened = [try Self.open(source, options, pair: capture.pair)]
    if let other { opened.append(try Self.open([other], options, pair: nil)) }
    return opened
  }

  private static func open(
    _ paths: [String], _ options: ImportOptions, pair: String?
  ) throws -> Opened {
    let source = try SourceOptions.open(paths, options, pair: pair)
    guard source.files.isEmpty else {
      return Opened(timeline: source.timeline, title: source.title, log: nil, reopen: nil)
    }
    let reopen: @Sendable () throws -> Timeline = {
      try SourceOptions.open(paths, options).timeline
    }
    return Opened(
      timeline: source.timeline, title: source.title, log: source.path, reopen: reopen)
  }
}
