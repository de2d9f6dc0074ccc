import XMPPStanza

/// The stream traffic that one of several sources logged. It shows whether each source has streams
/// of its own, or all are parts of one program.
struct SourceTraffic {
  private var directions: Set<Direction> = []
  private var requests: Set<String> = []
  private var answers: Set<String> = []

  /// - Parameter lines: The source's lines, as it wrote them or each in a JSON entry.
  init(_ lines: [ArraySlice<UInt8>]) {
    let text = lines.flatMap { line in
      JSONEntry.lines(line)?.filter { !$0.isUnparsed }.map(\.text) ?? [line]
    }.text
    var reader = CaptureReader(format: CaptureFormat.detectUnwrapped(text) ?? .pasted)
    try? reader.read(text) { note($0) }
    try? reader.finish { note($0) }
  }

  private mutating func note(_ output: CaptureOutput) {
    guard case .record(let record) = output,
      case .element(let direction, let node, _) = record.content
    else { return }
    directions.insert(direction)
    guard node.name.local == "iq", let id = node.attribute("id") else { return }
    switch node.attribute("type") {
    case "get", "set": requests.insert(id)
    case "result", "error": answers.insert(id)
    case nil, .some: return
    }
  }

  /// Whether more than one source logged both directions, and none logged an answer to another's
  /// request.
  static func areSeparate(_ sources: [SourceTraffic]) -> Bool {
    let all = sources.reduce(into: Set<String>()) { $0.formUnion($1.requests) }
    return sources.count { $0.directions.count > 1 } > 1
      && sources.allSatisfy { $0.answers.intersection(all).isSubset(of: $0.requests) }
  }
}
