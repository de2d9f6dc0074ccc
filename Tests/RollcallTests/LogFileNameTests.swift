import Rollcall
import TestSupport
import Testing

@Suite("The names of a rotated log's files") struct LogFileNameTests {
  @Test(
    "The files of one log are recognized by their names, the oldest first",
    arguments: [
      ["debug.log.10", "debug.log.9.gz", "debug.log.2.xz", "debug.log.1.zst", "debug.log"],
      ["debug.log-20251231.gz", "debug.log-20261119", "debug.log-20261120", "debug.log"],
      ["debug.log.2026-11-19", "debug.log.2026-11-20.9", "debug.log.2026-11-20.10", "debug.log"],
      ["debug-2026-11-19.log", "debug-2026-11-20.log.gz", "debug.log"],
      ["debug.log-20261120-1795168200", "debug.log-20261120-1795168300", "debug.log"],
      ["profanity.001.log", "profanity.002.log", "profanity.log"], ["debug.log.old", "debug.log"],
    ])
  func ages(_ names: [String]) throws {
    let files = names.map(LogFileName.init)
    #expect(Set(files.map(\.log)) == [names[names.count - 1]])
    var generator = SeededGenerator(seed: UInt64(names.joined().utf8.count))
    let shuffled = files.shuffled(using: &generator)
    #expect(shuffled.sorted { $0.age < $1.age } == files)
  }

  @Test("The segments of a spool are in the order of their numbers, whatever the runs are called")
  func segments() {
    let names = ["ffffffff-000001.jsonl", "00000000-000002.jsonl.gz", "440f2663-1000000.jsonl"]
    let files = names.map(LogFileName.init)
    #expect(Set(files.map(\.log)).count == 1)
    #expect(files.reversed().sorted { $0.age < $1.age } == files)
  }

  @Test(
    "Other names belong to logs of their own",
    arguments: [
      "phone.log", "laptop.log", "device-1.jsonl", "device-2.jsonl", "monday.log", "alice1",
      "session 2.log", "1", ".1", "2026", "a.99999", ".gz", "log-20269999", "in.xml", "目录.log",
      "a.old.log", "20261120-101500.jsonl", "440f2663-00001.jsonl", "440f2663-000001.log",
      "440f266-000001.jsonl", "440F2663-000001.jsonl", "session-000001.jsonl",
    ])
  func apart(_ name: String) {
    #expect(LogFileName(name).log == name)
  }
}
