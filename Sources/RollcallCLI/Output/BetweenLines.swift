import Captures
import Rollcall
import RosterCore
import XMPPStanza

extension TwoEnds {
  /// The accounts, and how their clocks are aligned.
  var heading: [String] {
    let names = PairEnd.allCases.compactMap { account($0)?.text }
    return [
      Style.bold(names.joined(separator: " and ").visible), Style.dim(clockLine.visible), "",
    ]
  }

  private var clockLine: String {
    let clocks = comparison.clocks
    guard clocks.shared > 0 else {
      return "no stanza shows how the clocks differ, so they are taken as they are"
    }
    let owner = account(.second)?.text ?? "the second log"
    let stanzas = "\(clocks.shared) stanza\(clocks.shared == 1 ? "" : "s") in both logs"
    let error = clocks.uncertainty.map { ", give or take \(Self.duration($0))" } ?? ""
    guard clocks.offset != 0 else {
      let agreement =
        clocks.uncertainty == nil ? "nothing contradicts the clocks" : "the clocks agree"
      return "\(agreement) (\(stanzas)\(error))"
    }
    return "the clock of \(owner) is \(Self.duration(clocks.offset)) "
      + "\(clocks.offset > 0 ? "ahead" : "behind") (\(stanzas)\(error))"
  }

  private static func duration(_ milliseconds: Int64) -> String {
    let size = milliseconds.magnitude
    return size < 1000 ? "\(size) ms" : "\(size / 1000).\(String(size % 1000 / 100)) s"
  }

  /// The dialogue, a record of either end after the other.
  func lines(_ zone: Zone, isFull: Bool) -> [String] {
    var lines: [String] = []
    var presence = 0
    func sayPresence() {
      guard presence > 0 else { return }
      let records = "\(presence) record\(presence == 1 ? "" : "s") of presence"
      lines.append("  " + Style.dim("… \(records)"))
      presence = 0
    }
    for line in dialogue {
      guard isFull || !line.isPresenceAlone else {
        presence += 1
        continue
      }
      sayPresence()
      lines += self.lines(line, zone)
    }
    sayPresence()
    return lines
  }

  private func lines(_ line: Line, _ zone: Zone) -> [String] {
    let name = (account(line.end)?.text ?? line.end.rawValue).visible
    var head = "\(Style.bold(name)) \(line.entry.moment.heading(zone))"
    if let counterpart = line.counterpart, line.entry.moment.way == .inbound {
      let transit = line.transit.map { ", \(Self.duration($0)) later" } ?? ""
      head += Style.dim(" (sent at #\(counterpart) of the other\(transit))")
    }
    let changes = line.entry.changes.forPeople.map(\.line)
    return [head] + (changes + line.entry.findings.map(\.line)).map { "    " + $0 }
  }
}

extension TwoEnds.Answer {
  /// The question with its answer, one sentence per line.
  var lines: [String] {
    ["\(question.visible) \(Style.bold(word))"] + reasons.map { "  " + $0.visible }
      + repairs.map { "  " + Style.dim("→ " + $0.visible) }
  }
}
