import Foundation

// The program of tools/evaluate-names; it is compiled together with the sources it measures.

struct Tally {
  var right = 0
  var all = 0
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
  tallies[row[2], default: Tally()].all += 1
  if section == row[1] {
    tallies[row[2], default: Tally()].right += 1
  } else if showsWrong {
    print("\(row[0])\t\(section), not \(row[1])\t\(row[2])")
  }
}
func percent(_ tally: Tally) -> String {
  let part = 100 * Double(tally.right) / Double(tally.all)
  return String(format: "%6.2f %%  %d of %d", part, tally.right, tally.all)
}
for (category, tally) in tallies.sorted(by: { $0.key < $1.key }) {
  print("\(percent(tally))\t\(category)")
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
