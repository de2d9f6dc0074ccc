extension Work {
  /// Everything that is measured, in the order of the table.
  public static let all: [Work] = [
    .capture, .importing, .importingBesideC, .append, .appendRecords, .recorder, .reduce,
    .reduceKeeping, .rebuild, .rebuildRaw, .derive, .state, .difference, .diff, .bisect, .bisectAll,
    .history, .records, .scan, .verify, .export, .sections, .sectionChange, .readings, .search,
  ]

  /// Those whose cost must not grow with the length of the log or the number of contacts.
  public static let growing: [Work] = [.capture, .importing, .append, .reduce, .rebuild]

  /// The most that ten times as many contacts may multiply their cost by.
  public static let mostGrowth = 1.15
}
