import CLMDB

/// A process that has been reading one state of a log while others were written.
package struct StandingReader: Hashable, Sendable {
  package let process: Int32
  /// How many transactions have been written since.
  package let behind: UInt64
}

extension ReadTransaction {
  /// The processes in whose way writers are: while one stands, no page that has become free since
  /// can be used again, and the file grows. A process that is merely slow is not told of.
  package var standingReaders: [StandingReader] {
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
      // Process, thread, and the transaction that is read; a dash for one that reads nothing.
      let words = line.split(whereSeparator: \.isWhitespace)
      guard words.count == 3, let process = Int32(words[0]), let read = UInt64(words[2]),
        read + Self.tolerance <= number
      else { return nil }
      return StandingReader(process: process, behind: number - read)
    }
  }

  /// So many transactions can well be written while somebody reads.
  private static var tolerance: UInt64 { 100 }

  private final class Lines {
    var all: [String] = []
  }
}
