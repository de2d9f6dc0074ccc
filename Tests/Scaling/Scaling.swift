import Foundation
import TestSupport

/// Measures the program on expensive captures, at one size and at four times that size: neither its
/// instructions nor its memory may grow by much more than four times.
@main
enum Scaling {
  static func main() throws {
    var arguments = Array(CommandLine.arguments.dropFirst())
    if arguments.first == "make", arguments.count == 4, let size = Int(arguments[2]) {
      let capture = HostileCapture.all.first { $0.name == arguments[1] }
      return try Data(capture?.bytes(size) ?? []).write(to: URL(filePath: arguments[3]))
    }
    if arguments == ["list"] { return HostileCapture.all.forEach { say($0.name) } }
    guard arguments.count >= 2 else {
      say("usage: Scaling PROGRAM FOLDER [NAME...], or Scaling list")
      exit(2)
    }
    guard !HostileCapture.logs.isEmpty else {
      say("Scaling: the logs of other programs are not beside the sources")
      exit(2)
    }
    let check = try Check(program: arguments.removeFirst(), folder: arguments.removeFirst())
    let chosen = HostileCapture.all.filter { capture in
      arguments.isEmpty || arguments.contains { capture.name.contains($0) }
    }
    var (count, failures) = (0, 0)
    for capture in chosen {
      for command in capture.commands {
        let growth = try check.growth(of: capture, command)
        count += 1
        if !growth.isGood { failures += 1 }
        say("\(growth.line)  \(capture.name): rollcall \(command)")
      }
      try check.removeFiles()
    }
    say("\(count) commands on \(chosen.count) captures, \(failures) grow too much")
    if count == 0 || failures > 0 { exit(1) }
  }

  private static func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }
}

/// The growth of the costs when the size grows fourfold.
struct Growth {
  /// The number of instructions at each size, not counting the start.
  let instructions: (small: Int, large: Int)
  /// The sizes of the captures, and the peak memory.
  let bytes: (small: Int, large: Int)
  let memory: (small: Int, large: Int)

  /// n log n grows by less than this; n squared grows by 16.
  private static let maximumRatio = 5.5
  /// Smaller differences are noise.
  private static let minimumInstructions = 4_000_000
  private static let minimumMemory = 24 << 20
  /// The maximum number of bytes of memory per byte of a capture.
  private static let memoryPerByte = 64

  private var ratio: Double { Double(instructions.large) / Double(max(instructions.small, 1)) }

  private var isSteep: Bool {
    ratio > Self.maximumRatio && instructions.large > 4 * Self.minimumInstructions
  }

  private var isLarge: Bool {
    memory.large - memory.small
      > Self.memoryPerByte * (bytes.large - bytes.small) + Self.minimumMemory
  }

  var isGood: Bool { !isSteep && !isLarge }

  var line: String {
    let times = String(format: "%5.1f times, %4d instructions a byte", ratio, perByte)
    let size = String(format: "%4d MB", memory.large >> 20)
    return (isSteep ? "STEEP " : isLarge ? "LARGE " : "      ") + times + ", " + size
  }

  private var perByte: Int { instructions.large / max(bytes.large, 1) }
}
