/// The lines of a capture that hold the beginning of a stanza and are no part of any record.
package struct UnreadLines: Hashable, Sendable {
  /// How many there are.
  package private(set) var count = 0
  /// The number of the first of them, from 1; nil if there is none.
  package private(set) var first: Int?

  /// No lines.
  package init() {}

  /// Counts a line that was passed over, if it holds the beginning of a stanza.
  ///
  /// - Parameter marks: Texts that mark lines whose stanzas are no records of the log.
  mutating func note(_ line: ArraySlice<UInt8>, number: Int, except marks: [[UInt8]] = []) {
    var rest = line
    while let start = rest.position(of: UInt8(ascii: "<")) {
      rest = rest[start...]
      if PastedText.isStanza(rest), Self.isTag(rest) {
        guard !marks.contains(where: { line[..<start].position(of: $0) != nil }) else { return }
        return add(number)
      }
      rest = rest.dropFirst()
    }
  }

  /// Whether what begins here looks like a tag: programs also print `<iq from=None …>`.
  private static func isTag(_ text: ArraySlice<UInt8>) -> Bool {
    var rest = text.dropFirst().drop { $0.isLetter }.withoutLeadingSpace
    guard let next = rest.first, next.isLetter else { return true }
    rest = rest.prefix(64).drop { $0 != UInt8(ascii: "=") }.dropFirst().withoutLeadingSpace
    return rest.first.map { "'\"".utf8.contains($0) } ?? true
  }

  private mutating func add(_ number: Int) {
    count += 1
    first = min(first ?? number, number)
  }
}
