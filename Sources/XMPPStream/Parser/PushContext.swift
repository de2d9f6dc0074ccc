import CShims
import XMPPStanza

/// A libxml2 context below the root of a stream, which converts between its positions and those of
/// the stream.
///
/// Created and freed by the `StreamParser` that it calls back.
struct PushContext {
  private let parser: OpaquePointer
  /// The stream offset of the context's position 0.
  private var shift: Int
  /// The stream offset up to which the context has been fed.
  private(set) var fed: Int
  /// Whether it was stopped at a boundary and must be discarded.
  private(set) var isStopped = false

  /// The number of bytes after which a context is replaced: its dictionary of names only grows, and
  /// libxml2 limits it to 10 MB.
  static let maximumBytes = 4 << 20

  /// Creates a context that calls `owner` back; nil if there is not enough memory.
  init?(calling owner: StreamParser, at position: Int) {
    // The owner outlives its context, and the arguments are valid during a callback.
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

  /// Parses the start tag that will contain the elements. Call this first.
  mutating func open(_ root: RootTag) {
    shift -= root.bytes.count
    feed(root.bytes.span.bytes)
  }

  /// Records that the bytes up to a stream offset are about to be fed. This comes first, because
  /// libxml2 calls back while it is fed.
  mutating func countFed(upTo offset: Int) {
    fed = offset
  }

  /// Parses bytes that `countFed` has counted.
  func feed(_ bytes: RawSpan) {
    bytes.withUnsafeBytes { bytes in
      // libxml2 reads this many bytes and keeps none of them.
      guard let start = bytes.baseAddress else { return }
      xml_push_feed(parser, start, Int32(bytes.count))
    }
  }

  /// Skips bytes between elements, which the context need not see.
  mutating func skip(to offset: Int) {
    guard fed < offset else { return }
    shift += offset - fed
    fed = offset
  }

  mutating func stop() {
    isStopped = true
    xml_push_stop(parser)
  }

  // MARK: Results

  /// The stream offset up to which the context has parsed.
  var parsedEnd: Int { shift + Int(xml_push_position(parser)) }

  /// Whether the context has parsed enough bytes to be replaced.
  func isSpent(at offset: Int) -> Bool { offset - shift >= Self.maximumBytes }

  /// The error that stopped parsing, if any.
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

  /// libxml2's `XML_ERR_NAME_TOO_LONG`: its own limit of 50,000 bytes, which no server imposes.
  private static let nameTooLong: Int32 = 110

  /// The end of the bytes that can be fed.
  ///
  /// An incomplete character is held back, and so are trailing brackets: libxml2 detects `]]>`,
  /// which text must not contain, only if it sees all three characters at once.
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
