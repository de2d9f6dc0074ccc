import Captures
import EventStore
import Foundation
import Rollcall

/// An input: a file, a pipe, or `-` for standard input. It may be compressed, or a packet capture.
/// It is opened only once, because a pipe can be read only once.
struct CaptureInput {
  /// The path as given on the command line.
  let path: String
  /// The unpacked content.
  var handle: FileHandle { output?.handle ?? file }
  /// Whether the input can be read more than once.
  let isFile: Bool
  /// The size in bytes; 0 if it is not known in advance.
  let size: Int

  private let file: FileHandle
  private let output: ToolOutput?

  /// - Parameter keyLog: The file with the keys of TLS connections, for a packet capture.
  init(_ path: String, keyLog: String? = nil) throws {
    self.path = path
    do {
      file =
        path == "-" ? .standardInput : try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
    } catch CocoaError.fileReadNoSuchFile, CocoaError.fileNoSuchFile {
      throw Failure("\(path): there is no such file")
    } catch {
      throw Failure(error, in: path)
    }
    var status = stat()
    guard fstat(file.fileDescriptor, &status) == 0 else {
      throw Failure("\(path): it cannot be read")
    }
    guard status.st_mode & S_IFMT != S_IFDIR else {
      throw Failure("\(path): it is a directory")
    }
    isFile = status.st_mode & S_IFMT == S_IFREG && path != "-"
    output =
      path.hasSuffix(".rollcall")
      ? nil
      : try ToolOutput(
        path, file,
        head: isFile ? Self.start(of: file) : PipeHead.bytes(of: file.fileDescriptor),
        isFile: isFile, keyLog: keyLog)
    size = isFile && output == nil ? Int(status.st_size) : 0
  }

  /// Opens a log as the native capture that `rollcall export` writes of it, in a temporary file
  /// that only this user can read and that is gone with the process.
  init(exporting path: String) throws {
    try EventLog.checkPages(of: path)
    let log = try SourceOptions.openLog(path, ImportOptions())
    let folder = FileManager.default.temporaryDirectory.path(percentEncoded: false)
    var name = Array("\(folder)/rollcall-export-XXXXXX".utf8CString)
    let descriptor = mkstemp(&name)
    guard descriptor >= 0 else {
      throw Failure("\(folder): no file can be created: \(text(ofSystemCode: errno))")
    }
    unlink(name)
    let copy = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    try Failure.naming(path) {
      _ = try LogExport(log).writeNative { try copy.write(contentsOf: $0) }
    }
    (self.path, file, output, isFile) = (path, copy, nil, true)
    size = Int(try copy.offset())
    try copy.seek(toOffset: 0)
  }

  /// Enough of a file to tell whether it is compressed.
  private static func start(of file: FileHandle) throws -> [UInt8] {
    let start = Array(try file.read(upToCount: 8) ?? Data())
    try file.seek(toOffset: 0)
    return start
  }

  /// The program through which the input is read; nil if it is read directly.
  var tool: String? { output?.name }

  /// Returns to the beginning of a file.
  func rewind() throws {
    if let output { try output.begin() } else { try file.seek(toOffset: 0) }
  }

  /// The beginning of a file, which is rewound afterward.
  func head() throws -> [UInt8] {
    let head = try CaptureImport.head(of: handle)
    try rewind()
    return head
  }

  /// Throws if unpacking failed, once everything that could be unpacked was read.
  func check() throws { try output?.check() }

  /// Whether the input is a Rollcall log rather than a capture. A log cannot be read from a pipe,
  /// whose bytes can be read only once.
  var isLog: Bool {
    get throws {
      guard isFile, tool == nil else { return false }
      let head = Array(try handle.read(upToCount: Supervision.logHeadBytes) ?? Data())
      try rewind()
      return path.hasSuffix(".rollcall") || Supervision.isLog(head: head)
    }
  }

  /// The name under which a log notes the input.
  var name: String { Self.name(of: path) }

  /// The name under which a log notes the input at a path.
  static func name(of path: String) -> String {
    path == "-" ? "standard input" : (path as NSString).lastPathComponent
  }
}

/// One import: a capture, or the two files of a capture whose directions were recorded separately.
struct CaptureFiles {
  private let first: CaptureInput
  private let pair: CapturePair?
  private let second: CaptureInput?
  /// The source from which the first input was opened.
  let source: SourceFiles.File

  /// One capture, or the files of its two directions.
  init(
    _ first: CaptureInput, _ second: CaptureInput?, _ source: SourceFiles.File? = nil
  ) throws {
    (self.first, self.second) = (first, second)
    self.source = source ?? SourceFiles.File(first.path)
    guard let second else {
      pair = nil
      return
    }
    for input in [first, second] where !input.isFile {
      throw Failure(
        "\(input.path): both captures of a pair must be files, because they are examined first")
    }
    pair = try Self.pair(first, second, certainly: false)
    guard pair != nil else {
      throw Failure(
        "\(first.path) and \(second.path) are not the two directions of one stream as it was sent")
    }
  }

  private init(
    _ pair: CapturePair, _ first: CaptureInput, _ second: CaptureInput, _ source: SourceFiles.File
  ) {
    (self.pair, self.first, self.second, self.source) = (pair, first, second, source)
  }

  private static func pair(
    _ first: CaptureInput, _ second: CaptureInput, certainly: Bool
  ) throws -> CapturePair? {
    let heads = try (first.head(), second.head())
    return CapturePair(first.handle, second.handle, heads: heads, certainly: certainly)
  }

  /// Calls `body` with the captures in order. Two consecutive files that are recognized as the two
  /// directions of one stream form one capture.
  ///
  /// - Parameter exportsLogs: Whether a log is read as the capture that an export of it is.
  static func forEach(
    in files: [SourceFiles.File], keyLog: String?, exportsLogs: Bool = false,
    _ body: (CaptureFiles) throws -> Void
  ) throws {
    func open(_ path: String) throws -> CaptureInput {
      let input = try CaptureInput(path, keyLog: keyLog)
      return try exportsLogs && input.isLog ? CaptureInput(exporting: path) : input
    }
    var next: CaptureInput?
    var rest = files[...]
    while let file = rest.popFirst() {
      let first = try next ?? open(file.path)
      next = first.isFile ? try rest.first.map { try open($0.path) } : nil
      let isNamedPair = rest.first?.isOtherDirection(of: file) ?? false
      if let second = next, second.isFile,
        let pair = try Self.pair(first, second, certainly: !isNamedPair)
      {
        next = nil
        rest.removeFirst()
        try body(CaptureFiles(pair, first, second, file))
      } else {
        try body(CaptureFiles(first, nil, file))
      }
    }
  }

  /// Runs an import, and reports a failure to unpack in preference to the errors that it causes.
  private func unpacking<R>(_ body: () throws -> R) throws -> R {
    let result: R
    do {
      result = try body()
    } catch {
      try check()
      throw error
    }
    try check()
    return result
  }

  private func check() throws {
    try first.check()
    try second?.check()
  }

  /// Imports the capture, with a progress bar if it takes long, and notes what was skipped.
  ///
  /// - Parameter known: The sources that were imported before; nil if repeated records need not be
  ///   recognized.
  /// - Returns: The results for each file, and the records that are now in the log.
  func read(
    _ options: ImportOptions, into log: EventLog, knowing known: [ImportedSource]? = nil
  ) throws -> (summaries: [(path: String, summary: ImportSummary)], capture: StagedCapture) {
    let sizes = [first.size, second?.size ?? first.size]
    var progress = Progress(total: sizes.contains(0) ? 0 : first.size + (second?.size ?? 0))
    defer { progress.finish() }
    var reading = CaptureImport(options)
    var summaries: [(path: String, summary: ImportSummary)] = []
    if let pair, let second {
      let (inbound, outbound) = pair.isFirstInbound ? (first, second) : (second, first)
      let printers = known.map {
        (
          SourceFingerprinter(inbound.name, knowing: $0),
          SourceFingerprinter(outbound.name, knowing: $0)
        )
      }
      let summary = try unpacking {
        try reading.run(pair, into: log, printers: printers) { progress.show($0) }
      }
      summaries = [(inbound.path, summary.inbound), (outbound.path, summary.outbound)]
    } else {
      let printer = known.map { SourceFingerprinter(first.name, knowing: $0) }
      let summary = try unpacking {
        try reading.run(first.handle, into: log, printer: printer) { progress.show($0) }
      }
      summaries = [(first.path, summary)]
    }
    for (path, summary) in summaries { summary.printNotes(for: path) }
    guard summaries.contains(where: { $0.summary.records > 0 }) else {
      throw ImportError.nothingFound(format: summaries[0].summary.format.title)
    }
    let records = try log.read { try $0.lastSequence }
    let capture = StagedCapture(
      prints: summaries.compactMap(\.summary.print), records: 1...records,
      connections: reading.connections, runs: summaries.last?.summary.runs)
    return (summaries, capture)
  }

  /// Whether the input is a Rollcall log.
  var isLog: Bool { get throws { try first.isLog } }

  /// The name of the capture in errors.
  var path: String { second.map { "\(first.path) and \($0.path)" } ?? first.path }
}

extension ImportSummary {
  /// Prints notes about what was skipped and what is unknown.
  func printNotes(for path: String) {
    for problem in problems { Terminal.note("\(path):\(problem.line): \(problem.message)") }
    if problemCount > problems.count {
      Terminal.note("\(path): \(problemCount - problems.count) more problems")
    }
    if lacksTimes {
      Terminal.note(
        "\(path): some records have no time, because the source's clock does not say "
          + (lacksYear ? "the year: --year does" : "it"))
    }
    noteUnreadLines(path)
    noteGuesses(path)
  }

  private func noteUnreadLines(_ path: String) {
    guard let first = unread.first else { return }
    let lines = unread.count == 1 ? "1 line was" : "\(unread.count) lines were"
    Terminal.note(
      "\(path): \(lines) not read, although a stanza begins there; the first is \(path):\(first)")
  }

  private func noteGuesses(_ path: String) {
    guard let guessed, guessed.elements > 0 else { return }
    let doubtful = guessed.firstDoubtful.map {
      "; \(guessed.doubtful) of them are doubtful, the first is \(path):\($0)"
    }
    Terminal.note(
      guessed.isText
        ? "\(path): \(guessed.elements) elements were found in a text of unknown format; their "
          + "directions are guessed from the words before them, their contents and their addresses"
          + (doubtful ?? "")
        : "\(path): nothing says which way its \(guessed.elements) elements went; their directions "
          + "are guessed from their contents and their addresses" + (doubtful ?? ""))
    guard account == nil else { return }
    Terminal.note("\(path): nothing in it says whose account it is; --account names the account")
  }
}
