import ConversationCore
import RawBytes

/// No bytes crash a reader of pictures and recordings, and what it says is possible.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzMedia(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: data, count: count))
  if let found = MediaDescription(of: bytes.span.bytes) {
    precondition((found.milliseconds ?? 0) >= 0, "a negative length")
    if let pixels = found.pixels {
      precondition(pixels.width > 0 && pixels.height > 0, "an impossible size")
    }
  }
  if let decoded = Base64.decode(bytes.span.bytes) {
    precondition(!decoded.isEmpty && decoded.count * 4 <= count * 3, "more bytes than digits")
  }
  return 0
}
