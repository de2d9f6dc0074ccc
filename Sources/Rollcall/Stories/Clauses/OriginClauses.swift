package import RosterCore

extension ChangeOrigin {
  /// Who asked for a change, and at which record, in a clause.
  ///
  /// - Parameters:
  ///   - subject: What the contact is called; nil for its address.
  ///   - agent: The device, or “us” if there is only one.
  package func clause(of subject: String? = nil, by agent: String) -> String {
    switch kind {
    case .edit, .blocking: "asked by \(agent), #\(cause)"
    case .ownStanza(let stanza):
      "because \(agent == "us" ? "we" : agent) sent “\(stanza.rawValue)”, #\(cause)"
    case .contactStanza(let stanza):
      "because \(subject ?? contact.text) sent “\(stanza.rawValue)”, #\(cause)"
    }
  }

  /// The clause on the record that shows the change; on a later one, what that record explains.
  package func line(_ agent: (ChangeOrigin) -> String) -> String {
    guard isLate else { return clause(by: agent(self)) }
    return noted == cause
      ? "explains #\(effect)" : "explains #\(effect): \(clause(by: agent(self)))"
  }
}

extension RosterOutcome {
  /// How many origins a record tells one by one.
  private static let mostOrigins = 5

  /// The origins of the changes, a line each; those of a whole roster name their contacts.
  ///
  /// - Parameter agent: Who caused a change, as the object of a sentence.
  package func originLines(_ agent: (ChangeOrigin) -> String) -> [String] {
    let told = toldOrigins
    let isOfOne = changes.allSatisfy { $0.contact == nil || $0.contact == told.first?.contact }
    let lines = told.prefix(Self.mostOrigins).map { origin in
      (isOfOne ? "" : "\(origin.contact): ") + origin.line(agent)
    }
    let rest = told.count - lines.count
    return rest > 0 ? lines + ["and \(rest) more records explain the others"] : lines
  }
}
