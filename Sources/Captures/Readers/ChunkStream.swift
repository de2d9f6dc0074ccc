import XMPPStanza
import XMPPStream

/// One direction of a connection, of which a log shows chunk after chunk.
///
/// It may begin in mid-session, and a part of it may be missing. Where it cannot be read on, what
/// comes is dropped and counted until a chunk begins with a stream header or with an element that
/// stands at the top level of streams: at no other place can one tell a stanza from a part of one
/// that somebody wrote into another.
struct ChunkStream {
  private struct Loss {
    let line: Int
    let reason: String
    var bytes = 0
  }

  private let limits: StreamLimits
  private var parser: StreamParser?
  private var loss: Loss?
  /// Where the element in work began.
  private var start = 0
  private(set) var problems: [CaptureProblem] = []

  init(_ limits: StreamLimits) {
    self.limits = limits
  }

  /// Whether no element is open.
  var isBetweenElements: Bool { loss == nil && parser?.isBetweenElements ?? true }

  /// Takes bytes; `beginsChunk` says whether they are the first of what was read or written at
  /// once. Gives the events that they complete.
  mutating func feed(
    _ bytes: ArraySlice<UInt8>, line: Int, beginsChunk: Bool
  ) -> [StreamEvent] {
    if beginsChunk { synchronize(bytes, line) }
    guard loss == nil else {
      loss?.bytes += bytes.count
      return []
    }
    let parser = parser ?? StreamParser(root: .records, limits: limits)
    self.parser = parser
    if parser.isBetweenElements { start = line }
    var events: [StreamEvent] = []
    do {
      try parser.feed(bytes) { events.append($0) }
    } catch let error as StreamError {
      loss = Loss(line: line, reason: error.kind.description)
    } catch {}
    if !events.isEmpty { start = line }
    return events
  }

  /// Says that what comes next does not go on with what came.
  mutating func breakOff(_ reason: String) {
    if loss == nil, !isBetweenElements { loss = Loss(line: start, reason: reason) }
    reportLoss()
    parser = nil
  }

  /// Gives the problems that have been found, once each.
  mutating func takeProblems() -> [CaptureProblem] {
    defer { problems = [] }
    return problems
  }

  private mutating func synchronize(_ bytes: ArraySlice<UInt8>, _ line: Int) {
    if TopLevel.isStreamHeader(bytes) {
      if !isBetweenElements { breakOff("it ends inside an element") }
      if parser?.root != .wire { parser = StreamParser(root: .wire, limits: limits) }
    } else if loss != nil, TopLevel.isElement(bytes) {
      reportLoss()
      parser = StreamParser(root: .records, limits: limits)
    }
  }

  private mutating func reportLoss() {
    guard let loss else { return }
    self.loss = nil
    parser = nil
    let dropped = loss.bytes == 0 ? "" : "; \(loss.bytes) more bytes were skipped"
    let message = "the stream cannot be read on from here: \(loss.reason)\(dropped)"
    problems.append(CaptureProblem(line: loss.line, message: message))
  }
}

/// What stands at the top level of a stream, by its first bytes.
enum TopLevel {
  /// Elements of RFC 6120, XEP-0198, XEP-0352, XEP-0388 and XEP-0114.
  private static let names: Set<[UInt8]> = Set(
    [
      "iq", "message", "presence", "features", "error", "starttls", "proceed", "failure", "auth",
      "challenge", "response", "success", "abort", "authenticate", "continue", "r", "a", "enable",
      "enabled", "resume", "resumed", "failed", "active", "inactive", "handshake",
    ].map { Array($0.utf8) })

  /// Whether an XML declaration or the start tag of a stream stands here.
  static func isStreamHeader(_ bytes: ArraySlice<UInt8>) -> Bool {
    let text = bytes.withoutLeadingSpace
    return text.starts(with: "<?xml".utf8)
      || (text.first == UInt8(ascii: "<") && name(text).ends(with: Array(":stream".utf8)))
  }

  /// Whether an element of a kind that stands at the top level begins here.
  static func isElement(_ bytes: ArraySlice<UInt8>) -> Bool {
    let text = bytes.withoutLeadingSpace
    guard text.first == UInt8(ascii: "<") else { return false }
    return names.contains(Array(localName(text).utf8))
  }

  /// The name, without its prefix, of the element that begins here; empty where none does.
  static func localName(_ bytes: ArraySlice<UInt8>) -> String {
    let text = bytes.withoutLeadingSpace
    guard text.first == UInt8(ascii: "<") else { return "" }
    let name = name(text)
    let local = name.split(separator: UInt8(ascii: ":"), maxSplits: 1).last ?? name
    return String(decoding: local, as: UTF8.self)
  }

  /// Whether a stream header says who speaks to whom.
  static func isHeader(_ node: XMLNode) -> Bool {
    ["to", "from", "id"].contains { node.attribute($0) != nil }
  }

  /// Whether a stanza begins here.
  static func isStanza(_ bytes: ArraySlice<UInt8>) -> Bool {
    let text = bytes.withoutLeadingSpace
    return ["<iq", "<message", "<presence"].contains { text.starts(with: $0.utf8) }
  }

  /// Whether an element is one that only streams have, by its name and its namespace.
  static func holds(_ node: XMLNode) -> Bool {
    switch node.name.namespace {
    case Namespace.client: ["iq", "message", "presence"].contains(node.name.local)
    case Namespace.streams, Namespace.sasl, Namespace.sasl2, Namespace.streamManagement,
      Namespace.streamManagement2:
      names.contains(Array(node.name.local.utf8))
    default: false
    }
  }

  private static func name(_ tag: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    tag.dropFirst().prefix(64).prefix {
      !$0.isBlank && $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "/")
    }
  }
}
