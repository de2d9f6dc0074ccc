import CXMLPush
import XMPPStanza

/// A libxml2 context that lives under the root of a stream, and how its positions relate to those
/// of the stream.
///
/// It is made and freed by the one `StreamParser` that it calls back.
struct PushContext {
  private let parser: OpaquePointer
  /// The offset in the stream of the context's position 0.
  private var shift: Int
  /// The offset in the stream up to which bytes have been handed over.
  private(set) var fed: Int
  /// Whether it is to be thrown away because it was stopped at a boundary.
  private(set) var isStopped = false

  /// A context's dictionary of names only grows, and libxml2 limits it to 10 MB.
  static let maximumBytes = 4 << 20

  /// A context that calls `owner` back; nil where memory is short.
  init?(calling owner: StreamParser, at position: Int) {
    // The owner is there as long as its context, and what libxml2 hands over as long as the call.
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
          $0.builder.pointee.append(text: RawSpan(_unsafeStart: bytes, byteCount: Int(count)))
        }
      })
    let owner = Unmanaged.passUnretained(owner).toOpaque()
    guard let parser = withUnsafePointer(to: callbacks, { xml_push_create($0, owner) }) else {
      return nil
    }
    self.parser = parser
    shift = position
    fed = position
  }

  func free() {
    xml_push_free(parser)
  }

  // MARK: Bytes

  /// Parses the start tag that elements are to stand in; the first thing that is done with it.
  mutating func open(_ root: RootTag) {
    shift -= root.bytes.count
    feed(root.bytes.span.bytes)
  }

  /// Says that the bytes of the stream up to an offset go to `feed`. They are counted before,
  /// because libxml2 calls back while it is fed.
  mutating func countFed(upTo offset: Int) {
    fed = offset
  }

  /// Parses bytes, which were counted.
  func feed(_ bytes: RawSpan) {
    bytes.withUnsafeBytes { bytes in
      // It reads as many as there are, and keeps none of them.
      guard let start = bytes.baseAddress else { return }
      xml_push_feed(parser, start, Int32(bytes.count))
    }
  }

  /// Passes over bytes between elements, which it need not see.
  mutating func skip(to offset: Int) {
    guard fed < offset else { return }
    shift += offset - fed
    fed = offset
  }

  mutating func stop() {
    isStopped = true
    xml_push_stop(parser)
  }

  // MARK: What it has found

  /// The offset in the stream up to which it has parsed.
  var parsedEnd: Int { shift + Int(xml_push_position(parser)) }

  /// Whether it has parsed so many bytes that another is to take its place.
  func isSpent(at offset: Int) -> Bool { offset - shift >= Self.maximumBytes }

  /// Why it takes no more bytes; nil where it does.
  var failure: StreamError.Kind? {
    switch xml_push_why(parser) {
    case xml_push_sound: nil
    case xml_push_undeclared_prefix: .undeclaredPrefix
    case xml_push_not_utf8: .unsupportedEncoding
    case xml_push_comment: .restrictedXML(.comment)
    case xml_push_processing_instruction: .restrictedXML(.processingInstruction)
    case xml_push_document_type: .restrictedXML(.documentType)
    case xml_push_entity_reference: .restrictedXML(.entityReference)
    default:
      xml_push_code(parser) == Self.nameTooLong
        ? .limit(.bytesPerName) : .notWellFormed(code: xml_push_code(parser))
    }
  }

  /// libxml2's `XML_ERR_NAME_TOO_LONG`: a limit of its own, of 50,000 bytes, which no server has.
  private static let nameTooLong: Int32 = 110

  /// Up to where a buffer may be handed over.
  ///
  /// A character that is not complete stays back, and so do the last brackets: libxml2 finds
  /// `]]>`, which text may not have, only where it sees all three at once.
  static func safeEnd(of buffer: [UInt8]) -> Int {
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
}
