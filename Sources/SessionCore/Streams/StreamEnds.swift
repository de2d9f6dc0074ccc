package import XMPPStanza

/// The directions of a stream that have ended (RFC 6120 §4.4).
package struct StreamEnds: Hashable, Sendable {
  /// The end of the server's direction; anything that it sends later is ignored.
  package var server: StreamEnd?
  /// The end of our direction. Nothing more is sent, but what the server sends still counts.
  package var ours: StreamEnd?

  /// No direction has ended.
  package init() {}

  /// Whether a direction has ended.
  package var isAny: Bool { server != nil || ours != nil }

  /// The end of the direction in which stanzas are received or sent.
  package subscript(direction: Direction) -> StreamEnd? {
    get {
      switch direction {
      case .inbound: server
      case .outbound: ours
      }
    }
    set {
      switch direction {
      case .inbound: server = newValue
      case .outbound: ours = newValue
      }
    }
  }
}

/// The end of one direction of a stream.
package struct StreamEnd: Hashable, Sendable {
  /// The record of its closing tag, or of a stream error.
  package var record: UInt64
  /// Whether it was reported that a stanza was sent after it.
  package var reportedLateStanza: Bool

  package init(record: UInt64, reportedLateStanza: Bool = false) {
    (self.record, self.reportedLateStanza) = (record, reportedLateStanza)
  }
}
