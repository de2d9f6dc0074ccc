package import Captures
import Foundation
import Rollcall
import Synchronization

/// What a command writes: results on standard output, everything else on standard error.
package enum Terminal {
  /// What has not been written yet. A system call for each line would cost more than the lines.
  private static let buffer = Mutex<[UInt8]>([])
  private static let bufferBytes = 64 << 10

  /// Makes standard output and error safe to write to; called first of all.
  package static func prepare() {
    // A descriptor that the caller has closed would be given to the next file that is opened,
    // such as a log, and what is written for people would go there. So it is taken, and such
    // that using it fails.
    for (descriptor, mode) in [
      (STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY),
      (STDERR_FILENO, O_RDONLY),
    ] where fcntl(descriptor, F_GETFD) == -1 {
      _ = open("/dev/null", mode)
    }
    // Writing to a pipe that nobody reads is an error like others: what was begun is cleaned up.
    signal(SIGPIPE, SIG_IGN)
  }

  /// Writes a line of the result, for people: what a terminal would obey, or nobody see, is shown
  /// in words, whoever wrote it.
  package static func say(_ line: String) throws(OutputError) {
    try say([line])
  }

  /// Writes lines of the result, for people.
  package static func say(_ lines: [String]) throws(OutputError) {
    for line in lines { try writeLine(Style.shown(line)) }
    if isTerminal { try flush() }
  }

  /// Writes a document, on one line.
  package static func say(_ document: JSONValue) throws(OutputError) {
    try writeLine(document.text)
    if isTerminal { try flush() }
  }

  /// Writes a text of our own as it is, with a line feed.
  package static func writeLine(_ text: String) throws(OutputError) {
    let name: String? = heading.withLock { heading in
      defer { heading.printed = heading.current }
      return heading.printed == heading.current ? nil : heading.current
    }
    if let name { try write("==> \(name.visible) <==\n".utf8) }
    try write(text.utf8)
    try write(CollectionOfOne(UInt8(ascii: "\n")))
  }

  /// Whose the lines are that come, and whose those are that were printed last.
  private static let heading = Mutex<(current: String?, printed: String?)>((nil, nil))

  /// Says whose the lines are that come, if any do, as `tail` does with several files.
  static func head(_ name: String) {
    heading.withLock { $0.current = name }
  }

  /// Adds a part of the result.
  package static func write(_ bytes: some Collection<UInt8>) throws(OutputError) {
    let isFull = buffer.withLock { buffer in
      buffer.append(contentsOf: bytes)
      return buffer.count >= bufferBytes
    }
    if isFull { try flush() }
  }

  /// Writes what is left of the result.
  package static func flush() throws(OutputError) {
    let bytes = buffer.withLock { buffer in
      defer { buffer.removeAll(keepingCapacity: true) }
      return buffer
    }
    if !bytes.isEmpty { Pager.start() }
    if let code = put(bytes, to: STDOUT_FILENO) {
      throw code == EPIPE ? .nobodyReads : .failed(code)
    }
  }

  /// Says what went wrong.
  package static func complain(_ message: String) {
    tell("rollcall: \(message)")
  }

  /// Says something beside the result that a person should know.
  package static func note(_ message: String) {
    tell("note: \(message)")
  }

  /// What goes to standard error is said or it is not: there is nowhere to complain about it.
  private static func tell(_ message: String) {
    // In the order in which it came about, where both go to one place.
    try? flush()
    let lines = message.split(separator: "\n", omittingEmptySubsequences: false)
    let text = lines.map { String($0).visible }.joined(separator: "\n")
    show(text + "\n")
  }

  /// Writes to standard error as it is.
  package static func show(_ text: String) {
    _ = put(Array(text.utf8), to: STDERR_FILENO)
  }

  /// Writes everything; the system's code where it cannot.
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
          // Somebody who shares the terminal has made it non-blocking.
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

  /// How many cells a line of the terminal has; nil where standard output is none.
  package static let columns = columns(of: STDOUT_FILENO)

  /// The same of another file, as it is now.
  static func columns(of descriptor: Int32) -> Int? {
    var size = winsize()
    guard isatty(descriptor) == 1, ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0
    else { return nil }
    return Int(size.ws_col)
  }

  /// Whether standard output is a terminal that wants colour (no-color.org).
  package static let isColoured =
    isTerminal
    && (ProcessInfo.processInfo.environment["NO_COLOR"] ?? "").isEmpty
    && ProcessInfo.processInfo.environment["TERM"] != "dumb"

  /// Whether progress can be shown; not any longer where a pager has the terminal.
  static var showsProgress: Bool { isatty(STDERR_FILENO) == 1 }

  /// Finds out what the terminal is like: after that, standard output can be another file.
  static func look() { _ = (isTerminal, columns, isColoured) }
}

/// Why a result cannot be written.
package enum OutputError: Error {
  /// It goes to a pipe, and the reader has what it wanted.
  case nobodyReads
  case failed(Int32)
}

/// A few colours, left out where nobody would see them.
package enum Style: String, CaseIterable {
  case dim = "2"
  case bold = "1"
  case red = "31"
  case green = "32"
  case yellow = "33"
  case cyan = "36"

  /// The text in this style.
  package func callAsFunction(_ text: String) -> String {
    Terminal.isColoured ? begin + text + Self.end : text
  }

  private var begin: String { "\u{1B}[\(rawValue)m" }
  private static let end = "\u{1B}[0m"

  /// A line with everything visible but our own colours.
  package static func shown(_ line: String) -> String {
    guard Terminal.isColoured else { return line.visible }
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
  /// A clause after its mark, coloured by it: + came, - went, ~ became different.
  package static func marked(_ mark: String, _ clause: String) -> String {
    let text = "\(mark) \(clause)".visible
    return switch mark {
    case "+": green(text)
    case "-": red(text)
    default: yellow(text)
    }
  }
}

/// A bar on standard error for work that takes long, on a terminal only.
struct Progress {
  private let total: Int
  private var shown = -1
  /// What is less is read before anybody could look at a bar.
  private static let least = 4 << 20

  /// - Parameter total: how much there is to do; 0 where nobody knows.
  init(total: Int) {
    self.total = total
  }

  /// Shows how much is done.
  mutating func show(_ done: Int) {
    guard total >= Self.least, Terminal.showsProgress else { return }
    let percent = min(100, done * 100 / total)
    guard percent != shown else { return }
    shown = percent
    let filled = percent * 30 / 100
    let bar = String(repeating: "#", count: filled) + String(repeating: "·", count: 30 - filled)
    Terminal.show("\r[\(bar)] \(percent) %")
  }

  /// Takes the bar away.
  func finish() {
    guard shown >= 0 else { return }
    Terminal.show("\r\u{1B}[K")
  }
}
