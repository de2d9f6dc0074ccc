extension Work {
  /// All works, in the order of the table.
  public static let all: [Work] = [
    .capture, .importing, .importingBesideC, .append, .appendRecords, .recorder, .reduce,
    .reduceKeeping, .rebuild, .rebuildRaw, .derive, .state, .difference, .diff, .bisect, .bisectAll,
    .history, .records, .scan, .verify, .export, .sections, .sectionChange, .readings, .search,
  ]

  /// The works whose cost per unit must not grow with the log or the number of contacts.
  public static let growing: [Work] = [.capture, .importing, .append, .reduce, .rebuild]

  /// The highest allowed factor of their cost for ten times as many contacts.
  public static let maxGrowth = 1.15
}
