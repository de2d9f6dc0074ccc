import XMPPStanza

/// Takes a line apart from its beginning.
struct ByteScanner {
  private(set) var rest: ArraySlice<UInt8>

  init(_ text: ArraySlice<UInt8>) {
    rest = text
  }

  /// Passes over a text where it comes next.
  mutating func skip(_ text: String) -> Bool {
    guard rest.starts(with: text.utf8) else { return false }
    rest = rest.dropFirst(text.utf8.count)
    return true
  }

  /// Passes over the spaces that come next.
  mutating func skipSpaces() {
    rest = rest.drop { $0 == UInt8(ascii: " ") }
  }

  /// Passes over the white space that comes next.
  mutating func skipWhiteSpace() {
    rest = rest.drop(while: \.isXMLSpace)
  }

  /// Takes the bytes that come next as long as they are as asked.
  mutating func take(while isTaken: (UInt8) -> Bool) -> ArraySlice<UInt8> {
    let taken = rest.prefix(while: isTaken)
    rest = rest.dropFirst(taken.count)
    return taken
  }

  /// Takes this many bytes, or what there is.
  mutating func take(_ count: Int) -> ArraySlice<UInt8> {
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }

  /// Takes a number of at most nine digits; nil where none comes next.
  mutating func number() -> Int? {
    let digits = rest.prefix(while: \.isDigit)
    guard (1...9).contains(digits.count) else { return nil }
    rest = rest.dropFirst(digits.count)
    return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
  }

  /// Takes what stands before the next occurrence of a text, and that text; nil where it does not
  /// occur within `limit` bytes.
  mutating func take(upTo text: String, limit: Int = 256) -> ArraySlice<UInt8>? {
    guard let end = rest.prefix(limit).position(of: Array(text.utf8)) else { return nil }
    let taken = rest[..<end]
    rest = rest[(end + text.utf8.count)...]
    return taken
  }

  /// Takes digits that stand as a pattern says: `0` for a digit, all else for itself.
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
