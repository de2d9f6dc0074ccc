import EventStore
import Foundation
import Rollcall
import XMPPStanza

/// A folder of logs, such as the one that `rollcall record` writes: one or two logs per account,
/// and a folder `unbound` with streams whose account is not known.
struct LogFolder {
  let path: String
  /// The logs of accounts, by name.
  let logs: [String]
  /// The logs of streams that never became an account's, by name.
  let unbound: [String]

  /// Returns nil if the path does not name a folder of logs: if there is no log, or if there are
  /// captures next to the logs and no folder `unbound`.
  init?(_ path: String) throws {
    guard SourceFiles.isDirectory(path) else { return nil }
    self.path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    let waiting = "\(self.path)/unbound"
    let isRecorded = SourceFiles.isDirectory(waiting)
    logs = try SourceFiles.logs(in: self.path)
    unbound = isRecorded ? try SourceFiles.logs(in: waiting) : []
    guard !logs.isEmpty || !unbound.isEmpty else { return nil }
    guard try isRecorded || !SourceFiles.hasCaptures(self.path) else { return nil }
  }

  /// All logs, those of streams without an account last.
  var all: [String] { logs + unbound }

  // MARK: Commands that read one log

  /// The log of the chosen account, or of the only account. Notes the other logs that it may have,
  /// and the streams without an account.
  ///
  /// - Throws: `Failure` if there is no such log, or if several could be meant.
  func log(of wanted: BareJID?) throws -> String {
    guard !logs.isEmpty else {
      throw Failure("\(path): there is no log of an account in it; \(unboundClause)")
    }
    if !unbound.isEmpty { Terminal.note("\(path): \(unboundClause)") }
    guard logs.count > 1 else { return logs[0] }
    let found = try accounts(wanted)
    let known = Set(found.compactMap(\.account))
    if let wanted, !known.contains(wanted) {
      throw Failure(ImportError.otherAccounts(wanted: wanted, found: known.sorted()), in: path)
    }
    guard let account = wanted ?? known.first, wanted != nil || known.count == 1 else {
      guard known.isEmpty else {
        throw Failure(ImportError.severalAccounts(known.sorted()), in: path)
      }
      throw ambiguity(logs)
    }
    let own = found.filter { $0.account == account }.map(\.path)
    guard own.count > 1 else { return own[0] }
    guard let main = own.first(where: { $0 == "\(path)/\(account.fileName).rollcall" }) else {
      throw ambiguity(own)
    }
    let others = own.filter { $0 != main }.joined(separator: " and ")
    Terminal.note("\(main) is read; \(others) has other streams of \(account), and can be named")
    return main
  }

  /// The log that a path names: itself, or in a folder that of the chosen account, or the only one.
  ///
  /// - Throws: `Failure` if the path names a folder with several logs, or without the account's.
  static func log(at path: String, of wanted: BareJID?) throws -> String {
    guard let folder = try LogFolder(path) else { return path }
    if let wanted {
      // Its name says whose it is even if it is damaged.
      let named = "\(folder.path)/\(wanted.fileName).rollcall"
      return try folder.logs.first { $0 == named } ?? folder.log(of: wanted)
    }
    guard folder.all.count == 1 else { throw folder.ambiguity(folder.all) }
    return folder.all[0]
  }

  /// All logs of an account.
  ///
  /// - Throws: `Failure` if there is none.
  func logs(of wanted: BareJID) throws -> [String] {
    let named = "\(path)/\(wanted.fileName).rollcall"
    let found = try accounts(wanted)
    let own = found.filter { $0.account == wanted || $0.path == named }.map(\.path)
    guard own.isEmpty else { return own }
    let known = Set(found.compactMap(\.account)).sorted()
    throw Failure(ImportError.otherAccounts(wanted: wanted, found: known), in: path)
  }

  private func ambiguity(_ logs: [String]) -> Failure {
    let shown = logs.prefix(5).joined(separator: ", ")
    return Failure(
      "\(path) has \(logs.count) logs; name one of them: \(shown)"
        + (logs.count > 5 ? " and \(logs.count - 5) more" : ""))
  }

  private var unboundClause: String {
    "\(unbound.count.of("stream")) in its folder unbound never became an account's: "
      + "rollcall connections \(path.shellWord) lists them"
  }

  /// The account of each log; nil with a note if the log cannot be read, but another account's is
  /// wanted.
  private func accounts(_ wanted: BareJID?) throws -> [(path: String, account: BareJID?)] {
    try logs.map { path in
      do {
        try EventLog.checkPages(of: path)
        let log = try EventLog.open(
          at: path, access: .readOnly, eventVersion: RecordReader.version)
        return (path, try log.meta.account.flatMap { try? JID(parsing: $0).bare })
      } catch {
        guard wanted != nil else { throw Failure(error, in: path) }
        Terminal.note("\(path): skipped: \(sentence(of: error))")
        return (path, nil)
      }
    }
  }
}
