import XMPPStanza

/// The numbers that editors and web pages show before the lines of a text.
enum LineNumbers {
  /// How many lines tell that they are numbered.
  private static let sufficient = 3

  /// Whether each line that is not empty has the number that follows the one before it.
  static func areBefore(_ lines: [ArraySlice<UInt8>]) -> Bool {
    let filled = lines.filter { !$0.allSatisfy(\.isXMLSpace) }
    guard filled.count >= sufficient else { return false }
    var last: Int?
    for line in filled {
      guard let number = split(line)?.number, number == last.map({ $0 + 1 }) ?? number else {
        return false
      }
      last = number
    }
    return true
  }

  /// The line without its number.
  @Sendable static func removed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    split(line)?.text ?? line
  }

  private static func split(
    _ line: ArraySlice<UInt8>
  ) -> (number: Int, text: ArraySlice<UInt8>)? {
    var scanner = ByteScanner(line)
    scanner.skipWhiteSpace()
    guard let number = scanner.number() else { return nil }
    let mark = scanner.rest.first.map { ":.|)".utf8.contains($0) } ?? false
    if mark { _ = scanner.take(1) }
    guard let next = scanner.rest.first else { return (number, scanner.rest) }
    guard next.isXMLSpace else { return nil }
    return (number, scanner.rest.dropFirst())
  }
}
