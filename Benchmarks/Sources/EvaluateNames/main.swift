import ContactSections
import Foundation

// The program of tools/evaluate-names.

/// What a name got of what it should.
enum Part: String, CaseIterable {
  case letter, syllables, reading
}

struct Tally {
  var right: [Part: Int] = [:]
  var all: [Part: Int] = [:]

  mutating func count(_ part: Part, isRight: Bool) {
    all[part, default: 0] += 1
    if isRight { right[part, default: 0] += 1 }
  }

  func percent(_ part: Part) -> String {
    guard let all = all[part] else { return String(repeating: " ", count: 28) }
    let right = right[part, default: 0]
    let text = String(format: "%6.2f %%  %d of %d", 100 * Double(right) / Double(all), right, all)
    return text.padding(toLength: 28, withPad: " ", startingAt: 0)
  }
}

/// A syllable as it is written, `lǜ`, as its letters and its tone, 5 where it has no mark.
func parted(_ syllable: Substring) -> (letters: String, tone: Int) {
  let tones: [Unicode.Scalar: Int] = ["\u{304}": 1, "\u{301}": 2, "\u{30C}": 3, "\u{300}": 4]
  var tone = 5
  var letters = String.UnicodeScalarView()
  for scalar in syllable.lowercased().decomposedStringWithCanonicalMapping.unicodeScalars {
    if let mark = tones[scalar] { tone = mark } else { letters.append(scalar) }
  }
  return (String(letters).precomposedStringWithCanonicalMapping, tone)
}

/// Whether two readings have the same syllables, and the same tones. A neutral tone agrees with
/// any, for books differ over it; so does that of 一 and 不, which changes with what follows.
func compare(_ name: String, _ found: String, _ expected: Substring) -> (syllables: Bool, all: Bool)
{
  let found = found.split(separator: " ").map(parted)
  let expected = expected.split(separator: " ").map(parted)
  guard found.map(\.letters) == expected.map(\.letters) else { return (false, false) }
  let characters = Array(name.filter { !$0.isWhitespace })
  let agree = zip(found, expected).enumerated().allSatisfy { index, pair in
    let changes = characters.count == found.count && "一不".contains(characters[index])
    return pair.0.tone == pair.1.tone || pair.0.tone == 5 || pair.1.tone == 5 || changes
  }
  return (true, agree)
}

guard let data = FileManager.default.contents(atPath: CommandLine.arguments[1]) else {
  print("\(CommandLine.arguments[1]): cannot be read")
  exit(2)
}
let showsWrong = CommandLine.arguments.contains("--wrong")

// By bytes: a name may hold any character, a carriage return or a line separator among them.
let rows = data.split(separator: UInt8(ascii: "\n")).compactMap { line -> [String]? in
  let fields = line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
  guard fields.count >= 3 else { return nil }
  return fields.map { String(decoding: $0, as: UTF8.self) }
}
var tallies: [String: Tally] = [:]
for row in rows {
  let section = PinyinReader.section(of: row[0]).title
  let isUnder = section == row[1]
  tallies[row[2], default: Tally()].count(.letter, isRight: isUnder)
  if !isUnder, showsWrong { print("\(row[0])\t\(section), not \(row[1])\t\(row[2])") }
  guard row.count > 3 else { continue }
  let pinyin = PinyinReader.reading(of: row[0]).pinyin
  let results = row[3].split(separator: "/").map { compare(row[0], pinyin, $0) }
  let isRead = results.contains { $0.all }
  tallies[row[2], default: Tally()].count(.syllables, isRight: results.contains { $0.syllables })
  tallies[row[2], default: Tally()].count(.reading, isRight: isRead)
  if !isRead, showsWrong { print("\(row[0])\t\(pinyin), not \(row[3])\t\(row[2])") }
}
print(Part.allCases.map { $0.rawValue.padding(toLength: 28, withPad: " ", startingAt: 0) }.joined())
for (category, tally) in tallies.sorted(by: { $0.key < $1.key }) {
  print(Part.allCases.map(tally.percent).joined() + category)
}

let names = rows.map { $0[0] }
let rounds = max(1, 2_000_000 / max(1, names.count))
let clock = ContinuousClock()
var letters = 0
let time = clock.measure {
  for _ in 0..<rounds {
    for name in names where PinyinReader.section(of: name) != .other { letters += 1 }
  }
}
let perSecond = Double(rounds * names.count) / (time / .seconds(1))
print(String(format: "%.0f names a second (%d under a letter)", perSecond, letters / rounds))
