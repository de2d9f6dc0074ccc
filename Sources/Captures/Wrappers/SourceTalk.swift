import XMPPStanza

/// What one of several sources wrote of streams: it tells whether each has streams of its own, or
/// all are parts of one program.
struct SourceTalk {
  private var directions: Set<Direction> = []
  private var requests: Set<String> = []
  private var answers: Set<String> = []

  /// - Parameter lines: The source's lines, as it wrote them or each in an entry of JSON.
  init(_ lines: [ArraySlice<UInt8>]) {
    let text = lines.flatMap { line in
      JSONEntry.lines(line)?.filter { !$0.isRest }.map(\.text) ?? [line]
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

  /// Whether more than one wrote both directions, and none what another one asked for.
  static func areSeparate(_ talks: [SourceTalk]) -> Bool {
    let all = talks.reduce(into: Set<String>()) { $0.formUnion($1.requests) }
    return talks.count { $0.directions.count > 1 } > 1
      && talks.allSatisfy { $0.answers.intersection(all).isSubset(of: $0.requests) }
  }
}
