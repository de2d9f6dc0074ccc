package import RosterCore

extension ChangeOrigin {
  /// Who asked for a change, and at which record, in a clause.
  ///
  /// - Parameter agent: The device, or “us” if there is only one.
  package func clause(by agent: String) -> String {
    switch kind {
    case .edit: "asked by \(agent), #\(cause)"
    }
  }
}

extension RosterOutcome {
  /// How many origins a record tells one by one.
  private static let mostOrigins = 5

  /// The origins of the changes, a line each; those of a whole roster name their contacts.
  ///
  /// - Parameter agent: Who caused a change, as the object of a sentence.
  package func originLines(_ agent: (ChangeOrigin) -> String) -> [String] {
    let told = originsOfChanges
    let isOfOne = changes.allSatisfy { $0.contact == nil || $0.contact == told.first?.contact }
    let lines = told.prefix(Self.mostOrigins).map { origin in
      (isOfOne ? "" : "\(origin.contact): ") + origin.clause(by: agent(origin))
    }
    let rest = told.count - lines.count
    return rest > 0 ? lines + ["and \(rest) more sets asked for the others"] : lines
  }
}
