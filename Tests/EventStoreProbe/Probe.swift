import CLMDB
import EventStore
import Foundation
import Rollcall

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A helper process of the tests that uses a log at the same time as they do.
///
/// It shares a log, is killed while it writes, and reaches limits that would also affect the
/// process of the tests.
@main
enum Probe {
  static func main() {
    let arguments = CommandLine.arguments.dropFirst()
    guard let command = arguments.first, let path = arguments.dropFirst().first else {
      say(
        """
        usage: EventStoreProbe append|import|limit|read|read-as-nobody|hold|hold-reading|
            fill-readers|small-log|flip|lease PATH [NUMBER...]
        """
      )
      exit(2)
    }
    let numbers = arguments.dropFirst(2).compactMap { Int($0) }
    do {
      try run(command, path, numbers)
    } catch {
      say("error: \(error)")
      exit(1)
    }
  }

  /// Writes a line without buffering, because the process may be killed at any time.
  private static func say(_ line: String) {
    var bytes = Array((line + "\n").utf8)
    _ = write(STDOUT_FILENO, &bytes, bytes.count)
  }

  private static func run(_ command: String, _ path: String, _ numbers: [Int]) throws {
    switch (command, numbers.count) {
    case ("append", 2): try append(path, batches: numbers[0], of: numbers[1])
    case ("import", 1): try importing(path, batch: numbers[0])
    case ("limit", 1): try meetLimit(path, bytes: numbers[0])
    case ("read", 0): try read(path)
    case ("hold", 0): try hold(path)
    case ("lease", 0): try lease(path)
    case ("hold-reading", 0): try holdReading(path)
    case ("fill-readers", 0): try fillReaders(path)
    case ("small-log", 0): try SmallLog.make(path)
    case ("flip", 3):
      try Flips(path).run(from: numbers[0], to: numbers[1], by: numbers[2], say)
    case ("read-as-nobody", 0):
      setgid(65534)
      setuid(65534)
      try read(path)
    default:
      say("unknown: \(command) with \(numbers.count) numbers")
      exit(2)
    }
  }

  /// Appends batches and prints the last record after each one.
  private static func append(_ path: String, batches: Int, of count: Int) throws {
    let log = try EventLog.open(at: path, access: .readWrite, eventVersion: 1)
    for _ in 0..<batches {
      say("last \(try log.append(drafts(count)).upperBound - 1)")
    }
  }

  /// Imports the capture on standard input into an existing log.
  private static func importing(_ path: String, batch: Int) throws {
    let log = try EventLog.open(
      at: path, access: .readWrite, eventVersion: RecordReader.version)
    var reading = CaptureImport(ImportOptions(), batch: batch)
    say("records \(try reading.run(.standardInput, into: log).records)")
  }

  /// Appends until the file-size limit is reached, then verifies the log.
  private static func meetLimit(_ path: String, bytes: Int) throws {
    let log = try EventLog.open(at: path, access: .readWrite, eventVersion: 1)
    var limit = rlimit(rlim_cur: rlim_t(bytes), rlim_max: rlim_t(bytes))
    #if canImport(Glibc)
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    #else
      setrlimit(RLIMIT_FSIZE, &limit)
    #endif
    var durable: UInt64 = 0
    do {
      while true { durable = try log.append(drafts(100)).upperBound - 1 }
    } catch {
      say("refused \(error)")
    }
    say("durable \(durable)")
    try look(log)
  }

  /// Keeps a log open until standard input ends.
  private static func hold(_ path: String) throws {
    let log = try EventLog.open(at: path, access: .readOnly, eventVersion: 1)
    say("open")
    withExtendedLifetime(log) { _ = readLine() }
  }

  /// Holds the lease of a log until standard input ends.
  private static func lease(_ path: String) throws {
    let lease = try RecorderLease(ofLogAt: path)
    say("leased")
    withExtendedLifetime(lease) { _ = readLine() }
  }

  /// Keeps a read transaction of a log open until standard input ends.
  private static func holdReading(_ path: String) throws {
    try EventLog.open(at: path, access: .readOnly, eventVersion: 1).read { _ in
      say("reading")
      _ = readLine()
    }
  }

  /// Occupies all reader slots of a log until standard input ends.
  private static func fillReaders(_ path: String) throws {
    var environment: OpaquePointer?
    var code = mdb_env_create(&environment)
    if code == 0 {
      code = mdb_env_open(
        environment, path, UInt32(MDB_NOSUBDIR | MDB_NOTLS | MDB_RDONLY), 0o600)
    }
    while code == 0 {
      var transaction: OpaquePointer?
      code = mdb_txn_begin(environment, nil, UInt32(MDB_RDONLY), &transaction)
    }
    say(code == MDB_READERS_FULL ? "full" : "error: \(code)")
    _ = readLine()
  }

  private static func read(_ path: String) throws {
    try look(try EventLog.open(at: path, access: .readOnly, eventVersion: 1))
  }

  private struct Damage: Error {
    var record: UInt64
    var what: String
  }

  private static func look(_ log: EventLog) throws {
    let last = try log.read { transaction in
      var check = RecordCheck()
      try check.look(in: transaction) { record, _ in
        if let damage = record.damage { throw Damage(record: record.sequence, what: damage) }
      }
      return try transaction.lastSequence
    }
    say("last \(last)")
  }

  private static func drafts(_ count: Int) -> [RecordDraft] {
    (0..<count).map { number in
      RecordDraft(
        time: Int64(number), direction: .inbound, kind: RecordKind(rawValue: 1),
        bytes: Array(repeating: UInt8(truncatingIfNeeded: number), count: 300 + number % 200),
        event: [1, 2, 3], contacts: ["contact\(number % 50)@example.test"])
    }
  }
}
