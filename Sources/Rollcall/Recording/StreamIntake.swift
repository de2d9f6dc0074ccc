import XMPPStanza
package import XMPPStream

/// One direction of a stream, from bytes in pieces to its parts.
package struct StreamIntake {
  /// A part of a stream.
  package enum Part: Hashable, Sendable {
    case header(StreamElement)
    case element(StreamElement)
    case end
    /// Bytes that cannot be read, and why, in a clause that quotes nothing of them.
    case unreadable([UInt8], reason: String)
  }

  private let parser: StreamParser
  /// More at a time than the parser takes at once would be no use.
  private static let piece = 64 << 10

  package init(_ limits: SessionLimits) {
    parser = StreamParser(root: .session, limits: limits.stream)
  }

  /// Whether all that was taken is part of what it gave: nothing waits but white space.
  package var isBetweenElements: Bool { parser.isBetweenElements }

  /// Forgets everything, as for a new connection.
  package mutating func reset() { parser.reset() }

  /// Takes more bytes, cut anywhere.
  ///
  /// - Returns: The parts that they complete, in order. After bytes that cannot be read, which are
  ///   the rest of what was given, reading begins anew.
  package mutating func take(_ bytes: [UInt8]) -> [Part] {
    var parts: [Part] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      let piece = rest.prefix(Self.piece)
      rest = rest.dropFirst(Self.piece)
      do {
        try parser.feed(piece) { parts.append(Part($0)) }
      } catch {
        parts.append(refused(Array(parser.unread) + rest, error))
        rest = []
      }
    }
    return parts
  }

  /// The stream ends here: what is left of an element that did not come to its end.
  package mutating func finish() -> Part? {
    do {
      try parser.finish()
      parser.reset()
      return nil
    } catch {
      return refused(Array(parser.unread), error)
    }
  }

  private func refused(_ bytes: [UInt8], _ error: any Error) -> Part {
    // Without the place, which counts the bytes of all elements since the last error.
    let reason = (error as? StreamError)?.kind.description ?? "\(error)"
    parser.reset()
    return .unreadable(bytes, reason: reason)
  }
}

extension StreamIntake.Part {
  fileprivate init(_ event: StreamEvent) {
    switch event {
    case .header(let element): self = .header(element)
    case .element(let element): self = .element(element)
    case .end: self = .end
    }
  }
}
