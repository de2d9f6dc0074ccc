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
    /// A whole element beyond a limit, which was passed over.
    case skipped(SkippedElement)
  }

  private let parser: StreamParser
  /// What is being passed over.
  private var skipper: ElementSkipper?
  /// More at a time than the parser takes at once would be no use.
  private static let piece = 64 << 10

  package init(_ limits: SessionLimits) {
    parser = StreamParser(root: .session, limits: limits.stream)
  }

  /// Whether all that was taken is part of what it gave: nothing waits but white space.
  package var isBetweenElements: Bool { skipper == nil && parser.isBetweenElements }

  /// Whether an element is being passed over whose first bytes, which are all that is kept of it,
  /// have come.
  package var isSkippingUnkept: Bool { skipper.map { $0.count > $0.kept.count } ?? false }

  /// Forgets everything, as for a new connection.
  package mutating func reset() {
    parser.reset()
    skipper = nil
  }

  /// Takes more bytes, cut anywhere.
  ///
  /// - Returns: The parts that they complete, in order. An element beyond a limit is passed over,
  ///   and reading goes on after it. After bytes that cannot be read, which are the rest of what
  ///   was given, reading begins anew.
  package mutating func take(_ bytes: [UInt8]) -> [Part] {
    var parts: [Part] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      guard skipper == nil else {
        rest = skip(rest, &parts)
        continue
      }
      let piece = rest.prefix(Self.piece)
      rest = rest.dropFirst(Self.piece)
      do {
        try parser.feed(piece) { parts.append(Part($0)) }
      } catch {
        let unread = parser.unread
        let (kept, left) = Self.parted(unread, readUpTo: piece.endIndex, of: bytes)
        if var begun = ElementSkipper(of: unread, refusedBy: error) {
          // The parser would have seen its end in what came earlier.
          _ = begun.skip(kept)
          parser.forgetElement()
          skipper = begun
          rest = left
        } else {
          parts.append(refused(kept + left, error))
          rest = []
        }
      }
    }
    return parts
  }

  /// Parts what was not read: into what earlier calls gave, and what is still in these bytes, up to
  /// their end. The latter shares their memory: many elements beyond a limit can come at once, and
  /// for each of them all that follows would be copied.
  ///
  /// - Parameter end: Up to where the parser has these bytes.
  static func parted(
    _ unread: ArraySlice<UInt8>, readUpTo end: Int, of bytes: [UInt8]
  ) -> (kept: ArraySlice<UInt8>, left: ArraySlice<UInt8>) {
    let count = min(unread.count, end)
    return (unread.dropLast(count), bytes[(end - count)...])
  }

  /// Passes over bytes of an element beyond a limit.
  ///
  /// - Returns: What comes after it.
  private mutating func skip(
    _ bytes: ArraySlice<UInt8>, _ parts: inout [Part]
  ) -> ArraySlice<UInt8> {
    guard var skipped = skipper.take() else { return bytes }
    let rest = skipped.skip(bytes)
    if skipped.isDone {
      parts.append(.skipped(SkippedElement(skipped)))
    } else {
      skipper = skipped
    }
    return rest
  }

  /// Does not wait for the end of an element that is being passed over, as before a login, when
  /// nothing is passed over: what came of it cannot be read.
  ///
  /// - Returns: Nil if none is.
  package mutating func giveUp() -> Part? {
    skipper.take().map { .unreadable($0.kept, reason: $0.reason.description) }
  }

  /// The stream ends here: what is left of an element that did not come to its end.
  package mutating func finish() -> Part? {
    if let skipped = skipper.take() {
      return .unreadable(skipped.kept, reason: StreamError.Kind.truncated.description)
    }
    do {
      try parser.finish()
      parser.reset()
      return nil
    } catch {
      return refused(parser.unread, error)
    }
  }

  private func refused(_ bytes: ArraySlice<UInt8>, _ error: any Error) -> Part {
    // Without the place, which counts the bytes of all elements since the last error.
    let reason = (error as? StreamError)?.kind.description ?? "\(error)"
    parser.reset()
    return .unreadable(Array(bytes), reason: reason)
  }
}

/// An element beyond a limit, as far as anything is known of it.
package struct SkippedElement: Hashable, Sendable {
  /// Its first bytes.
  package let kept: [UInt8]
  /// How many bytes it has.
  package let count: Int
  /// Whether it is a stanza (RFC 6120 §8), which counts for stream management (XEP-0198 §4).
  package let isStanza: Bool
  /// Which limit it is beyond, in a clause that quotes nothing of it.
  package let reason: String

  fileprivate init(_ skipper: ElementSkipper) {
    (kept, count, isStanza) = (skipper.kept, skipper.count, skipper.isStanza)
    reason = skipper.reason.description
  }
}

extension ElementSkipper {
  /// Nil unless these bytes begin an element, other than a stream's header, that is beyond a limit.
  fileprivate init?(of bytes: ArraySlice<UInt8>, refusedBy error: any Error) {
    guard let error = error as? StreamError, case .limit = error.kind else { return nil }
    self.init(refusedFor: error.kind)
    var look = self
    _ = look.skip(bytes.prefix(64))
    guard !look.isHeader else { return nil }
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
