import CShims
import RawBytes
import XMPPStanza

// Callbacks from libxml2, called while it is fed. They must not throw, because their caller is C.
extension StreamParser {
  func didStart(_ element: xml_push_start) {
    do throws(StreamError.Kind) {
      guard builder.pointee.isEmpty else { return try builder.pointee.start(element) }
      guard !isOpeningRoot else {
        isOpeningRoot = false
        return
      }
      guard rootTag != nil else { return try startRoot(element) }
      if Self.isStreamTag(element) { return try startNextStream(element) }
      guard !expectsHeader else { throw .badRoot }
      if let rootTag, !rootTag.foreign.isEmpty {
        let own = try element.declarations().map(\.prefix)
        missing = rootTag.foreign.filter { !own.contains($0.prefix) }
      }
      try builder.pointee.start(element)
    } catch {
      fail(error)
    }
  }

  func didEnd() {
    guard builder.pointee.isEmpty else {
      guard let node = builder.pointee.end(), let end = parsedEnd else { return }
      do throws(StreamError.Kind) {
        try finishElement(node, end: end)
      } catch {
        fail(error)
      }
      return
    }
    guard let end = parsedEnd else { return }
    position = end
    phase = .between
    events.append(.end)
    if root != .records { rootTag = root.bareRoot }
    stopContext()
  }

  /// The offset in the stream up to which libxml2 has parsed.
  private var parsedEnd: Int? { context?.parsedEnd }

  private func finishElement(
    _ node: XMPPElement, end: Int
  ) throws(StreamError.Kind) {
    let bytes = RootTag.insert(missing, into: try slice(to: end))
    events.append(.element(StreamElement(node: node, bytes: bytes)))
    if !missing.isEmpty { missing.removeAll() }
    position = end
    phase = .between
    guard let context, !context.isSpent(at: end) else { return stopContext() }
    enterNext()
  }

  /// Lets the context continue with what comes next, if that is its task.
  private func enterNext() {
    switch lookAhead() {
    case .tag(let index):
      position = bufferStart + index
      phase = .inside
    case .undecided(let index): skip(to: index)
    case .declaration, .refused: stopContext()
    }
  }

  /// Reads the header of a connection's first stream, which is the root of this context.
  private func startRoot(_ element: xml_push_start) throws(StreamError.Kind) {
    guard Self.isStreamTag(element) else { throw .badRoot }
    let node = try builder.pointee.node(element)
    guard let tag = try headerTag() else { return }
    finishHeader(node, tag)
    rootTag = RootTag(header: Array(tag.bytes), declarations: try element.declarations())
    guard !tag.isEmptyElement else { return }
    phase = .between
    enterNext()
  }

  /// Reads a header while a stream is open. In a connection it is the root of a new context. In a
  /// log it is independent, and the elements after it are in the standard root again.
  private func startNextStream(_ element: xml_push_start) throws(StreamError.Kind) {
    switch root {
    case .wire, .session:
      rootTag = nil
      phase = .between
    case .records:
      let node = try builder.pointee.node(element)
      guard let tag = try headerTag() else { return }
      finishHeader(node, tag)
      if tag.isEmptyElement { events.append(.end) }
      phase = .between
    }
    stopContext()
  }

  private func finishHeader(
    _ node: XMPPElement, _ tag: (bytes: ArraySlice<UInt8>, isEmptyElement: Bool)
  ) {
    // An event of its own reports that the header also ends the stream.
    let bytes = tag.isEmptyElement ? tag.bytes.dropLast(2) + [UInt8(ascii: ">")] : tag.bytes
    events.append(.header(StreamElement(node: node, bytes: Array(bytes))))
    position += tag.bytes.count
    expectsHeader = false
  }

  /// The start tag that is being parsed, from `position` to its `>`; nil if it does not end there,
  /// which libxml2 will report.
  private func headerTag() throws(StreamError.Kind)
    -> (bytes: ArraySlice<UInt8>, isEmptyElement: Bool)?
  {
    guard let end = parsedEnd else { return nil }
    guard end >= bufferStart, end - bufferStart < buffer.count else { return nil }
    switch buffer[end - bufferStart] {
    case UInt8(ascii: ">"): return (try slice(to: end + 1), false)
    case UInt8(ascii: "/"):
      guard end + 2 - bufferStart <= buffer.count else { return nil }
      return (try slice(to: end + 2), true)
    default: return nil
    }
  }

  /// The bytes from `position` to an offset of the stream, checked to be UTF-8, because libxml2
  /// accepts some invalid sequences.
  private func slice(to end: Int) throws(StreamError.Kind) -> ArraySlice<UInt8> {
    guard position <= end, end <= bufferStart + buffer.count else {
      throw .notWellFormed(code: 0)
    }
    guard end - position <= limits.bytesPerElement else { throw .limit(.bytesPerElement) }
    let bytes = buffer[(position - bufferStart)..<(end - bufferStart)]
    guard bytes.span.bytes.isUTF8 else { throw .unsupportedEncoding }
    return bytes
  }

  private static func isStreamTag(_ element: xml_push_start) -> Bool {
    // Hardly any other element begins like this, so no strings are created for their names.
    guard element.local.pointee == UInt8(ascii: "s"), let uri = element.uri else { return false }
    return String(interned: element.local) == "stream"
      && String(interned: uri) == Namespace.streams
  }
}
