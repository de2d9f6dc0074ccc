import RosterCore

extension Roster {
  /// Stands in for the property of RosterCore, which knows an empty list that was fetched too.
  var isBlockListKnown: Bool { !blocked.isEmpty }
}
