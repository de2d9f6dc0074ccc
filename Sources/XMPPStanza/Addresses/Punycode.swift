/// Internationalized domain labels in their ASCII form (RFC 3492).
package enum Punycode {
  /// The U-label of an A-label (`xn--…`). Nil if the text is not an A-label or does not decode;
  /// then the label is kept as it is.
  package static func unicodeLabel(_ label: Substring) -> String? {
    guard label.hasPrefix("xn--"), let scalars = decode(label.dropFirst(4)) else { return nil }
    var text = String.UnicodeScalarView()
    text.append(contentsOf: scalars)
    return scalars.isEmpty ? nil : String(text)
  }

  /// The A-label of a U-label, as used in DNS; a label in ASCII is returned unchanged.
  package static func asciiLabel(_ label: Substring) -> String {
    label.utf8.allSatisfy { $0 < 0x80 }
      ? String(label) : "xn--" + encode(label.unicodeScalars.map { Int($0.value) })
  }

  // RFC 3492 §5.
  private static let base = 36
  private static let tMin = 1
  private static let tMax = 26
  private static let skew = 38
  private static let damp = 700
  private static let initialBias = 72
  private static let initialCode = 128

  /// Encodes by RFC 3492 §6.3.
  private static func encode(_ input: [Int]) -> String {
    let basic = input.filter { $0 < initialCode }
    var output = basic.map { UInt8($0) }
    if !basic.isEmpty { output.append(UInt8(ascii: "-")) }
    var (code, delta, bias, done) = (initialCode, 0, initialBias, basic.count)
    while let next = input.filter({ $0 >= code }).min() {
      delta += (next - code) * (done + 1)
      code = next
      for value in input {
        if value < code { delta += 1 }
        guard value == code else { continue }
        encodeDelta(delta, bias: bias, to: &output)
        bias = adapt(delta, count: done + 1, isFirst: done == basic.count)
        delta = 0
        done += 1
      }
      delta += 1
      code += 1
    }
    return String(decoding: output, as: UTF8.self)
  }

  private static func encodeDelta(_ delta: Int, bias: Int, to output: inout [UInt8]) {
    var rest = delta
    var k = base
    while true {
      let threshold = min(max(k - bias, tMin), tMax)
      guard rest >= threshold else { break }
      output.append(digit(threshold + (rest - threshold) % (base - threshold)))
      rest = (rest - threshold) / (base - threshold)
      k += base
    }
    output.append(digit(rest))
  }

  private static func digit(_ value: Int) -> UInt8 {
    value < 26 ? UInt8(ascii: "a") + UInt8(value) : UInt8(ascii: "0") + UInt8(value - 26)
  }

  /// Decodes by RFC 3492 §6.2; nil if a digit is missing, invalid or too large.
  private static func decode(_ text: Substring) -> [Unicode.Scalar]? {
    guard text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
    let delimiter = text.lastIndex(of: "-")
    var output = delimiter.map { Array(text[..<$0].unicodeScalars) } ?? []
    var digits = text[(delimiter.map { text.index(after: $0) } ?? text.startIndex)...].utf8
    var code = initialCode
    var index = 0
    var bias = initialBias
    while !digits.isEmpty {
      let oldIndex = index
      guard let delta = decodeDelta(&digits, bias: bias),
        !index.addingReportingOverflow(delta).overflow
      else { return nil }
      index += delta
      let count = output.count + 1
      bias = adapt(index - oldIndex, count: count, isFirst: oldIndex == 0)
      let (next, overflow) = code.addingReportingOverflow(index / count)
      guard !overflow, let value = UInt32(exactly: next), let scalar = Unicode.Scalar(value)
      else { return nil }
      code = next
      index %= count
      output.insert(scalar, at: index)
      index += 1
    }
    return output
  }

  private static func decodeDelta(_ digits: inout Substring.UTF8View, bias: Int) -> Int? {
    var delta = 0
    var weight = 1
    var k = base
    while let byte = digits.popFirst() {
      guard let digit = digitValue(byte) else { return nil }
      let (product, tooLarge) = digit.multipliedReportingOverflow(by: weight)
      let (sum, overflow) = delta.addingReportingOverflow(product)
      guard !tooLarge, !overflow else { return nil }
      delta = sum
      let threshold = min(max(k - bias, tMin), tMax)
      if digit < threshold { return delta }
      let (next, heavy) = weight.multipliedReportingOverflow(by: base - threshold)
      guard !heavy else { return nil }
      weight = next
      k += base
    }
    return nil
  }

  private static func digitValue(_ byte: UInt8) -> Int? {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"): Int(byte - UInt8(ascii: "a"))
    case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(byte - UInt8(ascii: "0")) + 26
    default: nil
    }
  }

  /// Adapts the bias by RFC 3492 §6.1.
  private static func adapt(_ delta: Int, count: Int, isFirst: Bool) -> Int {
    var delta = isFirst ? delta / damp : delta / 2
    delta += delta / count
    var k = 0
    while delta > (base - tMin) * tMax / 2 {
      delta /= base - tMin
      k += base
    }
    return k + (base - tMin + 1) * delta / (delta + skew)
  }
}
