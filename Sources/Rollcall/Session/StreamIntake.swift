import XMPPStanza
package import XMPPStream

/// Converts one direction of a stream from chunks of bytes to its parts.
package struct StreamIntake {
  /// A part of a stream.
  package enum Part: Hashable, Sendable {
    case header(StreamElement)
    case element(StreamElement)
    case end
    /// Bytes that cannot be read, with the reason as a clause that quotes none of them.
    case unreadable([UInt8], reason: String)
    /// A complete element beyond a limit, which was skipped.
    case skipped(SkippedElement)
  }

  private let parser: StreamParser
  /// The element that is being skipped.
  private var skipper: ElementSkipper?
  /// The parser does not take more at once, so larger pieces would not help.
  private static let piece = 64 << 10

  package init(_ limits: SessionLimits) {
    parser = StreamParser(root: .session, limits: limits.stream)
  }

  /// Whether all bytes so far belong to parts that were returned; only white space may be left.
  package var isBetweenElements: Bool { skipper == nil && parser.isBetweenElements }

  /// Whether an element is being skipped and more of it has arrived than is kept.
  package var isSkippingUnkept: Bool { skipper.map { $0.count > $0.kept.count } ?? false }

  /// Resets the state for a new connection.
  package mutating func reset() {
    parser.reset()
    skipper = nil
  }

  /// Takes the next chunk of bytes.
  ///
  /// - Returns: The parts that it completes, in order. An element beyond a limit is skipped, and
  ///   parsing continues after it. Bytes that cannot be read extend to the end of the chunk;
  ///   parsing then starts afresh.
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
          // If the earlier bytes contained its end, the parser would have found it.
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

  /// Divides the unparsed bytes into those of earlier calls and those of this chunk, up to its end.
  /// The latter share the chunk's memory, because many elements beyond a limit can arrive at once,
  /// and each would copy everything that follows it.
  ///
  /// - Parameter end: How much of this chunk the parser has received.
  static func parted(
    _ unread: ArraySlice<UInt8>, readUpTo end: Int, of bytes: [UInt8]
  ) -> (kept: ArraySlice<UInt8>, left: ArraySlice<UInt8>) {
    let count = min(unread.count, end)
    return (unread.dropLast(count), bytes[(end - count)...])
  }

  /// Skips bytes of an element beyond a limit.
  ///
  /// - Returns: The bytes after it.
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

  /// Stops waiting for the end of an element that is being skipped, and returns it as unreadable
  /// bytes. Before login, nothing may be skipped.
  ///
  /// - Returns: Nil if no element is being skipped.
  package mutating func giveUp() -> Part? {
    skipper.take().map { .unreadable($0.kept, reason: $0.reason.description) }
  }

  /// Ends the stream, and returns the rest of an incomplete element.
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
    // Without the position, which counts the bytes of all elements since the last error.
    let reason = (error as? StreamError)?.kind.description ?? "\(error)"
    parser.reset()
    return .unreadable(Array(bytes), reason: reason)
  }
}

/// An element beyond a limit, as far as it is known.
package struct SkippedElement: Hashable, Sendable {
  /// Its first bytes.
  package let kept: [UInt8]
  /// Its length in bytes.
  package let count: Int
  /// Whether it is a stanza (RFC 6120 §8), which counts for stream management (XEP-0198 §4).
  package let isStanza: Bool
  /// The limit that it exceeds, as a clause that quotes nothing of it.
  package let reason: String

  fileprivate init(_ skipper: ElementSkipper) {
    (kept, count, isStanza) = (skipper.kept, skipper.count, skipper.isStanza)
    reason = skipper.reason.description
  }
}

extension ElementSkipper {
  /// Nil unless these bytes begin an element beyond a limit that is not a stream header.
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
