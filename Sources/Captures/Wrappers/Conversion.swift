#if canImport(Glibc)
  import Glibc
#endif

/// A conversion to UTF-8 by iconv, on systems whose C library has it.
final class Conversion {
  #if canImport(Glibc)
    private let handle: iconv_t
    /// The beginning of a character whose end has not been read yet.
    private var rest: [UInt8] = []

    init?(from name: String) {
      guard !name.isEmpty, let handle = iconv_open("UTF-8", name), Int(bitPattern: handle) != -1
      else { return nil }
      self.handle = handle
    }

    deinit { iconv_close(handle) }

    func convert(_ chunk: [UInt8]) -> [UInt8] {
      var input = rest + chunk
      var output: [UInt8] = []
      output.reserveCapacity(input.count * 2)
      var buffer = [UInt8](repeating: 0, count: 16 << 10)
      var start = 0
      while start < input.count {
        let step = convert(&input, from: start, into: &buffer)
        output += buffer[..<step.written]
        start += step.read
        switch step.error {
        case E2BIG, 0: continue
        case EINVAL:
          // The rest is the beginning of a character.
          rest = Array(input[start...])
          return output
        default:
          output += "\u{FFFD}".utf8
          start += 1
        }
      }
      rest = []
      return output
    }

    private func convert(
      _ input: inout [UInt8], from start: Int, into buffer: inout [UInt8]
    ) -> (read: Int, written: Int, error: Int32) {
      var (read, written, code) = (0, 0, Int32(0))
      input.withUnsafeMutableBytes { input in
        buffer.withUnsafeMutableBytes { buffer in
          guard let inputBase = input.baseAddress, let bufferBase = buffer.baseAddress else {
            return
          }
          var source: UnsafeMutablePointer<CChar>? =
            (inputBase + start).assumingMemoryBound(to: CChar.self)
          var target: UnsafeMutablePointer<CChar>? = bufferBase.assumingMemoryBound(to: CChar.self)
          var sourceCount = input.count - start
          var targetCount = buffer.count
          let (allSource, allTarget) = (sourceCount, targetCount)
          let result = iconv(handle, &source, &sourceCount, &target, &targetCount)
          code = result == -1 ? errno : 0
          (read, written) = (allSource - sourceCount, allTarget - targetCount)
        }
      }
      return (read, written, code)
    }
  #else
    init?(from name: String) { return nil }

    func convert(_ chunk: [UInt8]) -> [UInt8] { chunk }
  #endif
}
