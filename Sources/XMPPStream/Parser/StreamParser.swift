import CXMLPush
import XMPPStanza

/// Reads the top-level elements of an XMPP stream out of its bytes, however they are cut.
///
/// Elements that are complete and have nothing unusual in them, nearly all, a `PlainReader` takes
/// apart. For the others one libxml2 context lives under the root of the stream and sees element
/// after element, for a context an element costs twice as much. What stands between elements the
/// parser looks at itself (`Boundary`). Every way to cut the same bytes gives the same events, and
/// an element's event comes with its last byte.
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

  // Each access to a variable of a class is checked for conflicts as it runs, and these are used
  // dozens of times an element. There are no conflicts to find: one thread uses a parser, and what
  // libxml2 calls back into writes nothing that is being read while it is fed.
  @exclusivity(unchecked) var phase = Phase.between
  @exclusivity(unchecked) var context: Context?
  /// At an address of its own, for C calls back with it many times an element: each access to a
  /// variable of a class is checked for conflicts. Here there are none: nothing else uses it while
  /// libxml2 is fed.
  let builder: UnsafeMutablePointer<ElementBuilder>
  @exclusivity(unchecked) var plainReader = PlainReader()
  /// Parses the elements again of which too much was left out.
  var thorough: StreamParser?
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
  /// Foreign declarations that the element in work may rely on.
  @exclusivity(unchecked) var missing: [RootTag.Declaration] = []
  @exclusivity(unchecked) var events: [StreamEvent] = []

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
    isRootPlain = root == .records
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
