import Foundation
import TestSupport
import Testing

/// Bytes of a small log are changed, one at a time: the change is found, or nothing that is kept
/// is another (`Flips` in the probe has the rule). With `ROLLCALL_ALL_FLIPS` set it is every byte,
/// which takes minutes; otherwise all that lead LMDB through the file, and some of the others.
@Suite("Flipped bits") struct FlipTests {
  let folder: TemporaryFolder
  let path: String
  private let size: Int

  init() throws {
    folder = try TemporaryFolder()
    path = folder.file("a.rollcall")
    #expect(try ProbeProcess.run(["small-log", path]).status == 0)
    size = try #require(
      FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
  }

  /// What came of some flips.
  private struct Tally {
    var found = 0
    var same = 0
    /// LMDB ended the process: found as well, by the one who waits for it.
    var crashed = 0
    var missed: [Int] = []
    var complaints: [String] = []
  }

  /// Runs flips in processes of their own, going on after a flip that ends one.
  private func flip(by step: Int) throws -> Tally {
    var tally = Tally()
    var next = 0
    while next < size {
      // A process that was ended leaves its flip in the file.
      let copy = folder.file("\(next).rollcall")
      try FileManager.default.copyItem(atPath: path, toPath: copy)
      let outcome = try ProbeProcess.run(["flip", copy, "\(next)", "\(size)", "\(step)"])
      try FileManager.default.removeItem(atPath: copy)
      var last = next
      for line in outcome.lines {
        switch line {
        case "found": tally.found += 1
        case "same": tally.same += 1
        case "missed": tally.missed.append(last)
        default:
          guard line.hasPrefix("at "), let offset = Int(line.dropFirst(3)) else {
            tally.complaints.append(line)
            continue
          }
          last = offset
        }
      }
      guard outcome.status != 0 else { break }
      tally.crashed += 1
      next = last + 1
    }
    return tally
  }

  @Test("No flipped bit that changes what is kept goes unfound")
  func flips() throws {
    // A prime, so that every kind of place is met.
    let step = ProcessInfo.processInfo.environment["ROLLCALL_ALL_FLIPS"] == nil ? 41 : 1
    let tally = try flip(by: step)
    #expect(tally.missed.isEmpty)
    #expect(tally.complaints.isEmpty)
    // Damage that would end the process is found before LMDB sees it.
    #expect(tally.crashed == 0)
    let offsets = (0..<size).filter { $0 % step == 0 || $0 % 4096 < 152 }
    #expect(tally.found + tally.same == offsets.count)
    #expect(tally.found > 500)
  }
}
