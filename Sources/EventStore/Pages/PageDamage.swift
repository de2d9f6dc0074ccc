/// Damage in a log's file: something that LMDB would not have written.
package struct PageDamage: Hashable, Sendable {
  /// The damaged page; nil if the damage is not in a single page.
  package let page: UInt64?
  /// The database that the page is part of.
  package let database: String
  package let what: String
}

extension PageDamage: CustomStringConvertible {
  /// A clause for people.
  package var description: String {
    (page.map { "page \($0) of \(database)" } ?? database) + ": " + what
  }
}

extension EventLog {
  /// Returns the damage in the pages of a log's file, at most 100 items; empty if there is none.
  ///
  /// LMDB does not read any page that may be damaged. If another process uses the log, a read
  /// transaction keeps the pages from being overwritten during the check. Complexity: each page is
  /// read once, except those of long values.
  /// - Throws: `EventLogError` if the file is not a log or cannot be read.
  package static func pageDamage(
    at path: String, further: [String] = []
  ) throws -> [PageDamage] {
    try pageCheck(of: path, further: further).damage
  }

  /// Checks the pages of a log before LMDB reads them.
  ///
  /// Complexity: as `pageDamage(at:)`.
  /// - Throws: `EventLogError.damaged`, or `olderFormat` if the log has an older format.
  package static func checkPages(of path: String) throws {
    let check = try pageCheck(of: path, further: [])
    guard let damage = check.damage.first else { return }
    if let format = check.format, format < LogFormat.version {
      throw EventLogError.olderFormat(path: path, format: format)
    }
    throw EventLogError.damaged(path: path, what: "\(damage)")
  }

  private static func pageCheck(of path: String, further: [String]) throws -> PageCheck {
    try MetaPageCheck.checkPages(path)
    if !Registry.hasOpen(path), try !FileSystem.isLocked(path + "-lock") {
      let check = try check(PageFile(path), path, further)
      // A writer that began in between may have caused the damage found.
      if check.damage.isEmpty || check.file.isUnchanged { return check }
    }
    let log = try EventLog.open(at: path, access: .readOnly, eventVersion: 0, further: further)
    return try log.read { transaction in
      try check(PageFile(path, transaction: transaction.number), path, further)
    }
  }

  private static func check(
    _ file: consuming PageFile, _ path: String, _ further: [String]
  ) throws(EventLogError) -> PageCheck {
    let check = PageCheck(file, knowing: further)
    try check.run()
    try check.requireOwner(path, knowing: further)
    return check
  }
}

extension PageCheck {
  /// The log's format, if its entry can be read.
  var format: UInt32? {
    meta[MetaEntry<UInt32>.format.key].flatMap { UInt32(stored: $0.span.bytes) }
  }

  /// Refuses a log of many accounts where that of one is expected: its further databases would look
  /// like damage, and its records like those of one account.
  func requireOwner(_ path: String, knowing further: [String]) throws(EventLogError) {
    guard !further.isEmpty || format != LogFormat.furtherVersion else {
      throw .ofManyAccounts(path: path)
    }
  }
}
