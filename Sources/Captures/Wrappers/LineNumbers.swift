import XMPPStanza

/// The numbers that editors and web pages show before the lines of a text.
enum LineNumbers {
  /// The minimum number of numbered lines.
  private static let minimumLines = 3

  /// Whether each line that is not empty begins with the number after that of the line before.
  static func arePresent(in lines: [ArraySlice<UInt8>]) -> Bool {
    let filled = lines.filter { !$0.allSatisfy(\.isXMLSpace) }
    guard filled.count >= minimumLines else { return false }
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
