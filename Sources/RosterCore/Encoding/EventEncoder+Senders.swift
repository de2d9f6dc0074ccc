import RawBytes

// Events as they would be if another had sent their stanzas.
extension EventEncoder {
  /// Returns the event that a stanza would be if it came from our own server: it has no sender.
  ///
  /// - Parameters:
  ///   - event: The canonical bytes of an answer, or of a push of the roster or the block list.
  ///   - id: The id that an answer or a push of the roster gets; nil if it keeps its own.
  /// - Throws: `CodecError` if the bytes are no such event.
  static func fromServer(
    _ event: RawSpan, id: String? = nil
  ) throws(CodecError) -> [UInt8] {
    var input = CanonicalInput(event)
    var output = CanonicalOutput()
    guard let tag = EventTag(rawValue: try input.readTag()) else { throw input.invalid }
    switch tag {
    case .answerReceived, .pushReceived:
      let head = try StoredHead(from: &input)
      if let id {
        id.withUTF8Bytes { output.write(tag, id: $0, peer: nil) }
      } else {
        output.write(tag, id: head.id, peer: nil)
      }
    case .blocked, .unblocked:
      _ = try input.readOptionalAddress()
      output.write(tag, from: nil)
    default: throw input.invalid
    }
    output.write(encoded: try input.readBytes(input.rest))
    return output.bytes
  }
}
