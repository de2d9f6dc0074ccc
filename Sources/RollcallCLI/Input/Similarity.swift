/// Which words somebody probably meant who wrote another.
enum Similarity {
  /// The words that begin as the one that was written, or else those with the fewest mistakes, in
  /// the order in which they are given; none where all are too far away.
  static func nearest(to written: String, among words: [String]) -> [String] {
    let written = written.lowercased()
    // Nobody mistypes a word of such length, and each letter costs time.
    guard written.count <= 64 else { return [] }
    let begun = words.filter { written.count > 1 && $0.lowercased().hasPrefix(written) }
    guard begun.isEmpty else { return begun }
    let limit = max(1, written.count / 3)
    let counts = words.map { mistakes(in: Array(written), for: Array($0.lowercased())) }
    guard let least = counts.min(), least <= limit, least < written.count else { return [] }
    return zip(words, counts).filter { $0.1 == least }.map(\.0)
  }

  /// How many letters were left out, put in, written for another, or changed places with the next.
  private static func mistakes(in written: [Character], for word: [Character]) -> Int {
    var before: [Int] = []
    var last = Array(0...word.count)
    for row in written.indices {
      var next = [row + 1]
      for column in word.indices {
        let isSame = written[row] == word[column]
        var cost = min(last[column] + (isSame ? 0 : 1), last[column + 1] + 1, next[column] + 1)
        if row > 0, column > 0, written[row] == word[column - 1], written[row - 1] == word[column] {
          cost = min(cost, before[column - 1] + 1)
        }
        next.append(cost)
      }
      (before, last) = (last, next)
    }
    return last[word.count]
  }
}
