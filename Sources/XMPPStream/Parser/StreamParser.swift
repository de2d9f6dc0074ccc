import RawBytes
package import XMPPStanza

/// Reads the top-level elements of an XMPP stream from its bytes, in chunks of any size.
///
/// A `PlainReader` reads complete elements without unusual features, which nearly all are. For the
/// others, one libxml2 context below the root of the stream reads element after element, because a
/// context per element would cost twice as much. The parser itself examines the bytes between
/// elements (`Boundary`). The same bytes give the same events in chunks of any size, and each
/// element's event comes with its last byte.
///
/// Not thread-safe. After an error, only `reset` makes it usable again.
package final class StreamParser {
  enum Phase {
    /// No element is open; the next byte to examine is at `position`.
    case between
    /// Inside the element whose `<` is at `position`.
    case inside
    case failed(StreamError)
  }

  package let root: StreamRoot
  let limits: StreamLimits

  // Swift checks each access to a class variable for conflicts at run time, and these are accessed
  // dozens of times per element. No conflict is possible: one thread uses a parser, and the
  // callbacks of libxml2 write nothing that is read while it is fed.
  @exclusivity(unchecked) var phase = Phase.between
  @exclusivity(unchecked) var context: PushContext?
  /// Has an address of its own, because C calls back with it many times per element and each access
  /// to a class variable is checked for conflicts. No conflict is possible, because nothing else
  /// uses it while libxml2 is fed.
  let builder: UnsafeMutablePointer<ElementBuilder>
  @exclusivity(unchecked) private var plainReader: PlainReader
  /// Measures the bytes fed to the context.
  @exclusivity(unchecked) private var tagMeter: TagMeter
  /// The stream offset up to which the meter has counted.
  @exclusivity(unchecked) private var meteredEnd = 0
  /// The open root; nil if a stream header must come first.
  @exclusivity(unchecked) var rootTag: RootTag? {
    didSet { isRootPlain = rootTag?.foreign.isEmpty == true }
  }
  /// Whether the open root declares only what the standard root declares.
  @exclusivity(unchecked) private(set) var isRootPlain = false
  /// Whether a new context is being fed the root's own tag.
  var isOpeningRoot = false
  /// Whether an XML declaration was read, which only a stream header may follow.
  var expectsHeader = false
  /// The bytes from `bufferStart` on that are still needed.
  @exclusivity(unchecked) var buffer: [UInt8] = []
  @exclusivity(unchecked) var bufferStart = 0
  @exclusivity(unchecked) var position = 0
  /// The foreign declarations on which the open element may rely.
  @exclusivity(unchecked) var missing: [RootTag.Declaration] = []
  @exclusivity(unchecked) var events: [StreamEvent] = []

  /// The maximum number of bytes per feed: libxml2 gives up if it has to look ahead more than 10
  /// MB.
  private static let pieceBytes = 64 << 10

  /// A parser at the beginning of a stream.
  package init(root: StreamRoot, limits: StreamLimits) {
    self.root = root
    self.limits = limits
    tagMeter = TagMeter(attributeLimit: limits.attributesPerElement)
    builder = .allocate(capacity: 1)
    builder.initialize(to: ElementBuilder(limits: limits))
    plainReader = PlainReader(limits: limits)
    rootTag = root.bareRoot
    isRootPlain = root.bareRoot != nil
  }

  deinit {
    context?.free()
    builder.deinitialize(count: 1)
    builder.deallocate()
  }

  /// Whether no element is open, and only white space is buffered.
  package var isBetweenElements: Bool {
    switch phase {
    case .between: position == bufferStart + buffer.count
    case .inside, .failed: false
    }
  }

  /// The bytes of an incomplete or refused element, as far as they were read.
  package var unread: ArraySlice<UInt8> { buffer[max(0, position - bufferStart)...] }

  /// Parses more bytes and passes the events that they complete to `sink`, in order.
  ///
  /// Complexity: linear in the bytes, for chunks of any size.
  /// - Throws: `StreamError` after the events before it, or the error that `sink` throws, in which
  ///   case events may be lost.
  package func feed(
    _ bytes: RawSpan, _ sink: (StreamEvent) throws -> Void
  ) throws {
    var rest = bytes
    while !rest.isEmpty {
      buffer.append(bytes: rest.extracting(first: Self.pieceBytes))
      rest = rest.extracting(droppingFirst: Self.pieceBytes)
      try pump(sink)
    }
  }

  /// Parses more bytes and passes the events that they complete to `sink`, in order.
  package func feed(_ bytes: [UInt8], _ sink: (StreamEvent) throws -> Void) throws {
    try feed(bytes.span.bytes, sink)
  }

  /// Parses more bytes and passes the events that they complete to `sink`, in order.
  package func feed(_ bytes: ArraySlice<UInt8>, _ sink: (StreamEvent) throws -> Void) throws {
    try feed(bytes.span.bytes, sink)
  }

  /// Ends the stream: no more bytes follow.
  ///
  /// - Throws: `StreamError` of the kind `truncated` if the bytes end inside an element, or the
  ///   error of an earlier call. A missing end tag of the stream is not an error.
  package func finish() throws(StreamError) {
    if case .failed(let error) = phase { throw error }
    guard isBetweenElements else { throw StreamError(.truncated, offset: position) }
  }

  /// Discards all state, as for a new stream; offsets begin at 0 again.
  package func reset() {
    dropContext()
    phase = .between
    rootTag = root.bareRoot
    expectsHeader = false
    buffer.removeAll(keepingCapacity: true)
    bufferStart = 0
    position = 0
    events.removeAll()
  }

  /// Discards the refused element and all unread bytes; the stream that contains it stays open.
  /// Offsets begin at 0 again.
  package func forgetElement() {
    let openRoot = rootTag
    reset()
    rootTag = openRoot
  }

  // MARK: From the bytes to the elements

  private func pump(_ sink: (StreamEvent) throws -> Void) throws {
    var needsMoreBytes = false
    while !needsMoreBytes {
      step(needsMoreBytes: &needsMoreBytes)
      try deliver(sink)
      if case .failed(let error) = phase { throw error }
    }
    let done = min(position - bufferStart, buffer.count)
    guard done > 0 else { return }
    bufferStart += done
    if done == buffer.count {
      // Frees the memory of a long element.
      if buffer.capacity > Self.pieceBytes { buffer = [] }
      buffer.removeAll(keepingCapacity: true)
    } else {
      buffer.removeFirst(done)
    }
  }

  private func deliver(_ sink: (StreamEvent) throws -> Void) throws {
    guard events.count > 1 else {
      // Nearly always. Removing the event avoids a copy.
      if let event = events.popLast() { try sink(event) }
      return
    }
    let ready = events
    events.removeAll(keepingCapacity: true)
    for event in ready { try sink(event) }
  }

  /// Advances until a context must be replaced or more bytes are needed.
  private func step(needsMoreBytes: inout Bool) {
    switch phase {
    case .failed: return
    case .inside: break
    case .between:
      switch lookAhead() {
      case .undecided(let index):
        skip(to: index)
        needsMoreBytes = true
        return
      case .refused(let kind, let index):
        position = bufferStart + index
        return fail(kind)
      case .declaration(let end):
        position = bufferStart + end
        expectsHeader = true
        if root != .records { rootTag = nil }
        return dropContext()
      case .tag(let index):
        skip(to: index)
        if readPlain() { return }
        phase = .inside
      }
    }
    guard openContext() else { return fail(.noMemory) }
    feedContext()
    if context?.isStopped == true { return dropContext() }
    needsMoreBytes = true
  }

  /// The number of zeros that must follow the bytes given to `takeElement`.
  package static let padding = PaddedBytes.padding

  /// Reads a plain element that arrives complete and alone, and passes it to `body` without a copy.
  ///
  /// - Parameters:
  ///   - bytes: The element, followed by `padding` zeros.
  ///   - body: Called with the element, whose `treeBytes` are its bytes. It is borrowed and valid
  ///     during the call. `body` must not use the parser.
  /// - Returns: Whether an element was read. If not, nothing was consumed, and the caller must feed
  ///   the bytes.
  package func takeElement(
    padded bytes: RawSpan, _ body: (borrowing XMPPElement) throws -> Void
  ) rethrows -> Bool {
    guard isBetweenElements, buffer.isEmpty, isPlainPossible, let padded = PaddedBytes(bytes),
      plainReader.read(padded) == padded.count
    else { return false }
    skip(to: padded.count)
    bufferStart = position
    try body(plainReader.element(borrowing: padded.all))
    return true
  }

  /// Reads the element at `position`, if it is plain and complete.
  private func readPlain() -> Bool {
    guard isPlainPossible else { return false }
    let start = position - bufferStart
    buffer.append(contentsOf: repeatElement(0, count: PaddedBytes.padding))
    let count = readPlain(buffer.span.bytes.extracting(droppingFirst: start))
    buffer.removeLast(PaddedBytes.padding)
    guard let count else { return false }
    let element = plainReader.element(borrowing: buffer.span.bytes[start..<(start + count)]).owned
    events.append(.element(StreamElement(node: element, bytes: element.treeBytes)))
    skip(to: start + count)
    return true
  }

  /// The length of the element at the beginning of these bytes, which zeros must follow; nil if
  /// libxml2 must read it.
  private func readPlain(_ bytes: RawSpan) -> Int? {
    guard let padded = PaddedBytes(bytes) else { return nil }
    return plainReader.read(padded)
  }

  /// Whether an element at `position` may be read without the context: if the context was fed its
  /// `<`, it must get the rest too.
  private var isPlainPossible: Bool {
    isRootPlain && !expectsHeader && context.map { $0.fed <= position } ?? true
  }

  func lookAhead() -> Boundary {
    Boundary(buffer, from: position - bufferStart, isFirst: position == 0)
  }

  /// Skips white space between elements, which the context need not see.
  func skip(to index: Int) {
    position = bufferStart + index
    guard let context, context.fed < position else { return }
    self.context?.skip(to: position)
    resetMeter(at: position)
  }

  // MARK: The context

  private func openContext() -> Bool {
    guard context == nil else { return true }
    guard var opened = PushContext(calling: self, at: position) else { return false }
    if let rootTag {
      isOpeningRoot = true
      opened.open(rootTag)
    }
    context = opened
    resetMeter(at: position)
    return true
  }

  private func dropContext() {
    context?.free()
    context = nil
    isOpeningRoot = false
    builder.pointee.reset()
  }

  func stopContext() {
    context?.stop()
  }

  private func feedContext() {
    guard let context else { return }
    let start = context.fed - bufferStart
    let new = meteredEnd - bufferStart
    let end = PushContext.safeEnd(of: buffer)
    guard new < end else { return }
    let excess = tagMeter.excess(in: buffer.span.bytes[new..<end])
    meteredEnd = bufferStart + end
    // libxml2 would scan an incomplete tag again and again.
    let fedEnd = excess.map { new + $0 } ?? (end - tagMeter.openBytes)
    guard start < fedEnd || excess != nil else { return checkPendingBytes() }
    self.context?.countFed(upTo: bufferStart + fedEnd)
    context.feed(buffer.span.bytes[start..<fedEnd])
    if case .failed = phase { return }
    if self.context?.isStopped == true { return }
    if let failure = context.failure { return fail(failure) }
    if excess != nil { return fail(.limit(.attributesPerElement)) }
    checkPendingBytes()
  }

  private func resetMeter(at offset: Int) {
    tagMeter = TagMeter(attributeLimit: limits.attributesPerElement)
    meteredEnd = offset
  }

  /// Refuses an element that is too long before it is complete.
  private func checkPendingBytes() {
    guard case .inside = phase else { return }
    if bufferStart + buffer.count - position > limits.bytesPerElement {
      fail(.limit(.bytesPerElement))
    }
  }

  func fail(_ kind: StreamError.Kind) {
    if case .failed = phase { return }
    phase = .failed(StreamError(kind, offset: position))
    stopContext()
  }
}
