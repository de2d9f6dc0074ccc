import EventStore
import Foundation
import RawBytes
import RosterCore
import XMPPStanza

extension Fleet {
  /// The number of shards that are read at the same time.
  private static var width: Int { max(2, ProcessInfo.processInfo.activeProcessorCount) }

  /// Reads every shard on all cores, and passes the results to `take` in the order of the shards.
  ///
  /// Memory: the results of a few shards.
  /// - Parameters:
  ///   - body: Reads a shard, on any thread.
  ///   - take: Receives a result, or the error of a shard; the others are read all the same.
  package func forEachShard<Value: Sendable>(
    _ body: @Sendable (FleetShard) throws -> Value,
    _ take: (ShardNumber, Result<Value, any Error>) throws -> Void
  ) throws {
    let numbers = shards
    var start = 0
    while start < numbers.count {
      let window = Array(numbers[start..<min(numbers.count, start + Self.width)])
      start += window.count
      for (number, result) in zip(window, parallel(window) { try body(try open($0)) }) {
        try take(number, result)
      }
    }
  }

  /// The results of a function for some values, in their order, computed on all cores.
  func parallel<Input: Sendable, Value: Sendable>(
    _ inputs: [Input], _ body: @Sendable (Input) throws -> Value
  ) -> [Result<Value, any Error>] {
    let results = ResultList<Value>(count: inputs.count)
    DispatchQueue.concurrentPerform(iterations: inputs.count) { index in
      results.set(index, Result { try body(inputs[index]) })
    }
    return results.all
  }
}

/// Results of several threads.
private final class ResultList<Value: Sendable>: @unchecked Sendable {
  private let lock = NSLock()
  private var values: [Int: Result<Value, any Error>] = [:]
  private let count: Int

  init(count: Int) { self.count = count }

  func set(_ index: Int, _ result: Result<Value, any Error>) {
    lock.withLock { values[index] = result }
  }

  /// The results; every one was set.
  var all: [Result<Value, any Error>] {
    lock.withLock { (0..<count).compactMap { values[$0] } }
  }
}

/// The key of an end: a contact and an account.
struct EndKey: ~Escapable {
  /// The contact's address, or the beginning of one that is too long for a key.
  let contact: RawSpan
  let isWhole: Bool
  let account: AccountNumber

  @_lifetime(copy key)
  init?(_ key: RawSpan) {
    guard key.byteCount > 5, let number = ShardKey.lastNumber(key) else { return nil }
    account = number
    contact = key.extracting(..<(key.byteCount - 5))
    isWhole = contact.byteCount <= ShardKey.textBytes
  }
}

extension LogTransaction where Self: ~Copyable {
  /// Passes ends to `body`, in the order of the contacts.
  ///
  /// - Parameter contact: The only contact; nil for all.
  func forEachEnd(
    of contact: BareJID? = nil, _ body: (borrowing EndKey, EndRow) throws -> Void
  ) throws {
    let prefix = contact.map { ShardKey.text($0.text) }
    try forEachEntry(ShardTable.ends, from: prefix) { key, value in
      if let prefix {
        guard key.byteCount == prefix.count + 4,
          key.extracting(..<prefix.count).isSame(as: prefix.span.bytes)
        else { return false }
      }
      guard let end = EndKey(key) else {
        throw EventLogError.corruptEntry("the key of an end cannot be read")
      }
      try body(end, try Row.read(value, of: ShardTable.ends))
      return true
    }
  }

  /// The contact of an end.
  func contact(_ key: borrowing EndKey) throws -> BareJID {
    let text = String(decoding: key.contact)
    guard !key.isWhole else { return BareJID(prepared: text) }
    // The key has only its beginning: the roster has all of it.
    let stored = [UInt8](key.contact) + [0]
    let contacts = try head(key.account).map { EndFacts.all(of: $0).keys } ?? [:].keys
    guard let found = contacts.first(where: { ShardKey.text($0.text) == stored }) else {
      throw EventLogError.corruptEntry("a contact of an end is not in the roster")
    }
    return found
  }
}
