/// Something about a log's file that is not as LMDB would have written it.
package struct PageDamage: Hashable, Sendable {
  /// Nil where it is about no single page.
  package let page: UInt64?
  /// The database that the page is part of.
  package let database: String
  package let what: String
}

extension PageDamage: CustomStringConvertible {
  /// A clause for a person.
  package var description: String {
    (page.map { "page \($0) of \(database)" } ?? database) + ": " + what
  }
}

extension EventLog {
  /// What is wrong with the pages of a log's file, without LMDB reading any that may be damaged;
  /// empty where nothing is, and at most 100. Complexity: every page is read once, but for those of
  /// long values.
  ///
  /// While another process uses the log, the pages are held by a transaction, so that none is
  /// written meanwhile.
  /// - Throws: `EventLogError` where the file is no log or cannot be read.
  package static func pageDamage(at path: String) throws -> [PageDamage] {
    try pageCheck(of: path).damage
  }

  /// Makes sure that LMDB meets no damaged page in a log.
  ///
  /// Complexity: as `pageDamage(at:)`.
  /// - Throws: `EventLogError.damaged`, or where the log is of another format, that.
  package static func lookOverPages(of path: String) throws {
    let check = try pageCheck(of: path)
    guard let damage = check.damage.first else { return }
    let format = check.meta[MetaEntry<UInt32>.format.key]
      .flatMap { UInt32(stored: $0.span.bytes) }
    if let format, format < LogFormat.version {
      throw EventLogError.olderFormat(path: path, format: format)
    }
    throw EventLogError.damaged(path: path, what: "\(damage)")
  }

  private static func pageCheck(of path: String) throws -> PageCheck {
    try MetaPageCheck.checkPages(path)
    if !Registry.hasOpen(path), try !FileSystem.isLocked(path + "-lock") {
      let check = try check(PageFile(path))
      // Unless a writer has come in between.
      if check.damage.isEmpty || check.file.isUnchanged { return check }
    }
    let log = try EventLog.open(at: path, access: .readOnly, eventVersion: 0)
    return try log.read { transaction in
      try check(PageFile(path, transaction: transaction.number))
    }
  }

  private static func check(_ file: consuming PageFile) throws(EventLogError) -> PageCheck {
    let check = PageCheck(file)
    try check.run()
    return check
  }
}
