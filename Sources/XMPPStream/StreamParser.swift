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
  enum Phase {
    /// No element is open; the next byte to look at is at `position`.
    case between
    /// In the element whose `<` is at `position`.
    case inside
    case failed(StreamError)
  }

  /// The context that parses, and how its positions relate to those of the stream.
  struct Context {
    let parser: OpaquePointer
    /// The offset in the stream of the context's position 0.
    var shift: Int
    /// The offset in the stream up to which bytes have been handed over.
    var fed: Int
    /// Whether the context is to be thrown away because it was stopped at a boundary.
    var isStopped = false
  }

  package let root: StreamRoot
  let limits: StreamLimits
  var phase = Phase.between
  var context: Context?
  /// At an address of its own, for C calls back with it many times an element: each access to a
  /// variable of a class is checked for conflicts. Here there are none: nothing else uses it while
  /// libxml2 is fed.
  let builder: UnsafeMutablePointer<ElementBuilder>
  /// Parses the elements again of which too much was left out.
  private var thorough: StreamParser?
  /// The open root, nil where a stream header has to come.
  var rootTag: RootTag?
  /// Whether the root's own tag is being handed to a fresh context.
  var isOpeningRoot = false
  /// An XML declaration has come, which only a stream header may follow.
  var expectsHeader = false
  /// The bytes from `bufferStart` on that are still needed.
  var buffer: [UInt8] = []
  var bufferStart = 0
  var position = 0
  /// Foreign declarations that the element in work may rely on.
  var missing: [RootTag.Declaration] = []
  var events: [StreamEvent] = []
  /// Empty, with room for the next events.
  private var spareEvents: [StreamEvent] = []

  /// More at once and libxml2, which does not look further ahead than 10 MB, gives up.
  static let pieceBytes = 64 << 10
  /// A context's dictionary of names only grows, and libxml2 limits it to 10 MB.
  static let contextBytes = 4 << 20

  /// A parser at the beginning of a stream.
  ///
  /// - Parameter interest: What is built of each element.
  package init(
    root: StreamRoot, limits: StreamLimits, interest: ElementInterest = .everything
  ) {
    self.root = root
    self.limits = limits
    builder = .allocate(capacity: 1)
    builder.initialize(to: ElementBuilder(limits: limits, interest: interest))
    rootTag = root == .records ? .standard : nil
  }

  deinit {
    if let context { xml_push_free(context.parser) }
    builder.deinitialize(count: 1)
    builder.deallocate()
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
        var ready = events
        events = spareEvents
        for event in ready { try sink(event) }
        ready.removeAll(keepingCapacity: true)
        spareEvents = ready
      }
      if case .failed(let error) = phase { throw error }
    }
    let done = min(position - bufferStart, buffer.count)
    guard done > 0 else { return }
    bufferStart += done
    if done == buffer.count {
      buffer.removeAll(keepingCapacity: true)
    } else {
      buffer.removeFirst(done)
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

  func lookAhead() -> Boundary {
    Boundary(buffer, from: position - bufferStart, isFirst: position == 0)
  }

  /// Passes over white space between elements; the context need not see it.
  func skip(to index: Int) {
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
          $0.builder.pointee.append(text: UnsafeBufferPointer(start: bytes, count: Int(count)))
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
    builder.pointee.reset()
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

  /// An element with everything in it, from its bytes, which stand by themselves.
  func whole(_ bytes: [UInt8]) throws(StreamError.Kind) -> XMLNode {
    let parser = thorough ?? StreamParser(root: .records, limits: limits)
    thorough = parser
    var node: XMLNode?
    do {
      try parser.feed(bytes) { event in
        if case .element(let element) = event { node = element.node }
      }
    } catch {
      parser.reset()
    }
    // It has been parsed before: it is well-formed.
    guard let node else { throw .notWellFormed(code: 0) }
    return node
  }

  func fail(_ kind: StreamError.Kind) {
    if case .failed = phase { return }
    phase = .failed(StreamError(kind, offset: position))
    stopContext()
  }

  func stopContext() {
    guard let parser = context?.parser else { return }
    context?.isStopped = true
    xml_push_stop(parser)
  }
}
