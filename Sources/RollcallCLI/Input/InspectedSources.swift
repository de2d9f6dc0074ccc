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
      "A second log or capture of the same account, which the page can show instead.", valueName: "file"),
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
  }

  /// Opens the sources, the second one last.
  ///
  /// - Throws: `Failure`, with the sentence for the user.
  package func open() throws -> [Opened] {
    let options = try capture.importOptions(format: format, option: "--format")
    var opened = [try SourceOptions.open(source, options, pair: capture.pair)]
    if let other { opened.append(try SourceOptions.open([other], options)) }
    return opened.map { source in
      Opened(
        timeline: source.timeline, title: source.title,
        log: source.files.isEmpty ? source.path : nil)
    }
  }
}
