/// How many characters a person has mistyped between two texts: the least number of characters that
/// are inserted, deleted, replaced, or swapped with their neighbour, of texts in lower case.
package struct EditDistance {
  private let typed: [Unicode.Scalar]

  /// Of a long text only the beginning is compared.
  private static let limit = 64

  /// - Parameter typed: What was typed.
  package init(from typed: String) {
    self.typed = Self.scalars(typed)
  }

  /// How far a text is from what was typed; nil where it is so far that nobody meant it.
  ///
  /// Complexity: O(n m), of at most 64 characters each.
  package func distance(to text: String) -> Int? {
    let wanted = Self.scalars(text)
    let most = max(1, typed.count / 3)
    guard abs(wanted.count - typed.count) <= most else { return nil }
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
    return distance <= most ? distance : nil
  }

  private static func scalars(_ text: String) -> [Unicode.Scalar] {
    Array(text.lowercased().unicodeScalars.prefix(limit))
  }

  /// What to add to a sentence that says that none of these words was typed: those that were
  /// probably meant.
  package static func hint(for typed: String, among words: some Sequence<String>) -> String {
    let near = EditDistance(from: typed).nearest(of: words).map { "“\($0)”" }
    return near.isEmpty ? "" : "; did you mean \(near.joined(separator: " or "))?"
  }

  /// The words that begin as what was typed, or else those with the fewest mistakes, in the order
  /// in which they are given; none where all are too far away.
  package func nearest(of words: some Sequence<String>) -> [String] {
    let begun = words.filter { typed.count > 1 && Self.scalars($0).starts(with: typed) }
    guard begun.isEmpty else { return begun }
    let near = words.compactMap { word in distance(to: word).map { (distance: $0, word: word) } }
    guard let least = near.map(\.distance).min(), least < typed.count else { return [] }
    return near.filter { $0.distance == least }.map(\.word)
  }
}
