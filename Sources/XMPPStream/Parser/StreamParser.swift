import RawBytes
package import XMPPStanza

/// Reads the top-level elements of an XMPP stream out of its bytes, however they are cut.
///
/// Elements that are complete and have nothing unusual in them, nearly all, a `PlainReader` takes
/// apart. For the others one libxml2 context lives under the root of the stream and sees element
/// after element, because a context an element costs twice as much. What stands between elements
/// the parser looks at itself (`Boundary`). Every way to cut the same bytes gives the same events,
/// and an element's event comes with its last byte.
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

  package let root: StreamRoot
  let limits: StreamLimits

  // Each access to a variable of a class is checked for conflicts as it runs, and these are used
  // dozens of times an element. There are no conflicts to find: one thread uses a parser, and what
  // libxml2 calls back into writes nothing that is being read while it is fed.
  @exclusivity(unchecked) var phase = Phase.between
  @exclusivity(unchecked) var context: PushContext?
  /// At an address of its own, because C calls back with it many times an element and each access
  /// to a variable of a class is checked for conflicts. Here there are none: nothing else uses it
  /// while libxml2 is fed.
  let builder: UnsafeMutablePointer<ElementBuilder>
  @exclusivity(unchecked) private var plainReader: PlainReader
  /// Of what the context is fed.
  @exclusivity(unchecked) private var tagMeter: TagMeter
  /// Up to where the meter has looked.
  @exclusivity(unchecked) private var metered = 0
  /// The open root, nil where a stream header has to come.
  @exclusivity(unchecked) var rootTag: RootTag? {
    didSet { isRootPlain = rootTag?.foreign.isEmpty == true }
  }
  /// Whether there is an open root that declares nothing but what every record stands in.
  @exclusivity(unchecked) private(set) var isRootPlain = false
  /// Whether the root's own tag is being handed to a fresh context.
  var isOpeningRoot = false
  /// An XML declaration has come, which only a stream header may follow.
  var expectsHeader = false
  /// The bytes from `bufferStart` on that are still needed.
  @exclusivity(unchecked) var buffer: [UInt8] = []
  @exclusivity(unchecked) var bufferStart = 0
  @exclusivity(unchecked) var position = 0
  /// Foreign declarations that the open element may rely on.
  @exclusivity(unchecked) var missing: [RootTag.Declaration] = []
  @exclusivity(unchecked) var events: [StreamEvent] = []

  /// More at once and libxml2, which does not look further ahead than 10 MB, gives up.
  private static let pieceBytes = 64 << 10

  /// A parser at the beginning of a stream.
  package init(root: StreamRoot, limits: StreamLimits) {
    self.root = root
    self.limits = limits
    tagMeter = TagMeter(most: limits.attributesPerElement)
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

  /// Whether no element is open and no byte waits but white space.
  package var isBetweenElements: Bool {
    switch phase {
    case .between: position == bufferStart + buffer.count
    case .inside, .failed: false
    }
  }

  /// The bytes of what is not complete, or cannot be read, as far as they were looked at.
  package var unread: ArraySlice<UInt8> { buffer[max(0, position - bufferStart)...] }

  /// Takes more bytes and hands over the events that they complete, in order.
  ///
  /// Complexity: linear in the bytes, however they are cut.
  /// - Throws: `StreamError` after the events before it; what `sink` throws, and then events may
  ///   be lost.
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

  /// Takes more bytes; see the other method of this name.
  package func feed(_ bytes: [UInt8], _ sink: (StreamEvent) throws -> Void) throws {
    try feed(bytes.span.bytes, sink)
  }

  /// Takes more bytes; see the other method of this name.
  package func feed(_ bytes: ArraySlice<UInt8>, _ sink: (StreamEvent) throws -> Void) throws {
    try feed(bytes.span.bytes, sink)
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
    rootTag = root.bareRoot
    expectsHeader = false
    buffer.removeAll(keepingCapacity: true)
    bufferStart = 0
    position = 0
    events.removeAll()
  }

  /// Forgets the element that was refused, and all bytes that were not taken; the stream that it
  /// stands in stays open. Offsets begin at 0 again.
  package func forgetElement() {
    let openRoot = rootTag
    reset()
    rootTag = openRoot
  }

  // MARK: From the bytes to the elements

  private func pump(_ sink: (StreamEvent) throws -> Void) throws {
    var isWaiting = false
    while !isWaiting {
      step(isWaiting: &isWaiting)
      try handOver(sink)
      if case .failed(let error) = phase { throw error }
    }
    let done = min(position - bufferStart, buffer.count)
    guard done > 0 else { return }
    bufferStart += done
    if done == buffer.count {
      // The memory of a long element does not stay.
      if buffer.capacity > Self.pieceBytes { buffer = [] }
      buffer.removeAll(keepingCapacity: true)
    } else {
      buffer.removeFirst(done)
    }
  }

  private func handOver(_ sink: (StreamEvent) throws -> Void) throws {
    guard events.count > 1 else {
      // Nearly always; taken out it is not copied.
      if let event = events.popLast() { try sink(event) }
      return
    }
    let ready = events
    events.removeAll(keepingCapacity: true)
    for event in ready { try sink(event) }
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
    isWaiting = true
  }

  /// How many zeros have to stand after bytes that are given to `takeElement`.
  package static let padding = PaddedBytes.padding

  /// Takes an element that comes all at once and by itself, where it is a plain one, and hands it
  /// over where it stands.
  ///
  /// - Parameters:
  ///   - bytes: The element, and zeros as `padding` asks for.
  ///   - body: Given the element, whose `treeBytes` are its bytes. It is borrowed, and valid while
  ///     `body` runs, which gives the parser nothing.
  /// - Returns: Whether there was one; where not, the bytes are to be fed, and none of them has
  ///   been taken.
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

  /// Reads the element at `position` where it is a plain one and all of it is here.
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

  /// How many bytes the element has that these bytes begin with, after which zeros stand; nil where
  /// it is for libxml2.
  private func readPlain(_ bytes: RawSpan) -> Int? {
    guard let padded = PaddedBytes(bytes) else { return nil }
    return plainReader.read(padded)
  }

  /// Whether an element that begins at `position` may be read without a context, which has not been
  /// given its `<`, for else it has to have the rest.
  private var isPlainPossible: Bool {
    isRootPlain && !expectsHeader && context.map { $0.fed <= position } ?? true
  }

  func lookAhead() -> Boundary {
    Boundary(buffer, from: position - bufferStart, isFirst: position == 0)
  }

  /// Passes over white space between elements; the context need not see it.
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
    let new = metered - bufferStart
    let end = PushContext.safeEnd(of: buffer)
    guard new < end else { return }
    let excess = tagMeter.excess(in: buffer.span.bytes[new..<end])
    metered = bufferStart + end
    // libxml2 would look at a tag that is not whole again and again.
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
    tagMeter = TagMeter(most: limits.attributesPerElement)
    metered = offset
  }

  /// Stops an element that is too long while it is still coming.
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
