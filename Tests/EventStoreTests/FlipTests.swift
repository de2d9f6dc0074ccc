import Foundation
import TestSupport
import Testing

/// Flips bits of a small log, one byte at a time; each flip is found or harmless to the content.
///
/// `Flips` in the probe has the exact rule. With `ROLLCALL_ALL_FLIPS` set, every byte is flipped,
/// which takes minutes; otherwise, all bytes that lead LMDB through the file, and some others.
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

  /// The results of some flips.
  private struct Tally {
    var found = 0
    var same = 0
    /// The number of flips at which LMDB ended the process, which the test notices.
    var crashed = 0
    var missed: [Int] = []
    var complaints: [String] = []
  }

  /// Runs flips in separate processes, continuing after a flip that ends one.
  private func flip(by step: Int) throws -> Tally {
    var tally = Tally()
    var next = 0
    while next < size {
      // Use a copy, because a process that is ended leaves its flip in the file.
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

  @Test("Every flipped bit that changes the content is found")
  func flips() throws {
    // A prime, so that every kind of byte is flipped.
    let step = ProcessInfo.processInfo.environment["ROLLCALL_ALL_FLIPS"] == nil ? 41 : 1
    let tally = try flip(by: step)
    #expect(tally.missed.isEmpty)
    #expect(tally.complaints.isEmpty)
    // Damage that would end the process is found before LMDB reads it.
    #expect(tally.crashed == 0)
    let offsets = (0..<size).filter { $0 % step == 0 || $0 % 4096 < 152 }
    #expect(tally.found + tally.same == offsets.count)
    #expect(tally.found > 500)
  }
}
