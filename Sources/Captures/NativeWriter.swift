package import XMPPStanza

/// Writes the lines of a native capture.
package enum NativeWriter {
  /// The line of an element, a stream header or an end tag.
  ///
  /// - Parameters:
  ///   - time: Milliseconds since 1970 UTC; nil leaves it out.
  ///   - xml: UTF-8, as it is recorded.
  package static func line(time: Int64?, _ direction: Direction, xml: [UInt8]) -> [UInt8] {
    var line = Array("{".utf8)
    append(time, to: &line)
    line += direction == .inbound ? #""dir":"in","xml":""#.utf8 : #""dir":"out","xml":""#.utf8
    appendEscaped(xml, to: &line)
    line += "\"}".utf8
    return line
  }

  /// The line of a header or of a word about the stream, which is an object of JSON already.
  package static func line(time: Int64?, object: [UInt8]) -> [UInt8] {
    var line = Array("{".utf8)
    append(time, to: &line)
    line += object.dropFirst()
    return line
  }

  private static func append(_ time: Int64?, to line: inout [UInt8]) {
    if let time { line += "\"t\":\(time),".utf8 }
  }

  /// RFC 8259 §7: quotation mark, reverse solidus and control characters must be escaped.
  private static func appendEscaped(_ text: [UInt8], to line: inout [UInt8]) {
    for byte in text {
      switch byte {
      case UInt8(ascii: "\""): line += "\\\"".utf8
      case UInt8(ascii: "\\"): line += "\\\\".utf8
      case 0x0A: line += "\\n".utf8
      case 0x0D: line += "\\r".utf8
      case 0x09: line += "\\t".utf8
      case 0..<0x20:
        let digits = String(byte, radix: 16)
        line += "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".utf8
      default: line.append(byte)
      }
    }
  }
}
