import CXMLPush
import XMPPStanza

// How the bytes get to libxml2.
extension StreamParser {
  func pump(_ sink: (StreamEvent) throws -> Void) throws {
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
      // Often it is the very memory of the last element's bytes, which was not copied for them.
      buffer = []
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
        if root == .wire { rootTag = nil }
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

  /// Takes an element that comes all at once and by itself, where it is a plain one.
  ///
  /// - Returns: The element; nil where these bytes are to be fed, of which none has been taken.
  package func takeElement(_ bytes: ArraySlice<UInt8>) -> StreamElement? {
    guard isBetweenElements, buffer.isEmpty, let found = readPlain(bytes),
      found.end == bytes.endIndex
    else { return nil }
    skip(to: bytes.count)
    bufferStart = position
    return found.element
  }

  /// Reads the element at `position` where it is a plain one and all of it is here.
  private func readPlain() -> Bool {
    guard let found = readPlain(buffer[(position - bufferStart)...]) else { return false }
    events.append(.element(found.element))
    skip(to: found.end)
    return true
  }

  /// The plain element that some bytes begin with, which stand at `position`, and the index behind
  /// it; nil where there is none, or it is for libxml2.
  private func readPlain(_ bytes: ArraySlice<UInt8>) -> (element: StreamElement, end: Int)? {
    // A context may have been given the `<`, and then it has to have the rest.
    guard isRootPlain, !expectsHeader, context.map({ $0.fed <= position }) ?? true,
      let (result, count) = bytes.withUnsafeBytes({
        plainReader.read($0, into: &builder.pointee)
      }), count <= limits.bytesPerElement
    else { return nil }
    let end = bytes.startIndex + count
    guard let element = try? element(result, Array(bytes[..<end])) else { return nil }
    return (element, end)
  }

  /// The element that was built of some bytes, with everything in it where it asks for that.
  func element(
    _ result: ElementBuilder.Result, _ bytes: [UInt8]
  ) throws(StreamError.Kind) -> StreamElement {
    let node = result.isPruned && result.asksForAll ? try whole(bytes) : result.node
    return StreamElement(node: node, bytes: bytes, asksForAll: result.asksForAll)
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

  func dropContext() {
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
