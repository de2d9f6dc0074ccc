package import Captures
import Foundation
import Rollcall
import Synchronization

/// The output of a command: results on standard output, everything else on standard error.
package enum Terminal {
  /// Output that was not written yet. A system call per line would cost more than producing the
  /// lines.
  private static let buffer = Mutex<[UInt8]>([])
  private static let bufferBytes = 64 << 10

  /// Makes standard output and error safe to write to; must be called first.
  package static func prepare() {
    // If the caller has closed a descriptor, the next opened file, such as a log, would get it, and
    // output for people would be written there. So occupy it in a mode in which using it fails.
    for (descriptor, mode) in [
      (STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY),
      (STDERR_FILENO, O_RDONLY),
    ] where fcntl(descriptor, F_GETFD) == -1 {
      _ = open("/dev/null", mode)
    }
    // Writing to a pipe without a reader must be an ordinary error, so that unfinished work is
    // cleaned up.
    signal(SIGPIPE, SIG_IGN)
  }

  /// Writes a line of the result for people. Control characters and invisible characters, whatever
  /// their origin, are shown as words.
  package static func say(_ line: String) throws(OutputError) {
    try say([line])
  }

  /// Writes lines of the result for people.
  package static func say(_ lines: [String]) throws(OutputError) {
    for line in lines { try writeLine(Style.shown(line)) }
    if isTerminal { try flush() }
  }

  /// Writes a JSON document on one line.
  package static func say(_ document: JSONValue) throws(OutputError) {
    try writeLine(document.text)
    if isTerminal { try flush() }
  }

  /// Writes one of our own texts unchanged, with a line feed.
  package static func writeLine(_ text: String) throws(OutputError) {
    let name: String? = heading.withLock { heading in
      defer { heading.printed = heading.current }
      return heading.printed == heading.current ? nil : heading.current
    }
    if let name { try write("==> \(name.visible) <==\n".utf8) }
    try write(text.utf8)
    try write(CollectionOfOne(UInt8(ascii: "\n")))
  }

  /// The heading for the next lines, and the heading of the lines that were printed last.
  private static let heading = Mutex<(current: String?, printed: String?)>((nil, nil))

  /// Sets the heading for the next lines, like `tail` with several files.
  static func head(_ name: String) {
    heading.withLock { $0.current = name }
  }

  /// Appends a part of the result.
  package static func write(_ bytes: some Collection<UInt8>) throws(OutputError) {
    let isFull = buffer.withLock { buffer in
      buffer.append(contentsOf: bytes)
      return buffer.count >= bufferBytes
    }
    if isFull { try flush() }
  }

  /// Writes the buffered part of the result.
  package static func flush() throws(OutputError) {
    let bytes = buffer.withLock { buffer in
      defer { buffer.removeAll(keepingCapacity: true) }
      return buffer
    }
    if !bytes.isEmpty { Pager.start() }
    if let code = put(bytes, to: STDOUT_FILENO) {
      throw code == EPIPE ? .readerClosed : .failed(code)
    }
  }

  /// Prints an error.
  package static func complain(_ message: String) {
    writeMessage("rollcall: \(message)")
  }

  /// Prints a note, in addition to the result.
  package static func note(_ message: String) {
    writeMessage("note: \(message)")
  }

  /// Writes to standard error; a failure is ignored, because there is no other place to report it.
  private static func writeMessage(_ message: String) {
    // Keep the order if both streams go to the same place.
    try? flush()
    let lines = message.split(separator: "\n", omittingEmptySubsequences: false)
    let text = lines.map { String($0).visible }.joined(separator: "\n")
    show(text + "\n")
  }

  /// Writes a text to standard error unchanged.
  package static func show(_ text: String) {
    _ = put(Array(text.utf8), to: STDERR_FILENO)
  }

  /// Writes all bytes; returns the system's error code on failure.
  private static func put(_ bytes: [UInt8], to descriptor: Int32) -> Int32? {
    bytes.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = Foundation.write(
          descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress,
          rest.count)
        if count >= 0 {
          rest = rest.dropFirst(count)
        } else if errno == EAGAIN {
          // Another process that shares the terminal has made it non-blocking.
          var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
          _ = poll(&wait, 1, -1)
        } else if errno != EINTR {
          return errno
        }
      }
      return nil
    }
  }

  private static let isTerminal = isatty(STDOUT_FILENO) == 1

  /// The width of the terminal in cells; nil if standard output is not a terminal.
  package static let columns = columns(of: STDOUT_FILENO)

  /// The current width of the terminal behind another descriptor; nil if it is not a terminal.
  static func columns(of descriptor: Int32) -> Int? {
    var size = winsize()
    guard isatty(descriptor) == 1, ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0
    else { return nil }
    return Int(size.ws_col)
  }

  /// Whether standard output is a terminal that supports color (no-color.org).
  package static let isColored =
    isTerminal
    && (ProcessInfo.processInfo.environment["NO_COLOR"] ?? "").isEmpty
    && ProcessInfo.processInfo.environment["TERM"] != "dumb"

  /// Whether progress can be shown; not while a pager has the terminal.
  static var showsProgress: Bool { isatty(STDERR_FILENO) == 1 }

  /// Inspects the terminal, before standard output is redirected.
  static func inspect() { _ = (isTerminal, columns, isColored) }
}

/// The reason why a result cannot be written.
package enum OutputError: Error {
  /// The output is a pipe, and its reader has closed it.
  case readerClosed
  case failed(Int32)
}

/// A few colors, used only if the output shows them.
package enum Style: String, CaseIterable {
  case dim = "2"
  case bold = "1"
  case red = "31"
  case green = "32"
  case yellow = "33"
  case cyan = "36"

  /// The text in this style.
  package func callAsFunction(_ text: String) -> String {
    Terminal.isColored ? begin + text + Self.end : text
  }

  private var begin: String { "\u{1B}[\(rawValue)m" }
  private static let end = "\u{1B}[0m"

  /// A line in which everything except our own colors is made visible.
  package static func shown(_ line: String) -> String {
    guard Terminal.isColored else { return line.visible }
    let marks = allCases.map(\.begin) + [end]
    return line.split(separator: "\u{1B}", omittingEmptySubsequences: false).enumerated()
      .map { number, piece in
        let text = (number == 0 ? "" : "\u{1B}") + piece
        guard let mark = marks.first(where: text.hasPrefix) else { return text.visible }
        return mark + String(text.dropFirst(mark.count)).visible
      }.joined()
  }
}

extension Style {
  /// A clause with its mark, in the color of the mark: + added, - removed, ~ changed.
  package static func marked(_ mark: String, _ clause: String) -> String {
    let text = "\(mark) \(clause)".visible
    return switch mark {
    case "+": green(text)
    case "-": red(text)
    default: yellow(text)
    }
  }
}

/// A progress bar on standard error for slow work, shown only on a terminal.
struct Progress {
  private let total: Int
  private var shown = -1
  /// Smaller inputs are read before anyone could see a bar.
  private static let minimumTotal = 4 << 20

  /// - Parameter total: The amount of work; 0 if it is unknown.
  init(total: Int) {
    self.total = total
  }

  /// Shows the amount of completed work.
  mutating func show(_ done: Int) {
    guard total >= Self.minimumTotal, Terminal.showsProgress else { return }
    let percent = min(100, done * 100 / total)
    guard percent != shown else { return }
    shown = percent
    let filled = percent * 30 / 100
    let bar = String(repeating: "#", count: filled) + String(repeating: "·", count: 30 - filled)
    Terminal.show("\r[\(bar)] \(percent) %")
  }

  /// Clears the bar.
  func finish() {
    guard shown >= 0 else { return }
    Terminal.show("\r\u{1B}[K")
  }
}
