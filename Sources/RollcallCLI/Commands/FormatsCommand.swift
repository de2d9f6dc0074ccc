import ArgumentParser
import Captures
import Rollcall

struct FormatsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "formats",
    abstract: "Lists the formats of captures, or says which format each file has.",
    discussion: """
      Rollcall finds the format of a capture by looking at it. If that fails, \
      `rollcall import --format NAME` sets it, as the other commands that read captures do. The \
      list says how to make a program write each format. For captures or directories, the command \
      says what each file is.

      Exit codes: 0 done, 1 none of the files is a capture, 2 bad usage or bad input.

      Examples:
        rollcall formats
        rollcall formats --json
        rollcall formats debug.log* laptop.log
      """)

  @Argument(help: "Captures or directories to look at.", completion: .file())
  var files: [String] = []

  @OptionGroup var output: OutputOptions

  func run() throws {
    guard files.isEmpty else { return try describe(SourceFiles(files)) }
    guard !output.json else {
      let formats = CaptureFormat.all.map { JSONValue($0) }
      return try Terminal.say(.object(["formats": .array(formats)]))
    }
    for format in CaptureFormat.all {
      let doubt = format.isTested ? "" : " (built from its source, not tested on a real log)"
      try Terminal.say([
        Style.bold(format.id) + ": " + format.title + doubt, "    " + format.howTo,
      ])
    }
  }

  /// Prints the format of each file.
  private func describe(_ sources: SourceFiles) throws {
    let files = try sources.files.map { try FoundFile($0.path) }
    if output.json {
      try Terminal.say(.object(["files": .array(files.map(\.document))]))
    } else {
      var table = Table(["file", "format", "packed", "what it is"])
      for file in files {
        table.add([file.path, file.format?.id ?? "–", file.packing ?? "–", file.words])
      }
      try Terminal.say(table.takeLines())
    }
    if !files.contains(where: { $0.format != nil }) { throw NothingFound(sentence: nil) }
  }
}

/// The format of a file, detected from its beginning.
private struct FoundFile {
  let path: String
  let format: CaptureFormat?
  /// The program that unpacks the file, or reads it as a capture of packets.
  let packing: String?
  /// Why the file is not a capture.
  private let reason: String?

  init(_ path: String) throws {
    let input = try CaptureInput(path)
    self.path = path
    packing = input.tool
    guard !Supervision.isLog(path) else {
      (format, reason) = (nil, "a Rollcall log")
      return
    }
    do {
      (format, reason) = (try FormatSearch.format(of: input.handle), nil)
    } catch ImportError.unknownFormat {
      (format, reason) = (nil, "an unknown format")
    } catch ImportError.unreadable(let file) {
      (format, reason) = (nil, file.description)
    } catch {
      throw Failure(error, in: path)
    }
  }

  var words: String { reason ?? format?.title ?? "" }

  var document: JSONValue {
    .object([
      "file": .string(path), "format": JSONValue(format?.id), "packing": JSONValue(packing),
      "reason": JSONValue(reason),
    ])
  }
}
