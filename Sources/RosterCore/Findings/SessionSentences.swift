import XMPPStanza

extension SessionFinding {
  func sentence(about words: Finding.Words) -> String {
    switch self {
    case .streamError(.inbound, let report):
      "The server ended \(words.streams) with an error: \(report.clause) (RFC 6120 §4.9.3)."
    case .streamError(.outbound, let report):
      "\(words.subject) ended \(words.ownStreams) with an error: \(report.clause)"
        + (report.isAboutInput ? "; the client could not read or accept what the server sent" : "")
        + " (RFC 6120 §4.9.3)."
    case .conflictLoop(let resource, let report):
      "The server ended \(words.sessions) of "
        + (resource.map { "the resource \($0)" } ?? "one resource")
        + " with an error (\(report.clause)): two programs log in with this resource and replace "
        + "each other, or one program logs in twice (RFC 6120 §4.9.3.3, §7.7.2.2)."
    }
  }
}

extension Finding.Words {
  /// The streams that ended.
  fileprivate var streams: String {
    guard let extent else { return "\(our) stream at \(cause)" }
    return "\(extent.count) of \(our) streams (#\(extent.first) to #\(extent.last))"
  }

  /// The same streams, in a sentence whose subject is their client.
  fileprivate var ownStreams: String {
    let owner = device == nil ? "our" : "its"
    guard let extent else { return "\(owner) stream at \(cause)" }
    return "\(extent.count) of \(owner) streams (#\(extent.first) to #\(extent.last))"
  }

  /// The sessions that ended.
  fileprivate var sessions: String {
    guard let extent else { return "a session" }
    return "\(extent.count) sessions (#\(extent.first) to #\(extent.last))"
  }
}

extension ErrorReport {
  /// Whether a stream error says that its sender cannot read or accept what it received
  /// (RFC 6120 §4.9.3).
  fileprivate var isAboutInput: Bool {
    switch condition {
    case "bad-format", "bad-namespace-prefix", "improper-addressing", "invalid-from",
      "invalid-namespace", "invalid-xml", "not-well-formed", "restricted-xml",
      "unsupported-encoding", "unsupported-feature", "unsupported-stanza-type",
      "unsupported-version":
      true
    default: false
    }
  }
}
