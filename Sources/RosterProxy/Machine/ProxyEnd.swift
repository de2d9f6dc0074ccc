package import XMPPStanza

/// How a proxied connection ended: who ended it, and why.
package struct ProxyEnd: Hashable, Sendable {
  /// What came first of all that ends a connection.
  package enum Cause: Hashable, Sendable {
    /// This side closed its stream.
    case closed(ProxySide)
    /// This side ended the stream with an error (RFC 6120 §4.9).
    case error(ProxySide, ErrorReport)
    /// This side's connection was closed although its stream was open.
    case dropped(ProxySide)
    case failed(ProxyFailure)
  }

  package var cause: Cause
  /// What the server's last refusal of a login says; nil if it refused none, or accepted one later.
  package var refusal: ErrorReport?

  package init(_ cause: Cause, afterRefusal refusal: ErrorReport? = nil) {
    (self.cause, self.refusal) = (cause, refusal)
  }

  /// The failure that ended the connection; nil if one of the two sides ended it.
  package var failure: ProxyFailure? {
    switch cause {
    case .failed(let failure): failure
    case .closed, .error, .dropped: nil
    }
  }

  /// Whether one side closed its stream, with or without an error, which the records show.
  package var isInOrder: Bool {
    switch cause {
    case .closed, .error: true
    case .dropped, .failed: false
    }
  }
}

extension ProxyEnd: CustomStringConvertible {
  /// A sentence for a person, without a period. The texts of errors are quoted in it as they are.
  package var description: String {
    let end =
      switch cause {
      case .closed(let side): "the \(side) closed the stream"
      case .error(let side, let report): "the \(side) closed the stream (\(report.clause))"
      case .dropped(.client): "the client closed the connection"
      case .dropped(.server): "the connection to the server was lost"
      case .failed(let failure): failure.description
      }
    return refusal.map { "the server refused the login (\($0.clause)), and then \(end)" } ?? end
  }
}
