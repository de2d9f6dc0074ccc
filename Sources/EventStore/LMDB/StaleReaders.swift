import CLMDB

/// A process that is still reading an old state of a log.
package struct StaleReader: Hashable, Sendable {
  package let process: Int32
  /// The number of transactions that were committed after the state it reads.
  package let transactionsSince: UInt64
}

extension ReadTransaction {
  /// The processes that keep the file growing because they still read an old state.
  ///
  /// Until such a process moves on, no page that was freed after its state can be reused. Processes
  /// that are merely slow are left out.
  package var staleReaders: [StaleReader] {
    let lines = Lines()
    mdb_reader_list(
      mdb_txn_env(handle.raw),
      { text, context in
        guard let text, let context else { return 0 }
        let lines = Unmanaged<Lines>.fromOpaque(context).takeUnretainedValue()
        lines.all.append(String(cString: text))
        return 0
      }, Unmanaged.passUnretained(lines).toOpaque())
    return lines.all.compactMap { line in
      // Process, thread, and the transaction that it reads; a dash if it reads none.
      let words = line.split(whereSeparator: \.isWhitespace)
      guard words.count == 3, let process = Int32(words[0]), let read = UInt64(words[2]),
        read + Self.tolerance <= number
      else { return nil }
      return StaleReader(process: process, transactionsSince: number - read)
    }
  }

  /// The number of transactions that may be committed during an ordinary read.
  private static var tolerance: UInt64 { 100 }

  private final class Lines {
    var all: [String] = []
  }
}
