import CXMLPush
import XMPPStanza

/// Reads the top-level elements of an XMPP stream out of its bytes, however they are cut.
///
/// One libxml2 context lives under the root of the stream and sees element after element, for a
/// context an element costs twice as much. What stands between elements the parser looks at
/// itself (`Boundary`). Every way to cut the same bytes gives the same events, and an element's
/// event comes with its last byte.
///
/// Not thread-safe. After an error only `reset` makes it usable again.
package final class StreamParser {
  private enum Phase {
    /// No element is open; the next byte to look at is at `position`.
    case between
    /// In the element whose `<` is at `position`.
    case inside
    case failed(StreamError)
  }

  /// The context that parses, and how its positions relate to those of the stream.
  private struct Context {
    let parser: OpaquePointer
    /// The offset in the stream of the context's position 0.
    var shift: Int
    /// The offset in the stream up to which bytes have been handed over.
    var fed: Int
    /// Whether the context is to be thrown away because it was stopped at a boundary.
    var isStopped = false
  }

  private let root: StreamRoot
  private let limits: StreamLimits
  private var phase = Phase.between
  private var context: Context?
  private var builder: ElementBuilder
  /// The open root, nil where a stream header has to come.
  private var rootTag: RootTag?
  /// Whether the root's own tag is being handed to a fresh context.
  private var isOpeningRoot = false
  /// An XML declaration has come, which only a stream header may follow.
  private var expectsHeader = false
  /// The bytes from `bufferStart` on that are still needed.
  private var buffer: [UInt8] = []
  private var bufferStart = 0
  private var position = 0
  /// Foreign declarations that the element in work may rely on.
  private var missing: [RootTag.Declaration] = []
  private var events: [StreamEvent] = []

  /// More at once and libxml2, which does not look further ahead than 10 MB, gives up.
  private static let pieceBytes = 64 << 10
  /// A context's dictionary of names only grows, and libxml2 limits it to 10 MB.
  private static let contextBytes = 4 << 20

  /// A parser at the beginning of a stream.
  package init(root: StreamRoot, limits: StreamLimits) {
    self.root = root
    self.limits = limits
    builder = ElementBuilder(limits: limits)
    rootTag = root == .records ? .standard : nil
  }

  deinit {
    if let context { xml_push_free(context.parser) }
  }

  /// Whether no element is open and no byte waits but white space.
  package var isBetweenElements: Bool {
    switch phase {
    case .between: position == bufferStart + buffer.count
    case .inside, .failed: false
    }
  }

  /// Takes more bytes and hands over the events that they complete, in order.
  ///
  /// Complexity: linear in the bytes, but for a tag that comes in very many pieces.
  /// - Throws: `StreamError` after the events before it; what `sink` throws, and then events may
  ///   be lost.
  package func feed(
    _ bytes: UnsafeRawBufferPointer, _ sink: (StreamEvent) throws -> Void
  ) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let piece = rest.prefix(Self.pieceBytes)
      rest = rest.dropFirst(Self.pieceBytes)
      buffer.append(contentsOf: UnsafeRawBufferPointer(rebasing: piece))
      try pump(sink)
    }
  }

  /// Takes more bytes; see the other method of this name.
  package func feed(_ bytes: [UInt8], _ sink: (StreamEvent) throws -> Void) throws {
    try bytes.withUnsafeBytes { try feed($0, sink) }
  }

  /// Takes more bytes; see the other method of this name.
  package func feed(_ bytes: ArraySlice<UInt8>, _ sink: (StreamEvent) throws -> Void) throws {
    try bytes.withUnsafeBytes { try feed($0, sink) }
  }

  /// Says that no more bytes come.
  ///
  /// - Throws: `StreamError` of the kind `truncated` where they stop inside an element, or the
  ///   error that an earlier call gave. A stream without an end tag is no error.
  package func finish() throws(StreamError) {
    if case .failed(let error) = phase { throw error }
    guard isBetweenElements else { throw StreamError(.truncated, offset: position) }
  }

  /// Forgets everything, as for a new stream; offsets begin at 0 again.
  package func reset() {
    dropContext()
    phase = .between
    rootTag = root == .records ? .standard : nil
    expectsHeader = false
    buffer.removeAll(keepingCapacity: true)
    bufferStart = 0
    position = 0
    events.removeAll()
  }
}

// MARK: - Feeding libxml2

extension StreamParser {
  private func pump(_ sink: (StreamEvent) throws -> Void) throws {
    var isWaiting = false
    while !isWaiting {
      step(isWaiting: &isWaiting)
      if !events.isEmpty {
        let ready = events
        events.removeAll(keepingCapacity: true)
        for event in ready { try sink(event) }
      }
      if case .failed(let error) = phase { throw error }
    }
    let done = min(position - bufferStart, buffer.count)
    if done > 0 {
      buffer.removeFirst(done)
      bufferStart += done
    }
  }

  /// Does what can be done until a context has to be replaced or more bytes have to come.
  private func step(isWaiting: inout Bool) {
    switch phase {
    case .failed: return
    case .inside: break
    case .between:
      switch lookAhead() {
      case .undecided(let index):
        skip(to: index)
        isWaiting = true
        return
      case .refused(let kind, let index):
        position = bufferStart + index
        return fail(kind)
      case .declaration(let end):
        position = bufferStart + end
        expectsHeader = true
        if root == .wire { rootTag = nil }
        return dropContext()
      case .tag(let index):
        skip(to: index)
        phase = .inside
      }
    }
    guard openContext() else { return fail(.noMemory) }
    feedContext()
    if context?.isStopped == true { return dropContext() }
    isWaiting = true
  }

  private func lookAhead() -> Boundary {
    Boundary(buffer, from: position - bufferStart, isFirst: position == 0)
  }

  /// Passes over white space between elements; the context need not see it.
  private func skip(to index: Int) {
    position = bufferStart + index
    guard let fed = context?.fed, fed < position else { return }
    context?.shift += position - fed
    context?.fed = position
  }

  private func openContext() -> Bool {
    guard context == nil else { return true }
    let callbacks = xml_push_callbacks(
      start: { owner, element in
        Unmanaged<StreamParser>.fromOpaque(owner)._withUnsafeGuaranteedRef {
          $0.didStart(element.pointee)
        }
      },
      end: { owner in
        Unmanaged<StreamParser>.fromOpaque(owner)._withUnsafeGuaranteedRef { $0.didEnd() }
      },
      text: { owner, bytes, count in
        Unmanaged<StreamParser>.fromOpaque(owner)._withUnsafeGuaranteedRef {
          $0.builder.append(text: UnsafeBufferPointer(start: bytes, count: Int(count)))
        }
      })
    let owner = Unmanaged.passUnretained(self).toOpaque()
    guard let parser = withUnsafePointer(to: callbacks, { xml_push_create($0, owner) }) else {
      return false
    }
    var opened = Context(parser: parser, shift: position, fed: position)
    if let rootTag {
      opened.shift -= rootTag.bytes.count
      isOpeningRoot = true
      rootTag.bytes.withUnsafeBytes { bytes in
        guard let start = bytes.baseAddress else { return }
        xml_push_feed(parser, start, Int32(bytes.count))
      }
    }
    context = opened
    return true
  }

  private func dropContext() {
    if let context { xml_push_free(context.parser) }
    context = nil
    isOpeningRoot = false
    builder.reset()
  }

  private func feedContext() {
    guard let context else { return }
    let start = context.fed - bufferStart
    let end = safeEnd
    guard start < end else { return }
    self.context?.fed = bufferStart + end
    buffer.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      xml_push_feed(context.parser, base + start, Int32(end - start))
    }
    if case .failed = phase { return }
    if self.context?.isStopped == true { return }
    switch xml_push_why(context.parser) {
    case xml_push_sound: checkPendingBytes()
    case xml_push_undeclared_prefix: fail(.undeclaredPrefix)
    case xml_push_not_utf8: fail(.unsupportedEncoding)
    case xml_push_comment: fail(.restrictedXML(.comment))
    case xml_push_processing_instruction: fail(.restrictedXML(.processingInstruction))
    case xml_push_document_type: fail(.restrictedXML(.documentType))
    case xml_push_entity_reference: fail(.restrictedXML(.entityReference))
    default: fail(.notWellFormed(code: xml_push_code(context.parser)))
    }
  }

  /// Stops an element that is too long while it is still coming.
  private func checkPendingBytes() {
    guard case .inside = phase else { return }
    if bufferStart + buffer.count - position > limits.bytesPerElement {
      fail(.limit(.bytesPerElement))
    }
  }

  /// Up to where the buffer may be handed over.
  ///
  /// A character that is not complete stays back, and so do the last brackets: libxml2 finds
  /// `]]>`, which text may not have, only where it sees all three at once.
  private var safeEnd: Int {
    var end = buffer.count
    let floor = max(0, end - 3)
    var lead = end - 1
    while lead >= floor, buffer[lead] & 0xC0 == 0x80 { lead -= 1 }
    if lead >= floor {
      let length =
        switch buffer[lead] {
        case 0xC2...0xDF: 2
        case 0xE0...0xEF: 3
        case 0xF0...0xF4: 4
        default: 1
        }
      if lead + length > end { end = lead }
    }
    var brackets = 0
    while brackets < 2, end > 0, buffer[end - 1] == UInt8(ascii: "]") {
      end -= 1
      brackets += 1
    }
    return end
  }

  private func fail(_ kind: StreamError.Kind) {
    if case .failed = phase { return }
    phase = .failed(StreamError(kind, offset: position))
    stopContext()
  }

  private func stopContext() {
    guard let parser = context?.parser else { return }
    context?.isStopped = true
    xml_push_stop(parser)
  }
}

// MARK: - Called by libxml2

extension StreamParser {
  private func didStart(_ element: xml_push_start) {
    if isOpeningRoot {
      isOpeningRoot = false
      return
    }
    do throws(StreamError.Kind) {
      guard rootTag != nil else { return try startRoot(element) }
      guard builder.isEmpty else { return try builder.start(element) }
      if Self.isStreamTag(element) { return try startNextStream(element) }
      guard !expectsHeader else { throw .badRoot }
      if let rootTag, !rootTag.foreign.isEmpty {
        let own = try element.declarations().map(\.prefix)
        missing = rootTag.foreign.filter { !own.contains($0.prefix) }
      }
      try builder.start(element)
    } catch {
      fail(error)
    }
  }

  private func didEnd() {
    guard let context else { return }
    let end = context.shift + Int(xml_push_position(context.parser))
    guard !builder.isEmpty else {
      position = end
      phase = .between
      events.append(.end)
      if root == .wire { rootTag = nil }
      return stopContext()
    }
    do throws(StreamError.Kind) {
      guard let node = try builder.end() else { return }
      try finishElement(node, end: end)
    } catch {
      fail(error)
    }
  }

  private func finishElement(_ node: XMLNode, end: Int) throws(StreamError.Kind) {
    let bytes = try slice(to: end)
    events.append(
      .element(StreamElement(node: node, bytes: RootTag.insert(missing, into: bytes))))
    missing.removeAll()
    position = end
    phase = .between
    guard let context, end - context.shift < Self.contextBytes else { return stopContext() }
    enterNext()
  }

  /// Lets the context go on, where what comes next is for it.
  private func enterNext() {
    switch lookAhead() {
    case .tag(let index):
      position = bufferStart + index
      phase = .inside
    case .undecided(let index): skip(to: index)
    case .declaration, .refused: stopContext()
    }
  }

  /// The header of a connection's first stream: the root of this context.
  private func startRoot(_ element: xml_push_start) throws(StreamError.Kind) {
    guard Self.isStreamTag(element) else { throw .badRoot }
    let node = try builder.node(element)
    guard let tag = try headerTag() else { return }
    finishHeader(node, tag)
    rootTag = RootTag(header: Array(tag.bytes), declarations: try element.declarations())
    guard !tag.isEmptyElement else { return }
    phase = .between
    enterNext()
  }

  /// A header where a stream is already open: in a connection it is the root of a new context; in
  /// a log it stands by itself, and the elements behind it stand in the standard root again.
  private func startNextStream(_ element: xml_push_start) throws(StreamError.Kind) {
    switch root {
    case .wire:
      rootTag = nil
      phase = .between
    case .records:
      let node = try builder.node(element)
      guard let tag = try headerTag() else { return }
      finishHeader(node, tag)
      if tag.isEmptyElement { events.append(.end) }
      phase = .between
    }
    stopContext()
  }

  private func finishHeader(
    _ node: XMLNode, _ tag: (bytes: ArraySlice<UInt8>, isEmptyElement: Bool)
  ) {
    events.append(.header(StreamElement(node: node, bytes: Array(tag.bytes))))
    position += tag.bytes.count
    expectsHeader = false
  }

  /// The start tag that is being parsed, from `position` to its `>`; nil where it does not end
  /// there, which libxml2 is about to say.
  private func headerTag() throws(StreamError.Kind)
    -> (bytes: ArraySlice<UInt8>, isEmptyElement: Bool)?
  {
    guard let context else { return nil }
    let end = context.shift + Int(xml_push_position(context.parser))
    guard end >= bufferStart, end - bufferStart < buffer.count else { return nil }
    switch buffer[end - bufferStart] {
    case UInt8(ascii: ">"): return (try slice(to: end + 1), false)
    case UInt8(ascii: "/"):
      guard end + 2 - bufferStart <= buffer.count else { return nil }
      return (try slice(to: end + 2), true)
    default: return nil
    }
  }

  /// The bytes from `position` to an offset of the stream.
  private func slice(to end: Int) throws(StreamError.Kind) -> ArraySlice<UInt8> {
    guard position <= end, end <= bufferStart + buffer.count else {
      throw .notWellFormed(code: 0)
    }
    guard end - position <= limits.bytesPerElement else { throw .limit(.bytesPerElement) }
    return buffer[(position - bufferStart)..<(end - bufferStart)]
  }

  private static func isStreamTag(_ element: xml_push_start) -> Bool {
    guard let uri = element.uri else { return false }
    return String(interned: element.local) == "stream"
      && String(interned: uri) == Namespace.streams
  }
}
