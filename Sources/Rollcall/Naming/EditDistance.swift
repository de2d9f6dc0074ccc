/// The number of typing mistakes between two texts: the minimum number of insertions, deletions,
/// replacements and swaps of adjacent characters. Case is ignored.
package struct EditDistance {
  private let typed: [Unicode.Scalar]

  /// The number of characters at the beginning of a text that are compared.
  private static let comparedCharacters = 64

  /// - Parameter typed: The text that the user typed.
  package init(from typed: String) {
    self.typed = Self.scalars(typed)
  }

  /// The distance of a text from the typed one; nil if it is too far to have been meant.
  ///
  /// Complexity: O(n m), with at most 64 characters each.
  package func distance(to text: String) -> Int? {
    let wanted = Self.scalars(text)
    let maximum = max(1, typed.count / 3)
    guard abs(wanted.count - typed.count) <= maximum else { return nil }
    var beforeLast: [Int] = []
    var last = Array(0...wanted.count)
    for row in typed.indices {
      var line = [row + 1]
      for column in wanted.indices {
        let cost = typed[row] == wanted[column] ? 0 : 1
        var least = min(last[column] + cost, last[column + 1] + 1, line[column] + 1)
        if row > 0, column > 0, typed[row] == wanted[column - 1],
          typed[row - 1] == wanted[column]
        {
          least = min(least, beforeLast[column - 1] + 1)
        }
        line.append(least)
      }
      (beforeLast, last) = (last, line)
    }
    let distance = last[wanted.count]
    return distance <= maximum ? distance : nil
  }

  private static func scalars(_ text: String) -> [Unicode.Scalar] {
    Array(text.lowercased().unicodeScalars.prefix(comparedCharacters))
  }

  /// A clause that suggests the words that were probably meant, for the end of a sentence that
  /// rejects the typed one; empty if no word is near.
  package static func hint(for typed: String, among words: some Sequence<String>) -> String {
    let near = EditDistance(from: typed).nearest(of: words).map { "“\($0)”" }
    return near.isEmpty ? "" : "; did you mean \(near.joined(separator: " or "))?"
  }

  /// The words that begin with the typed text, or else those with the fewest mistakes, in the given
  /// order; empty if all are too far away.
  package func nearest(of words: some Sequence<String>) -> [String] {
    let completions = words.filter { typed.count > 1 && Self.scalars($0).starts(with: typed) }
    guard completions.isEmpty else { return completions }
    let near = words.compactMap { word in distance(to: word).map { (distance: $0, word: word) } }
    guard let least = near.map(\.distance).min(), least < typed.count else { return [] }
    return near.filter { $0.distance == least }.map(\.word)
  }
}
