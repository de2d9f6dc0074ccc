import XMPPStanza

/// Reads a line from its beginning, part by part.
struct ByteScanner {
  private(set) var rest: ArraySlice<UInt8>

  init(_ text: ArraySlice<UInt8>) {
    rest = text
  }

  /// Skips `text` if it comes next; false if it does not.
  mutating func skip(_ text: String) -> Bool {
    guard rest.starts(with: text.utf8) else { return false }
    rest = rest.dropFirst(text.utf8.count)
    return true
  }

  /// Skips the spaces that come next.
  mutating func skipSpaces() {
    rest = rest.drop { $0 == UInt8(ascii: " ") }
  }

  /// Skips the white space that comes next.
  mutating func skipWhiteSpace() {
    rest = rest.drop(while: \.isXMLSpace)
  }

  /// Takes the longest run of matching bytes that comes next.
  mutating func take(while isTaken: (UInt8) -> Bool) -> ArraySlice<UInt8> {
    let taken = rest.prefix(while: isTaken)
    rest = rest.dropFirst(taken.count)
    return taken
  }

  /// Takes the next `count` bytes, or all that are left if there are fewer.
  mutating func take(_ count: Int) -> ArraySlice<UInt8> {
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }

  /// Takes a number of at most nine digits; nil if none comes next.
  mutating func number() -> Int? {
    let digits = rest.prefix(while: \.isDigit)
    guard (1...9).contains(digits.count) else { return nil }
    rest = rest.dropFirst(digits.count)
    return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
  }

  /// Takes the bytes before the next occurrence of a text, and skips the text; nil if it does not
  /// occur within `limit` bytes.
  mutating func take(upTo text: String, limit: Int = 256) -> ArraySlice<UInt8>? {
    guard let end = rest.prefix(limit).position(of: Array(text.utf8)) else { return nil }
    let taken = rest[..<end]
    rest = rest[(end + text.utf8.count)...]
    return taken
  }

  /// Takes numbers by a pattern, in which `0` matches a digit and any other character only itself.
  mutating func digits(_ pattern: String) -> [Int]? {
    guard rest.count >= pattern.utf8.count else { return nil }
    var numbers: [Int] = []
    var isInNumber = false
    for (byte, expected) in zip(rest, pattern.utf8) {
      if expected == UInt8(ascii: "0") {
        guard byte.isDigit else { return nil }
        let digit = Int(byte - UInt8(ascii: "0"))
        if isInNumber, let last = numbers.popLast() {
          numbers.append(last * 10 + digit)
        } else {
          numbers.append(digit)
        }
        isInNumber = true
      } else {
        guard byte == expected else { return nil }
        isInNumber = false
      }
    }
    rest = rest.dropFirst(pattern.utf8.count)
    return numbers
  }
}
