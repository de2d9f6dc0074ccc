import CaptureGenerator
import Foundation

// generate-capture STANZAS CONTACTS [SEED]: writes a native capture to standard output.
let numbers = CommandLine.arguments.dropFirst().compactMap { Int($0) }
guard (2...3).contains(numbers.count), numbers.count == CommandLine.arguments.count - 1,
  numbers.allSatisfy({ $0 > 0 })
else {
  FileHandle.standardError.write(Data("usage: generate-capture STANZAS CONTACTS [SEED]\n".utf8))
  exit(2)
}
let shape = CaptureShape(
  stanzas: numbers[0], contacts: numbers[1], seed: numbers.count > 2 ? UInt64(numbers[2]) : 1)
try FileHandle.standardOutput.write(contentsOf: Data(GeneratedCapture(shape).file))
